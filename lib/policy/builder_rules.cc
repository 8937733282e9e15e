// SPDX-License-Identifier: Apache-2.0
// The directives allow-PART, deny-PART and tag-PART.
#include <algorithm>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "policy/builder.h"
#include "url/normalize.h"
#include "url/public_suffix.h"

namespace spinneret::policy {
namespace {

// "gif|jpg" and ".gif" mean the same as "gif jpg" and "gif".
std::vector<std::string> split_extensions(std::string_view word) {
  std::vector<std::string> out;
  while (!word.empty()) {
    std::string_view one = cut(word, '|');
    if (one.starts_with("*.")) one.remove_prefix(2);
    if (one.starts_with('.')) one.remove_prefix(1);
    if (!one.empty()) out.push_back(to_lower_copy(one));
  }
  return out;
}

// Returns whether `text` is a scheme in lower case (RFC 3986, section 3.1).
bool is_scheme(std::string_view text) {
  return !text.empty() && is_lower(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_lower(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
         });
}

bool is_type_pattern(std::string_view text) {
  if (text == "*") return true;
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && slash != 0 && slash + 1 != text.size() &&
         text.find_first_of("; \t,", 0) == std::string_view::npos &&
         text.find('/', slash + 1) == std::string_view::npos;
}

bool is_tag(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || !is_lower(word.front())) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return is_lower(c) || is_digit(c) || c == '.' || c == '-'; });
}

}  // namespace

bool PolicyBuilder::rule(const Directive& directive) {
  const RuleName name = *find_rule_name(directive.name);
  Directive bare = directive;
  const std::uint32_t index = new_line(directive);
  Line& line = policy_.lines[index];
  line.verb = name.verb;
  line.part = name.part;
  if (name.verb == Verb::kTag && !take_tags(bare, index)) return false;
  if (keeps_words_) policy_.words[index] = {directive.name, name, bare.arguments, {}, {}};
  if (bare.arguments.empty()) {
    const bool all_fields = !directive.arguments.empty();
    problem(directive,
            directive.name + " needs something to match" +
                (all_fields
                     ? " before the fields; to match what reads like a field, put it in quotes: " +
                           quote_word(directive.arguments.front(), true)
                     : ""));
    return false;
  }
  if (name.verb == Verb::kAllow) {
    std::uint32_t& first = rules().first_allow.make().lines[static_cast<std::size_t>(line.part)];
    if (first == kNoLine) first = index;
    if (line.of_option) policy_.option_allows.push_back(index);
  }
  if (line.part == Part::kHost) return host_rule(bare, name.kind, index);
  if (name.kind == RuleKind::kUrl) return pattern_rule(bare, PatternSet::Field::kWhole, index);
  if (name.kind == RuleKind::kPath) return pattern_rule(bare, PatternSet::Field::kFirst, index);
  if (name.kind == RuleKind::kQuery) return pattern_rule(bare, PatternSet::Field::kSecond, index);
  if (line.part >= Part::kRel) return link_rule(bare, index);
  return word_rule(bare, name.kind, index);
}

// The words at the end of the form key=value, without quotes, are the fields to set.
bool PolicyBuilder::take_tags(Directive& directive, std::uint32_t line) {
  Lines::Tags tags;
  while (!directive.arguments.empty() && is_tag(directive.arguments.back()) &&
         !directive.is_quoted(directive.arguments.size() - 1)) {
    const std::string& word = directive.arguments.back();
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (key == "outcome" || key == "url") {
      problem(directive, "a tag may set any field but url and outcome");
      return false;
    }
    tags.emplace_back(key, word.substr(equals + 1));
    directive.arguments.pop_back();
  }
  std::reverse(tags.begin(), tags.end());
  if (!tags.empty()) {
    policy_.lines.set_tags(line, std::move(tags));
    return true;
  }
  problem(directive, directive.name + " ends with the fields to set, such as priority=10");
  return false;
}

bool PolicyBuilder::host_rule(const Directive& directive, RuleKind kind, std::uint32_t line) {
  for (const std::string& word : directive.arguments) {
    HostPattern pattern;
    std::string why;
    if (!parse_host_pattern(word, pattern, &why)) {
      problem(directive, why);
      return false;
    }
    if (kind != RuleKind::kHost) pattern.match = HostMatch::kTree;
    if (kind == RuleKind::kSite) pattern.name = registrable_domain(pattern.name);
    rules().hosts.make().add(pattern, line);
    if (keeps_words_) words()->hosts.push_back(std::move(pattern));
  }
  return true;
}

bool PolicyBuilder::pattern_rule(const Directive& directive, PatternSet::Field field,
                                 std::uint32_t line) {
  for (const std::string& word : directive.arguments) {
    std::string why;
    if (rules().patterns.add(safe_pattern(word), line, &why, field)) continue;
    problem(directive, "bad pattern " + excerpt(word) + ": " + why);
    return false;
  }
  return true;
}

