// SPDX-License-Identifier: Apache-2.0
#include "robots/preference.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/ascii.h"

namespace spinneret::robots {
namespace {

// Returns whether the text is a label (RFC 9651, section 3.1.2); upper case is accepted, too, as
// people write it.
bool is_label(std::string_view text) {
  if (text.empty() || !(is_alpha(text.front()) || text.front() == '*')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '*';
  });
}

std::optional<bool> answer_of(std::string_view word) {
  if (equals_ignore_case(word, "y") || equals_ignore_case(word, "yes")) return true;
  if (equals_ignore_case(word, "n") || equals_ignore_case(word, "no")) return false;
  return std::nullopt;
}

// Takes the next member of a list, trimmed; a comma within quotes does not separate members.
std::string_view take_member(std::string_view& rest) {
  bool quoted = false;
  std::size_t end = 0;
  while (end < rest.size() && (quoted || rest[end] != ',')) {
    if (rest[end] == '"') quoted = !quoted;
    ++end;
  }
  const std::string_view member = trim(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return member;
}

std::string_view word_of(std::string_view member) {
  const std::size_t equals = member.find('=');
  if (equals == std::string_view::npos) return {};
  return trim(member.substr(equals + 1, member.find(';', equals) - equals - 1));
}

}  // namespace

PreferenceList parse_preferences(std::string_view value, std::uint32_t line) {
  PreferenceList out;
  while (!value.empty()) {
    const std::string_view member = take_member(value);
    const std::string_view label = trim(member.substr(0, member.find('=')));
    const std::optional<bool> answer = answer_of(word_of(member));
    if (is_label(label) && answer) {
      out.items.push_back({to_lower_copy(label), *answer, line});
    } else if (out.bad.empty()) {
      out.bad = member.empty() ? "," : member;
    }
  }
  return out;
}

bool has_form_of_usage(std::string_view value) {
  while (!value.empty()) {
    const std::string_view word = word_of(take_member(value));
    if (word.size() > 1 && answer_of(word)) return false;
  }
  return true;
}

void merge_preferences(std::vector<Preference>& list, std::vector<Preference> more) {
  std::map<std::string_view, std::size_t> index;
  list.reserve(list.size() + more.size());  // so that the views of the index stay valid
  for (std::size_t i = 0; i < list.size(); ++i) index.emplace(list[i].label, i);
  for (Preference& preference : more) {
    const auto known = index.find(preference.label);
    if (known == index.end()) {
      list.push_back(std::move(preference));
      index.emplace(list.back().label, list.size() - 1);
    } else if (list[known->second].allowed && !preference.allowed) {
      list[known->second].allowed = false;
      list[known->second].line = preference.line;
    }
  }
}

std::string preferences_text(const std::vector<Preference>& list, bool words) {
  std::string out;
  for (const Preference& preference : list) {
    if (!out.empty()) out += ", ";
    out += preference.label;
    out += preference.allowed ? (words ? "=yes" : "=y") : (words ? "=no" : "=n");
  }
  return out;
}

}  // namespace spinneret::robots
