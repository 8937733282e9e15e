// SPDX-License-Identifier: Apache-2.0
#include "policy/link_rules.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret::policy {
namespace {

// Returns whether `tokens` (words separated by blanks) contains `word`; "-" asks for an empty list.
bool has_token(std::string_view tokens, std::string_view word) {
  bool any = false;
  while (!tokens.empty()) {
    const std::string_view token = cut(tokens, ' ');
    if (!token.empty() && equals_ignore_case(token, word)) return true;
    any |= !token.empty();
  }
  return !any && word == "-";
}

// Returns whether `word` names the tag: "a@href" is named by "a", "@href" and "a@href".
bool is_of_tag(std::string_view tag, std::string_view word) {
  const std::size_t at = std::min(tag.find('@'), tag.size());
  if (word.starts_with('@')) return equals_ignore_case(tag.substr(at), word);
  const bool whole = word.find('@') != std::string_view::npos;
  return equals_ignore_case(whole ? tag : tag.substr(0, at), word);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alpha(c) || is_digit(c) || c == '-' || c == '_' || c == ':' || c == '.';
  });
}

}  // namespace

bool LinkRules::is_rel(std::string_view word) { return is_name(word); }

bool LinkRules::is_tag(std::string_view word) {
  const std::size_t at = word.find('@');
  if (at == std::string_view::npos) return is_name(word);
  return (at == 0 || is_name(word.substr(0, at))) && is_name(word.substr(at + 1));
}

bool LinkRules::add_via(std::string_view pattern, std::uint32_t line, std::string* why) {
  return vias_.add(pattern, line, why);
}

bool LinkRules::add_text(std::string_view pattern, std::uint32_t line, std::string* why) {
  return texts_.add(pattern, line, why);
}

void LinkRules::compile() {
  vias_.compile();
  texts_.compile();
}

void LinkRules::match(const LinkFacts& facts, std::vector<std::uint32_t>& lines) const {
  for (const auto& [part, line] : allows_) {
    if ((facts.known & bit(part)) == 0) lines.push_back(line);
  }
  const Parts looked_at = facts.known & parts_;
  if ((looked_at & bit(Part::kRel)) != 0) {
    for (const auto& [word, line] : rels_) {
      if (has_token(facts.rel, word)) lines.push_back(line);
    }
  }
  if ((looked_at & bit(Part::kTag)) != 0) {
    for (const auto& [word, line] : tags_) {
      if (is_of_tag(facts.tag, word)) lines.push_back(line);
    }
  }
  if ((looked_at & bit(Part::kVia)) != 0) vias_.match(facts.via, lines);
  if ((looked_at & bit(Part::kText)) != 0) texts_.match(facts.text, lines);
  if ((looked_at & bit(Part::kAddress)) == 0) return;
  for (const auto& [range, line] : ranges_) {
    const auto& of = range;
    if (std::any_of(facts.addresses.begin(), facts.addresses.end(),
                    [&of](const IpAddress& ip) { return of.contains(ip); })) {
      lines.push_back(line);
    }
  }
}

}  // namespace spinneret::policy
