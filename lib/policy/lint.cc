// SPDX-License-Identifier: Apache-2.0
#include "policy/lint.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "policy/pattern_set.h"

namespace spinneret::policy {
namespace {

// A line's name and arguments, taken from its text.
struct Words {
  std::string name;
  std::string verb;
  std::string part;
  std::vector<std::string> arguments;
};

Words words_of(const Line& line) {
  Words out;
  split_words(line.text, out.arguments, nullptr);
  if (out.arguments.empty()) return out;
  out.name = out.arguments.front();
  out.arguments.erase(out.arguments.begin());
  const std::size_t dash = out.name.find('-');
  if (line.verb != Verb::kSetting && dash != std::string::npos) {
    out.verb = out.name.substr(0, dash);
    out.part = out.name.substr(dash + 1);
  }
  return out;
}

class Linter {
 public:
  explicit Linter(const Policy& policy) : policy_(policy) {
    for (const Line& line : policy.lines) words_.push_back(words_of(line));
  }

  std::vector<Problem> run() {
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
      if (policy_.lines[i].verb == Verb::kSetting) {
        look_at_setting(i);
      } else {
        look_at_repeats(i);
        look_at_patterns(i);
      }
    }
    look_at_hosts();
    look_at_covered_patterns();
    look_at_whole();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Problem> out;
    for (auto& [line, message] : found_) {
      out.push_back({policy_.lines[line].place, std::move(message)});
    }
    return out;
  }

 private:
  void remark(std::uint32_t line, std::string message) {
    found_.emplace_back(line, std::move(message));
  }
  std::string name_of(std::uint32_t line) const {
    return policy_.lines[line].place.to_string() + " (" + policy_.lines[line].text + ")";
  }
  static bool is_pattern_part(std::string_view part) {
    return part == "url" || part == "path" || part == "query";
  }

  // The same word in two lines of one kind; or in a deny and an allow line, of which one never counts.
  void look_at_repeats(std::uint32_t i) {
    const Words& words = words_[i];
    if (policy_.lines[i].verb == Verb::kTag) return;
    const std::string section = std::to_string(policy_.lines[i].section);
    for (const std::string& word : words.arguments) {
      const std::string key = section + "\n" + words.part + "\n" + word;
      const auto [earlier, is_new] = seen_.emplace(key, i);
      if (is_new || earlier->second == i) continue;
      if (words_[earlier->second].verb == words.verb) {
        remark(i, excerpt(word) + " stands in " + name_of(earlier->second) + " already");
      } else if (policy_.order == Order::kDenyAllow) {
        const bool allows = words.verb == "allow";
        remark(allows ? i : earlier->second,
               excerpt(word) + " can allow nothing: " + name_of(allows ? earlier->second : i) +
                   " denies the same, and deny goes first");
      }
    }
  }