bool PolicyBuilder::link_rule(const Directive& directive, std::uint32_t index) {
  if (rules().links == nullptr) rules().links = std::make_unique<LinkRules>();
  LinkRules& links = *rules().links;
  const Line& line = policy_.lines[index];
  links.set_part(line.part);
  for (const std::string& word : directive.arguments) {
    std::string why;
    if (add_link_word(links, word, index, &why)) continue;
    problem(directive, why);
    return false;
  }
  if (line.verb == Verb::kAllow) links.add_allow(line.part, index);
  return true;
}

// Returns false where the word is not valid; `why` then says what the line's part takes.
bool PolicyBuilder::add_link_word(LinkRules& links, const std::string& word, std::uint32_t line,
                                  std::string* why) {
  switch (policy_.lines[line].part) {
    case Part::kRel:
      if (!LinkRules::is_rel(word)) {
        *why = "a rel is a word such as nofollow, or -, not " + excerpt(word);
        return false;
      }
      links.add_rel(word, line);
      return true;
    case Part::kTag:
      if (!LinkRules::is_tag(word)) {
        *why = "a tag is an element, an attribute or both, such as iframe, @src or a@href, not " +
               excerpt(word);
        return false;
      }
      links.add_tag(word, line);
      return true;
    case Part::kAddress: {
      const Result<AddressRange> range = parse_range(word);
      if (range.ok()) {
        links.add_address(*range, line);
      } else {
        *why = range.message();
      }
      return range.ok();
    }
    default: break;
  }
  const bool good = policy_.lines[line].part == Part::kVia
                        ? links.add_via(safe_pattern(word), line, why)
                        : links.add_text(word, line, why);
  if (!good) *why = "bad pattern " + excerpt(word) + ": " + *why;
  return good;
}

// Handles the kinds whose arguments are plain words, files or URLs.
bool PolicyBuilder::word_rule(const Directive& directive, RuleKind kind, std::uint32_t line) {
  for (const std::string& word : directive.arguments) {
    if (kind == RuleKind::kExtension) {
      const std::vector<std::string> ends = split_extensions(word);
      if (ends.empty() || word.find_first_of("/?# \t") != std::string::npos) {
        problem(directive, "an extension is the end of a file's name, such as gif, or -, not " +
                               excerpt(word));
        return false;
      }
      for (const std::string& end : ends) rules().extensions.make()[end].push_back(line);
      if (keeps_words_) words()->ends.insert(words()->ends.end(), ends.begin(), ends.end());
    } else if (kind == RuleKind::kScheme) {
      std::string scheme = to_lower_copy(word);
      if (scheme.ends_with(':')) scheme.pop_back();
      if (!is_scheme(scheme)) {
        problem(directive, "a scheme is a name such as https, not " + excerpt(word));
        return false;
      }
      rules().schemes.make().emplace_back(std::move(scheme), line);
    } else if (kind == RuleKind::kType) {
      if (!is_type_pattern(word)) {
        problem(directive,
                "a type is a media type such as text/html, or text/*, or *, not " + excerpt(word));
        return false;
      }
      rules().types.make().emplace_back(to_lower_copy(word), line);
    } else if (kind == RuleKind::kPrefix) {
      if (!add_prefix(directive, word, line)) return false;
    } else if (!add_list(directive, word, kind == RuleKind::kDomainList, line)) {
      return false;
    }
  }
  return true;
}

bool PolicyBuilder::add_prefix(const Directive& directive, const std::string& word,
                               std::uint32_t line) {
  Url url;
  UrlError error;
  if (!parse(word, url, &error)) {
    problem(directive, "a prefix is the begin of a URL: " + excerpt(word) + ": " + error.message);
    return false;
  }
  make_safe(url);
  rules().patterns.add_prefix(url.href_without_fragment(), line);
  return true;
}

bool PolicyBuilder::add_list(const Directive& directive, const std::string& word, bool domains,
                             std::uint32_t line) {
  RuleSet::ListRule list{{}, line};
  const std::string path = resolve_path(word);
  const Status status =
      list.keys.load(path, domains ? KeyList::Names::kDomains : KeyList::Names::kHosts);
  if (!status.ok()) {
    problem(directive, status.message());
    return false;
  }
  // A host that should be denied and is not is worse than a crawl that does not begin.
  for (const auto& [number, why] : list.keys.bad_lines()) {
    problems_.push_back({{path, static_cast<std::uint32_t>(number)}, why});
  }
  if (const std::size_t more = list.keys.bad_line_count() - list.keys.bad_lines().size();
      more != 0) {
    problem(directive, word + " has " + std::to_string(more) + " more lines that cannot be read");
  }
  if (const std::size_t names = list.keys.impossible_count(); names != 0) {
    remarks_.push_back({directive.place, word + " has " + std::to_string(names) +
                                             " that no URL can have as a host, the first being " +
                                             excerpt(list.keys.impossible_name())});
  }
  if (list.keys.size() == 0) remarks_.push_back({directive.place, word + " lists nothing"});
  rules().lists.make().push_back(std::move(list));
  return true;
}

}  // namespace spinneret::policy
