// SPDX-License-Identifier: Apache-2.0
#include "policy/lint.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "policy/pattern_set.h"
#include "policy/reach.h"
#include "url/host.h"
#include "url/public_suffix.h"

namespace spinneret::policy {
namespace {

class Linter {
 public:
  explicit Linter(const Policy& policy) : policy_(policy), words_(policy.words) {}

  std::vector<Problem> run() {
    find_runs();
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
      if (!words_[i].rule) {
        look_at_setting(i);
      } else {
        look_at_repeats(i);
        look_at_patterns(i);
        look_at_extensions(i);
        look_at_tags(i);
      }
    }
    look_at_policy();
    look_at_hosts();
    look_at_covered_patterns();
    look_at_sections();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Found& a, const Found& b) { return a.order < b.order; });
    std::vector<Problem> out;
    for (Found& found : found_) out.push_back(std::move(found.problem));
    return out;
  }

 private:
  struct Found {
    std::size_t order;  // 2 * line + 1, or 2 * line for a remark in front of that line
    Problem problem;
  };
  using Lines = std::vector<std::uint32_t>;  // ascending

  void remark(std::uint32_t line, std::string message) {
    found_.push_back({2 * std::size_t{line} + 1, {policy_.lines.place(line), std::move(message)}});
  }
  std::string name_of(std::uint32_t line) const {
    return policy_.lines.place(line).to_string() + " (" + std::string(policy_.lines.text(line)) +
           ")";
  }
  static bool takes_patterns(RuleKind kind) {
    return kind == RuleKind::kUrl || kind == RuleKind::kPath || kind == RuleKind::kQuery ||
           kind == RuleKind::kVia || kind == RuleKind::kText;
  }
  // Returns the key of a group of rules: those of one section and kind.
  std::string group_of(std::uint32_t line) const {
    return std::to_string(policy_.lines[line].section) + ' ' +
           std::to_string(static_cast<int>(words_[line].rule->kind)) + '\n';
  }

  // Numbers the runs of rules. A run has one verb and one action, and no rule between two of its
  // rules would treat differently a URL that both match. Rules follow one another in the order of
  // lines, or, where the order weighs verbs, among the rules of their verb.
  void find_runs() {
    const bool by_line = policy_.order == Order::kFirstMatch || policy_.order == Order::kLastMatch;
    const Line* before[2] = {nullptr, nullptr};
    std::uint32_t runs = 0;
    std::uint32_t run[2] = {0, 0};
    for (const Line& line : policy_.lines) {
      const std::size_t kind = !by_line && line.verb == Verb::kAllow ? 1 : 0;
      if (line.verb == Verb::kAllow || line.verb == Verb::kDeny) {
        const bool same = before[kind] != nullptr && before[kind]->verb == line.verb &&
                          before[kind]->mark == line.mark;
        if (!same) run[kind] = ++runs;
        before[kind] = &line;
      }
      runs_.push_back(run[kind]);
    }
  }

  // Returns whether `line` is redundant if `wider`, which must be of its verb, matches everything
  // that `line` matches. Where the order does not let `wider` decide instead, both must be in one
  // run, since a rule between them could decide otherwise.
  bool could_go(std::uint32_t line, std::uint32_t wider) const {
    const Line& rule = policy_.lines[line];
    if (line == wider || rule.verb != policy_.lines[wider].verb) return false;
    if (rule.of_option && !policy_.lines[wider].of_option) return false;
    const bool decides = policy_.order == Order::kLastMatch ? wider > line : wider < line;
    return decides || runs_[line] == runs_[wider];
  }
  // Returns a line in `wider` that makes `line` redundant, or kNoLine. Only the nearest and the
  // outermost lines are tried, since it must be one of these, except where actions change oddly.
  std::uint32_t one_that_covers(std::uint32_t line, const Lines& wider) const {
    if (wider.empty()) return kNoLine;
    const auto behind = std::upper_bound(wider.begin(), wider.end(), line);
    auto ahead = std::lower_bound(wider.begin(), wider.end(), line);
    if (could_go(line, wider.front())) return wider.front();
    if (ahead != wider.begin() && could_go(line, *--ahead)) return *ahead;
    if (behind != wider.end() && could_go(line, *behind)) return *behind;
    return could_go(line, wider.back()) ? wider.back() : kNoLine;
  }
  static void add_line(Lines& lines, std::uint32_t line) {
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }

  // Remarks on the same word in two lines of one kind, or in a deny and an allow line, one of which
  // never takes effect.
  void look_at_repeats(std::uint32_t i) {
    const Verb verb = policy_.lines[i].verb;
    if (verb == Verb::kTag) return;
    const bool last_counts = policy_.order == Order::kLastMatch;
    const std::string group = group_of(i);
    for (const std::string& word : words_[i].arguments) {
      const std::string key = group + word + '\n';
      const char* const ends[] = {"allow", "deny"};
      const auto other = seen_.find(key + ends[verb == Verb::kAllow ? 1 : 0]);
      const auto [known, is_new] = seen_.emplace(key + ends[verb == Verb::kAllow ? 0 : 1], i);
      const std::uint32_t earlier = known->second;
      if (other != seen_.end() && (is_new || last_counts)) remark_dead(word, other->second, i);
      if (last_counts) known->second = i;
      if (is_new || earlier == i) continue;
      if (could_go(i, earlier)) {
        remark(i, excerpt(word) + " stands in " + name_of(earlier) + " already");
      } else {
        remark(earlier,
               excerpt(word) + " stands in " + name_of(i) + " again, and the last match decides");
      }
    }
  }

  // Remarks on a deny and an allow line with the same word: one of them never takes effect.
  void remark_dead(const std::string& word, std::uint32_t earlier, std::uint32_t later) {
    const bool earlier_allows = policy_.lines[earlier].verb == Verb::kAllow;
    std::uint32_t dead = later;
    const char* why = "the first match decides";
    if (policy_.order == Order::kLastMatch) {
      dead = earlier;
      why = "the last match decides";
    } else if (policy_.order == Order::kDenyAllow) {
      dead = earlier_allows ? earlier : later;
      why = "deny goes first";
    } else if (policy_.order == Order::kAllowDeny) {
      dead = earlier_allows ? later : earlier;
      why = "allow goes first";
    }
    if (policy_.lines[dead].of_option) return;
    const bool allows = policy_.lines[dead].verb == Verb::kAllow;
    remark(dead, excerpt(word) + (allows ? " can allow nothing: " : " can deny nothing: ") +
                     name_of(dead == later ? earlier : later) + (allows ? " denies" : " allows") +
                     " the same, and " + why);
  }

  void look_at_patterns(std::uint32_t i) {
    const LineWords& words = words_[i];
    const RuleKind kind = words.rule->kind;
    if (!takes_patterns(kind)) return;
    const bool of_url = kind != RuleKind::kText;
    for (const std::string& word : words.arguments) {
      if (word.empty() || word == ".*" || word == "^" || word == "$" || word == ".+") {
        remark(i, "the pattern " + excerpt(word) + " matches every " + (of_url ? "URL" : "text"));
      }
      if (!of_url || remark_dead_pattern(i, word, policy_.lines[i].part)) continue;
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
      if (kind == RuleKind::kPath && word.find("://") != std::string::npos) {
        remark(i, "the path has no scheme or host: " + words.name.substr(0, words.name.find('-')) +
                      "-url is for whole URLs");
      }
      if (kind == RuleKind::kQuery) look_at_query_mark(i, word);
    }
  }

  void look_at_query_mark(std::uint32_t i, const std::string& word) {
    constexpr std::string_view kMarks[] = {"[?&]",    "[&?]",    "[\\?&]",    "[&\\?]",
                                           "(\\?|&)", "(&|\\?)", "(?:\\?|&)", "(?:&|\\?)"};
    if (word.starts_with("^\\?")) remark(i, "the query is compared without its question mark");
    for (const std::string_view mark : kMarks) {
      if (!word.starts_with(mark)) continue;
      remark(i, "the pattern " + excerpt(word) +
                    " misses the first parameter: the query is compared without its question mark, "
                    "so say (^|&) for " +
                    std::string(mark));
    }
  }

  // Returns true where there is no URL that the pattern could match.
  bool remark_dead_pattern(std::uint32_t i, const std::string& word, Part part) {
    const auto reach = [this, part](const std::string& pattern) -> const Reach& {
      const auto [known, is_new] = reaches_.try_emplace({part, pattern});
      if (is_new) known->second = reach_of(pattern, part);
      return known->second;
    };
    const Reach& of_word = reach(word);
    if (of_word.answer != Reach::Answer::kPossible) {
      const bool none = of_word.answer == Reach::Answer::kNever;
      remark(i, "the pattern " + excerpt(word) + " can never match" +
                    (none ? ": " : " a URL of the web: ") + std::string(of_word.why));
      return true;
    }
    // "http://h:80/" occurs in "http://i/?u=http://h:80/", but is hardly meant that way.
    const std::size_t scheme = word.find("://");
    const bool whole = (part == Part::kUrl || part == Part::kVia) && scheme < 8 &&
                       std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(scheme),
                                   [](char c) { return is_alpha(c) || c == '?'; });
    if (!whole) return false;
    const Reach& at_begin = reach("^(?:" + word + ")");
    if (at_begin.answer == Reach::Answer::kPossible) return false;
    remark(i, "the pattern " + excerpt(word) +
                  " can never match at the begin of a URL, but only within one: " +
                  std::string(at_begin.why));
    return true;
  }

  // Extensions are compared up to 15 bytes, and up to four at once: "tar.gz" has two.
  void look_at_extensions(std::uint32_t i) {
    for (const std::string& end : words_[i].ends) {
      const bool fits = end.size() <= 15 && std::count(end.begin(), end.end(), '.') <= 3;
      if (fits && reach_of("(?i)\\." + quote_pattern(end) + "$", Part::kPath).answer ==
                      Reach::Answer::kPossible) {
        continue;
      }
      remark(i,
             "the extension " + excerpt(end) + " can never match: " +
                 (fits ? "paths are compared percent-encoded"
                       : "more than 15 bytes, or four names between dots, are never an extension"));
    }
  }

  // A fact that a tag rule needs must be known when the fields are set.
  void look_at_tags(std::uint32_t i) {
    const RuleName& rule = *words_[i].rule;
    const bool of_type = rule.part == Part::kType;
    if (rule.verb != Verb::kTag || (!of_type && rule.part != Part::kAddress)) return;
    remark(i, "in a crawl " + words_[i].name + " sets nothing" +
                  (of_type ? "" : " for hosts that are names") + ": the " +
                  (of_type ? "type" : "address") +
                  " is known when the page has been fetched, and fields are set before");
  }

  void look_at_setting(std::uint32_t i) {
    const LineWords& words = words_[i];
    if (words.is_of_seeds && policy_.scope.kind() == ScopeKind::kAny)
      remark(i, "seeds have no effect without a scope, such as that of crawl");
    if (!words.url_pattern.empty()) remark_dead_pattern(i, words.url_pattern, Part::kUrl);
    if (!words.path.empty()) look_at_query_path(i);
  }

  // Checks the directives that count once in a policy.
  void look_at_policy() {
    const Settings::Value* const hops = policy_.sections[0].settings.find(Setting::kMaxOffsiteHops);
    if (hops != nullptr &&
        (policy_.scope.kind() == ScopeKind::kAny || !policy_.scope.has_seeds())) {
      remark(hops->line,
             "max-offsite-hops has no effect without a scope and seeds, such as those of crawl");
    }
    if (policy_.default_line != kNoLine && !policy_.default_deny &&
        policy_.order == Order::kDenyAllow) {
      remark(policy_.default_line,
             "has no effect: under order deny-allow a URL must match the allow rules there are");
    }
  }

  void look_at_query_path(std::uint32_t i) {
    std::string path = words_[i].path;
    const bool prefix = path.ends_with('*');
    if (prefix) path.pop_back();
    const Reach reach = reach_of('^' + quote_pattern(path) + (prefix ? "" : "$"), Part::kPath);
    if (reach.answer == Reach::Answer::kPossible) return;
    remark(i, "the path " + excerpt(path) + " can never match: " + std::string(reach.why));
  }

  // Reports host rules that a wider rule of the same verb and section covers.
  void look_at_hosts() {
    // The lines for the names below a name, by section, verb and that name; "" is every host.
    std::unordered_map<std::string, Lines> trees;
    const auto each_host = [&](auto&& use) {
      for (std::uint32_t i = 0; i < words_.size(); ++i) {
        const std::optional<RuleName>& rule = words_[i].rule;
        if (!rule || rule->part != Part::kHost || rule->verb == Verb::kTag) continue;
        const std::string group = std::to_string(policy_.lines[i].section) +
                                  (rule->verb == Verb::kAllow ? "allow " : "deny ");
        for (std::size_t k = 0; k < words_[i].hosts.size(); ++k)
          use(i, words_[i].arguments[k], words_[i].hosts[k], group);
      }
    };
    each_host([&](std::uint32_t i, const std::string&, const HostPattern& pattern,
                  const std::string& group) {
      if (pattern.match != HostMatch::kExact) add_line(trees[group + pattern.name], i);
    });
    each_host([&](std::uint32_t i, const std::string& word, const HostPattern& pattern,
                  const std::string& group) {
      std::string_view rest = pattern.name;
      std::uint32_t wider = kNoLine;
      while (wider == kNoLine && !rest.empty()) {
        const std::size_t dot =
            is_ip_address(pattern.name) ? std::string_view::npos : rest.find('.');
        rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
        const auto found = trees.find(group + std::string(rest));
        if (found != trees.end()) wider = one_that_covers(i, found->second);
      }
      if (wider != kNoLine) remark(i, excerpt(word) + " is covered by " + name_of(wider));
    });
  }

  // Reports plain texts that contain another plain text of the same verb, part and section.
  void look_at_covered_patterns() {
    struct Text {
      const std::string* word;
      Lines lines;
    };
    struct Group {
      PatternSet inside;  // texts found anywhere; ids are indexes into `texts`
      PatternSet prefixes;
      std::vector<Text> texts;
      std::unordered_map<std::string_view, std::uint32_t> by_word;
    };
    std::map<std::string, Group> groups;
    const auto each_text = [&](auto&& use) {
      for (std::uint32_t i = 0; i < words_.size(); ++i) {
        const LineWords& words = words_[i];
        if (!words.rule || !takes_patterns(words.rule->kind) || words.rule->verb == Verb::kTag)
          continue;
        const bool allows = words.rule->verb == Verb::kAllow;
        Group& group = groups[group_of(i) + (allows ? "allow" : "deny")];
        for (const std::string& word : words.arguments) {
          PlainPattern plain;
          if (as_plain_pattern(word, plain) && !plain.text.empty()) use(i, word, plain, group);
        }
      }
    };
    each_text(
        [](std::uint32_t i, const std::string& word, const PlainPattern& plain, Group& group) {
          const auto id = static_cast<std::uint32_t>(group.texts.size());
          const auto [known, is_new] = group.by_word.emplace(word, id);
          if (is_new) group.texts.push_back({&word, {}});
          add_line(group.texts[known->second].lines, i);
          if (!is_new || plain.at_end) return;
          if (plain.at_begin) {
            group.prefixes.add_prefix(plain.text, id);
          } else {
            group.inside.add(quote_pattern(plain.text), id, nullptr);
          }
        });
    for (auto& [name, group] : groups) {
      group.inside.compile();
      group.prefixes.compile();
    }
    each_text(
        [&](std::uint32_t i, const std::string& word, const PlainPattern& plain, Group& group) {
          std::vector<std::uint32_t> texts;
          group.inside.match(plain.text, texts);
          if (plain.at_begin) group.prefixes.match(plain.text, texts);
          // look_at_repeats() reports a repeated pattern.
          const Lines& repeats = group.texts[group.by_word[word]].lines;
          for (const std::uint32_t text : texts) {
            if (*group.texts[text].word == word) continue;
            const std::uint32_t wider = one_that_covers(i, group.texts[text].lines);
            if (wider == kNoLine || std::binary_search(repeats.begin(), repeats.end(), wider))
              continue;
            remark(i, "the pattern " + excerpt(word) + " is covered by " + name_of(wider));
            break;
          }
        });
  }

  void look_at_sections() {
    std::vector<bool> used(policy_.sections.size(), false);
    for (const Line& line : policy_.lines) used[line.section] = true;
    const std::optional<AllowedHosts> allowed = allowed_hosts();
    for (std::size_t section = 1; section < used.size(); ++section) {
      const Policy::SectionBegin& begin = policy_.section_begins[section - 1];
      const auto tell = [&](std::string message) {
        found_.push_back({2 * std::size_t{begin.first_line}, {begin.place, std::move(message)}});
      };
      if (!used[section]) tell("the section says nothing");
      if (used[section] && allowed && allowed->sections.count(section) == 0 &&
          std::none_of(begin.hosts.begin(), begin.hosts.end(),
                       [&](const HostPattern& host) { return may_meet(host, *allowed); })) {
        tell("the section is for no URL that passes: its hosts match no allow rule such as " +
             name_of(allowed->line));
      }
    }
  }

  // With the order deny-allow: the hosts that the allow rules for all hosts accept.
  struct AllowedHosts {
    std::uint32_t line = kNoLine;
    std::unordered_set<std::string> names;     // "": every host
    std::unordered_set<std::string> above;     // the names above these names
    std::unordered_set<std::size_t> sections;  // the sections that have such rules of their own
  };
  // Returns nothing where the rules accept every host, or use a list, which is not examined.
  std::optional<AllowedHosts> allowed_hosts() const {
    AllowedHosts out;
    if (policy_.order != Order::kDenyAllow) return std::nullopt;
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
      const Line& line = policy_.lines[i];
      if (line.verb != Verb::kAllow || line.part != Part::kHost) continue;
      out.sections.insert(line.section);
      if (line.section != 0) continue;
      if (out.line == kNoLine) out.line = i;
      if (words_[i].hosts.empty()) return std::nullopt;  // from a list
      for (const HostPattern& pattern : words_[i].hosts) {
        for (std::string_view rest = pattern.name; !rest.empty();) {
          cut(rest, '.');
          out.above.emplace(rest);
        }
        out.names.insert(pattern.name);
      }
    }
    if (out.line == kNoLine) return std::nullopt;
    return out;
  }
  // Returns whether one of the names is that of `host`, above it, or below it, regardless of how
  // either pattern matches.
  static bool may_meet(const HostPattern& host, const AllowedHosts& allowed) {
    if (allowed.names.count("") != 0 || allowed.above.count(host.name) != 0) return true;
    for (std::string_view rest = host.name; !rest.empty(); cut(rest, '.')) {
      if (allowed.names.count(std::string(rest)) != 0) return true;
    }
    return false;
  }

  const Policy& policy_;
  const std::vector<LineWords>& words_;  // by line
  std::vector<std::uint32_t> runs_;      // by line
  std::unordered_map<std::string, std::uint32_t> seen_;
  std::map<std::pair<Part, std::string>, Reach> reaches_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<Problem> lint(const Policy& policy) { return Linter(policy).run(); }

std::vector<Problem> lint(const PolicyBuilder& builder, const Policy& policy) {
  std::vector<Problem> out = builder.problems();
  const std::vector<Problem> found = lint(policy);
  out.insert(out.end(), builder.remarks().begin(), builder.remarks().end());
  out.insert(out.end(), found.begin(), found.end());
  return out;
}

}  // namespace spinneret::policy
