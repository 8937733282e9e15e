// SPDX-License-Identifier: Apache-2.0
#include "robots/agent.h"

#include <algorithm>
#include <cstddef>

#include "base/ascii.h"

namespace spinneret::robots {
namespace {

bool contains_ignore_case(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return to_lower(a) == to_lower(b); }) != text.end();
}

Address address_1994(std::string_view value, std::string_view agent) {
  if (value == "*") return Address::kEveryone;
  const std::string_view name = agent.substr(0, agent.find('/'));
  return !value.empty() && contains_ignore_case(name, value) ? Address::kAgent : Address::kOther;
}

}  // namespace

std::string_view google_agent(std::string_view agent) {
  return agent.find(' ') == std::string_view::npos ? product_token(agent, true) : agent;
}

bool is_everyone(std::string_view value) {
  return value.starts_with('*') && (value.size() == 1 || is_space(value[1]) || value[1] == '\v');
}

std::string_view product_token(std::string_view value, bool strict_token) {
  std::size_t size = 0;
  while (size < value.size()) {
    const char c = value[size];
    if (!is_alpha(c) && c != '-' && c != '_' && (strict_token || !is_digit(c))) break;
    ++size;
  }
  return value.substr(0, size);
}

std::string_view crawler_token(std::string_view name, bool strict_token) {
  constexpr std::string_view kBrowser = "mozilla";
  constexpr std::string_view kMark = "compatible;";
  if (starts_with_ignore_case(name, kBrowser)) {
    const auto found = std::search(name.begin(), name.end(), kMark.begin(), kMark.end(),
                                   [](char a, char b) { return to_lower(a) == b; });
    if (found == name.end()) return {};
    name.remove_prefix(static_cast<std::size_t>(found - name.begin()) + kMark.size());
  }
  name = trim(name);
  name = name.substr(0, name.find_first_of("/;()*,\"' \t"));
  return strict_token ? product_token(name, true) : name;
}

Address address_of(std::string_view value, std::string_view agent, RobotsMode mode,
                   bool strict_token) {
  if (mode == RobotsMode::k1994) return address_1994(value, agent);
  if (is_everyone(value)) return Address::kEveryone;
  if (mode == RobotsMode::kGoogle) {
    const std::string_view name = google_agent(agent);
    return !name.empty() && equals_ignore_case(product_token(value, true), name) ? Address::kAgent
                                                                                 : Address::kOther;
  }
  if (agent.empty() || value.empty()) return Address::kOther;
  const bool whole = !strict_token && equals_ignore_case(value, agent);
  return whole || equals_ignore_case(product_token(value, strict_token), agent) ? Address::kAgent
                                                                                : Address::kOther;
}

}  // namespace spinneret::robots
