// SPDX-License-Identifier: Apache-2.0
#include "base/service_url.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret {
namespace {

// Parses "h1:7000", "h1" or "[::1]:7000".
bool parse_host(std::string_view text, int port, ServiceHost& host) {
  std::string_view digits;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    host.name = text.substr(1, end - 1);
    digits = text.substr(end + 1);
  } else {
    const std::string_view name = text.substr(0, text.find(':'));
    host.name = percent_decoded(name);
    digits = text.substr(name.size());
  }
  host.port = port;
  if (host.name.empty()) return false;
  if (digits.empty()) return true;
  const std::optional<std::uint64_t> number = parse_unsigned(digits.substr(1));
  if (digits.front() != ':' || !number || *number == 0 || *number > 65535) return false;
  host.port = static_cast<int>(*number);
  return true;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2])) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_crawl_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") ==
             std::string_view::npos;
}

std::string text_of(const ServiceHost& host) {
  const bool six = host.name.find(':') != std::string::npos;
  return (six ? "[" + host.name + "]" : host.name) + ":" + std::to_string(host.port);
}

bool parse_service_url(std::string_view text, int port, ServiceUrl& out) {
  out = {};
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return false;
  out.scheme = text.substr(0, scheme);
  text.remove_prefix(scheme + 3);
  const std::size_t query = text.find('?');
  std::string_view rest = query == std::string_view::npos ? "" : text.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view word = cut(rest, '&');
    const std::string_view name = word.substr(0, word.find('='));
    out.words.emplace_back(name,
                           percent_decoded(word.substr(std::min(name.size() + 1, word.size()))));
  }
  text = text.substr(0, query);
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = text.substr(0, at);
    const std::size_t colon = who.find(':');
    out.user = percent_decoded(who.substr(0, colon));
    if (colon != std::string_view::npos) out.password = percent_decoded(who.substr(colon + 1));
    text.remove_prefix(at + 1);
  }
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    out.has_path = true;
    out.path = text.substr(slash + 1);
    text = text.substr(0, slash);
  }
  while (true) {
    const std::string_view one = text.substr(0, text.find(','));
    ServiceHost host;
    if (!parse_host(one, port, host)) return false;
    out.hosts.push_back(std::move(host));
    if (one.size() == text.size()) return true;
    text.remove_prefix(one.size() + 1);
  }
}

}  // namespace spinneret