  void look_at_patterns(std::uint32_t i) {
    const Words& words = words_[i];
    if (!is_pattern_part(words.part)) return;
    for (const std::string& word : words.arguments) {
      if (word.empty() || word == ".*" || word == "^" || word == "$" || word == ".+") {
        remark(i, "the pattern " + excerpt(word) + " matches every URL");
      }
      if (word.find("/*") != std::string::npos) {
        remark(i, "the pattern " + excerpt(word) +
                      " asks by /* for any number of slashes: any text is .*");
      }
      const bool ascii = std::all_of(word.begin(), word.end(),
                                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
      if (!ascii) {
        remark(i, "the pattern " + excerpt(word) +
                      " can match nothing but its ASCII parts: URLs are compared percent-encoded "
                      "(\xC3\xA9 is %C3%A9), hosts in Punycode");
      }
      if (words.part == "path" && word.find("://") != std::string::npos) {
        remark(i, "the path has no scheme or host: " + words.verb + "-url is for whole URLs");
      }
      if (words.part == "query" && word.starts_with("^\\?")) {
        remark(i, "the query is compared without its question mark");
      }
    }
  }

  void look_at_setting(std::uint32_t i) {
    const Words& words = words_[i];
    if ((words.name == "seed" || words.name == "seeds") &&
        policy_.scope.kind() == ScopeKind::kAny) {
      remark(i, "seeds have no effect without a scope");
    }
    if (words.name == "max-offsite-hops" &&
        (policy_.scope.kind() == ScopeKind::kAny || !policy_.scope.has_seeds())) {
      remark(i, "max-offsite-hops has no effect without a scope and seeds");
    }
    if (words.name == "default" && !words.arguments.empty() && words.arguments[0] == "allow" &&
        policy_.order == Order::kDenyAllow) {
      remark(i, "has no effect: under order deny-allow a URL must match the allow rules there are");
    }
  }

  // A host rule that a wider one of the same verb and section covers.
  void look_at_hosts() {
    std::map<std::pair<std::uint32_t, std::string>, HostTable> tables;
    const auto each_host = [&](auto&& use) {
      for (std::uint32_t i = 0; i < words_.size(); ++i) {
        const Words& words = words_[i];
        if (policy_.lines[i].part != Part::kHost || words.verb.empty() || words.verb == "tag")
          continue;
        for (const std::string& word : words.arguments) {
          HostPattern pattern;
          if (!parse_host_pattern(word, pattern, nullptr)) continue;
          if (words.part != "host") pattern.match = HostMatch::kTree;
          use(i, word, pattern, tables[{policy_.lines[i].section, words.verb}]);
        }
      }
    };
    each_host(
        [](std::uint32_t i, const std::string&, const HostPattern& pattern, HostTable& table) {
          if (pattern.match != HostMatch::kExact) table.add({HostMatch::kBelow, pattern.name}, i);
        });
    each_host([&](std::uint32_t i, const std::string& word, const HostPattern& pattern,
                  HostTable& table) {
      std::vector<std::uint32_t> wider;
      if (!pattern.name.empty()) table.find(pattern.name, wider);
      std::erase(wider, i);
      if (!wider.empty()) remark(i, excerpt(word) + " is covered by " + name_of(wider.front()));
    });
  }

  // Plain texts that hold another plain text of the same verb, part and section.
  void look_at_covered_patterns() {
    struct Group {
      PatternSet inside;  // texts looked for anywhere
      PatternSet prefixes;
    };
    std::map<std::string, Group> groups;
    const auto each_text = [&](auto&& use) {
      for (std::uint32_t i = 0; i < words_.size(); ++i) {
        const Words& words = words_[i];
        if (!is_pattern_part(words.part) || words.verb == "tag") continue;
        Group& group = groups[words.name + "\n" + std::to_string(policy_.lines[i].section)];
        for (const std::string& word : words.arguments) {
          PlainPattern plain;
          if (as_plain_pattern(word, plain) && !plain.text.empty()) use(i, word, plain, group);
        }
      }
    };
    each_text([](std::uint32_t i, const std::string&, const PlainPattern& plain, Group& group) {
      if (plain.at_end) return;
      if (plain.at_begin) {
        group.prefixes.add_prefix(plain.text, i);
      } else {
        group.inside.add(quote_pattern(plain.text), i, nullptr);
      }
    });
    for (auto& [name, group] : groups) {
      group.inside.compile();
      group.prefixes.compile();
    }
    each_text(
        [&](std::uint32_t i, const std::string& word, const PlainPattern& plain, Group& group) {
          std::vector<std::uint32_t> wider;
          group.inside.match(plain.text, wider);
          if (plain.at_begin) group.prefixes.match(plain.text, wider);
          // The same pattern once more is look_at_repeats()'s to tell.
          std::erase_if(wider, [&](std::uint32_t other) {
            const auto& theirs = words_[other].arguments;
            return other == i || std::find(theirs.begin(), theirs.end(), word) != theirs.end();
          });
          if (!wider.empty()) {
            remark(i, "the pattern " + excerpt(word) + " is covered by " + name_of(wider.front()));
          }
        });
  }

  void look_at_whole() {
    std::vector<bool> used(policy_.rule_sets.size(), false);
    for (const Line& line : policy_.lines) used[line.section] = true;
    // A section has no line of its own; the first line behind it would do, but an empty one has none.
    const auto empty = std::count(used.begin() + 1, used.end(), false);
    if (empty > 0 && !policy_.lines.empty()) {
      remark(
          static_cast<std::uint32_t>(policy_.lines.size() - 1),
          std::to_string(empty) + (empty == 1 ? " section says nothing" : " sections say nothing"));
    }
  }

  const Policy& policy_;
  std::vector<Words> words_;
  std::unordered_map<std::string, std::uint32_t> seen_;
  std::vector<std::pair<std::uint32_t, std::string>> found_;
};

}  // namespace

std::vector<Problem> lint(const Policy& policy) { return Linter(policy).run(); }

}  // namespace spinneret::policy
