// SPDX-License-Identifier: Apache-2.0
// Rules as options of a command: each option stands for one line of a policy.
#include <map>

#include "base/ascii.h"
#include "policy/builder.h"

namespace spinneret::policy {
namespace {

// The directive that an option stands for, with the option's value, with the words of its list, or
// with a fixed word.
struct OptionLine {
  std::string_view option;
  std::string_view directive;
  bool is_list = false;
  std::string_view word = {};
};
constexpr OptionLine kOptionLines[] = {
    {"include", "allow-url"},
    {"exclude", "deny-url"},
    {"seed", "seed"},
    {"seeds", "seeds"},
    {"deny-list", "deny-list"},
    {"max-depth", "max-depth"},
    {"max-url-length", "max-url-length"},
    {"allow-scheme", "allow-scheme", true},
    {"allow-domain", "allow-domain", true},
    {"deny-domain", "deny-domain", true},
    {"deny-extension", "deny-extension", true},
    {"same-origin", "scope", false, "origin"},
    {"same-host", "scope", false, "host"},
    {"same-domain", "scope", false, "domain"},
    {"under-seed", "scope", false, "under"},
    {"traps", "traps", false, "default"},
};

std::vector<std::string> words_of(const OptionLine& line, const std::string& value) {
  if (!line.word.empty()) return {std::string(line.word)};
  if (!line.is_list) return {value};
  std::vector<std::string> words;
  std::string_view list = value;
  while (!list.empty()) words.emplace_back(cut(list, ','));
  return words;
}

}  // namespace

bool PolicyBuilder::add_option(std::string_view name, const std::string& value,
                               const Place& place) {
  for (const OptionLine& line : kOptionLines) {
    if (line.option != name) continue;
    in_option_ = true;
    add(line.directive, words_of(line, value), place);
    in_option_ = false;
    return true;
  }
  return false;
}

void PolicyBuilder::add_options(const std::vector<std::pair<std::string, std::string>>& options) {
  std::map<std::string, std::uint32_t> ordinals;
  for (const auto& [name, value] : options) {
    const Place place{"--" + name, ++ordinals[name]};
    if (name == "rule") {
      add_line(value, place);
    } else {
      add_option(name, value, place);
    }
  }
}

}  // namespace spinneret::policy
