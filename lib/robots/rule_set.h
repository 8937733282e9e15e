// SPDX-License-Identifier: Apache-2.0
// The rules of one robots.txt for one agent, compiled once and queried many times.
//
//   const RuleSet rules = RuleSet::compile(bytes, "examplebot");
//   std::string storage;
//   Verdict verdict = rules.check(comparable_path(url.path_and_query(), rules.mode(), storage));
//   if (!verdict.allowed) explain(rules.text(*verdict.rule), verdict.rule->line);
//
// Immutable; const use is thread-safe. A RuleSet owns its bytes. Any input is accepted: a file
// without rules for the agent allows everything.
#ifndef SPINNERET_ROBOTS_RULE_SET_H_
#define SPINNERET_ROBOTS_RULE_SET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "robots/matcher.h"
#include "robots/parse.h"
#include "robots/selection.h"
#include "robots/text.h"
#include "robots/timetable.h"

namespace spinneret::robots {

struct RuleOptions {
  RobotsMode mode = RobotsMode::kRfc;
  bool strict_token = false;                  // product tokens have no digits
  std::size_t size_limit = kRobotsSizeLimit;  // see robots_text
};

struct Rule {
  std::uint32_t line = 0;     // line of the file, from 1
  std::uint32_t pattern = 0;  // the place of its comparable form
  std::uint32_t pattern_size = 0;
  std::uint32_t value = 0;  // the place of the text in the file
  std::uint32_t value_size : 31 = 0;
  std::uint32_t allow : 1 = 0;
};

struct Verdict {
  bool allowed = true;
  // The rule that decided; nullptr where no rule matches, or the path is /robots.txt itself.
  const Rule* rule = nullptr;
};

class RuleSet {
 public:
  RuleSet() = default;  // allows everything
  // Compiles the rules for one agent of a file that is read for no other agent. See RobotsFile for
  // more agents.
  static RuleSet compile(std::string_view bytes, std::string_view agent,
                         const RuleOptions& options = {});
  static RuleSet compile(const RobotsContents& contents, const RobotsSelection& selection,
                         const RuleOptions& options);

  // Decides about `path`, which comes from comparable_path.
  Verdict check(std::string_view path) const;
  // Gives the same answer by trying every rule in turn.
  Verdict check_slowly(std::string_view path) const;

  // Returns all rules that match; the one that decides comes first. Linear in rules and path.
  std::vector<const Rule*> matching(std::string_view path) const;

  RobotsMode mode() const { return mode_; }
  // Returns the rules in rank order: the first one that matches decides.
  const std::vector<Rule>& rules() const { return rules_; }
  std::string_view pattern(const Rule& rule) const { return view(rule.pattern, rule.pattern_size); }
  // Returns "/private/", as the file has it.
  std::string_view value(const Rule& rule) const { return view(rule.value, rule.value_size); }
  // Returns "Disallow: /private/".
  std::string text(const Rule& rule) const;

  // Returns whether the file has a group for the agent itself; otherwise the rules are those of
  // "*".
  bool is_own_group() const { return own_group_; }
  // Returns whether there is any group that counts.
  bool has_group() const { return has_group_; }
  const Timetable& timetable() const { return timetable_; }

  std::size_t memory() const;  // bytes held, including this object

 private:
  friend class RuleCollector;
  std::string_view view(std::uint32_t at, std::uint32_t size) const {
    return std::string_view(bytes_).substr(at, size);
  }
  bool matches(const Rule& rule, std::string_view path) const;

  RobotsMode mode_ = RobotsMode::kRfc;
  bool own_group_ = false;
  bool has_group_ = false;
  Timetable timetable_;
  std::string bytes_;
  std::vector<Rule> rules_;
  Matcher matcher_;
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_RULE_SET_H_
