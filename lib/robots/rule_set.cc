// SPDX-License-Identifier: Apache-2.0
#include "robots/rule_set.h"

#include <algorithm>

#include "base/ascii.h"
#include "robots/contents.h"
#include "robots/pattern.h"
#include "robots/robots_file.h"
#include "robots/wildcard.h"

namespace spinneret::robots {
namespace {

constexpr std::string_view kRobotsPath = "/robots.txt";

// Turns "/dir/index.html" into "/dir/$", which google/robotstxt adds for an Allow; returns "" for
// other paths.
std::string google_directory(std::string_view pattern) {
  const std::size_t slash = pattern.rfind('/');
  if (slash == std::string_view::npos || !pattern.substr(slash).starts_with("/index.htm"))
    return {};
  return std::string(pattern.substr(0, slash + 1)) + '$';
}

}  // namespace

class RuleCollector {
 public:
  explicit RuleCollector(const RuleOptions& options) : options_(options) {}

  RuleSet collect(const RobotsContents& contents, const RobotsSelection& selection) {
    out_.mode_ = options_.mode;
    out_.own_group_ = selection.own;
    out_.has_group_ = !selection.places.empty();
    each_record(contents, selection, options_.mode == RobotsMode::k1994,
                [this](const RobotsRecord& record) {
                  is_rule(record.key) ? add_rule(record) : out_.timetable_.take(record);
                });
    rank();
    out_.bytes_.shrink_to_fit();
    out_.rules_.shrink_to_fit();
    std::vector<PatternSpan> patterns;
    patterns.reserve(out_.rules_.size());
    for (const Rule& rule : out_.rules_) patterns.push_back({rule.pattern, rule.pattern_size});
    out_.matcher_.build(out_.bytes_, patterns, options_.mode == RobotsMode::k1994);
    return std::move(out_);
  }

 private:
  void add_rule(const RobotsRecord& line) {
    Rule rule;
    rule.line = line.line;
    rule.allow = line.key == RobotsKey::kAllow;
    std::string& bytes = out_.bytes_;
    rule.pattern = static_cast<std::uint32_t>(bytes.size());
    append_comparable_pattern(bytes, line.value, options_.mode);
    rule.pattern_size = static_cast<std::uint32_t>(bytes.size()) - rule.pattern;
    rule.value = rule.pattern;
    rule.value_size = static_cast<std::uint32_t>(line.value.size()) & 0x7FFFFFFF;
    if (out_.pattern(rule) != line.value) {
      rule.value = static_cast<std::uint32_t>(bytes.size());
      bytes += line.value;
    }
    out_.rules_.push_back(rule);
    if (options_.mode == RobotsMode::kGoogle && rule.allow) add_google_directory(rule);
  }

  void add_google_directory(Rule rule) {
    const std::string pattern = google_directory(out_.pattern(rule));
    if (pattern.empty()) return;
    rule.pattern = static_cast<std::uint32_t>(out_.bytes_.size());
    rule.pattern_size = static_cast<std::uint32_t>(pattern.size());
    out_.bytes_ += pattern;
    out_.rules_.push_back(rule);
  }

  // RFC 9309, section 2.2.2: the rule with the most octets wins, and of two equal ones Allow. In
  // the 1994 standard the first line wins.
  void rank() {
    if (options_.mode == RobotsMode::k1994) return;
    std::stable_sort(out_.rules_.begin(), out_.rules_.end(), [](const Rule& a, const Rule& b) {
      if (a.pattern_size != b.pattern_size) return a.pattern_size > b.pattern_size;
      return a.allow > b.allow;
    });
  }

  RuleOptions options_;
  RuleSet out_;
};

RuleSet RuleSet::compile(std::string_view bytes, std::string_view agent,
                         const RuleOptions& options) {
  return RobotsFile(bytes, options).rules(agent)->rules;
}

RuleSet RuleSet::compile(const RobotsContents& contents, const RobotsSelection& selection,
                         const RuleOptions& options) {
  return RuleCollector(options).collect(contents, selection);
}

std::string RuleSet::text(const Rule& rule) const {
  return std::string(to_string(rule.allow ? RobotsKey::kAllow : RobotsKey::kDisallow)) + ": " +
         std::string(value(rule));
}

bool RuleSet::matches(const Rule& rule, std::string_view path) const {
  const std::string_view own = pattern(rule);
  return mode_ == RobotsMode::k1994 ? path.starts_with(own) : slow_pattern_match(own, path);
}

// An empty pattern matches everything and forbids nothing (RFC 9309, section 2.2; "Disallow:").
Verdict RuleSet::check_slowly(std::string_view path) const {
  if (mode_ != RobotsMode::kGoogle && path == kRobotsPath) return {};
  for (const Rule& rule : rules_) {
    if (matches(rule, path)) return {rule.allow != 0 || rule.pattern_size == 0, &rule};
  }
  return {};
}

std::vector<const Rule*> RuleSet::matching(std::string_view path) const {
  std::vector<const Rule*> out;
  for (const Rule& rule : rules_) {
    const std::string_view own = pattern(rule);
    const bool fits = mode_ == RobotsMode::k1994 ? path.starts_with(own) : match_pattern(own, path);
    if (fits) out.push_back(&rule);
  }
  return out;
}

Verdict RuleSet::check(std::string_view path) const {
  if (mode_ != RobotsMode::kGoogle && path == kRobotsPath) return {};
  const std::uint32_t rank = matcher_.find(bytes_, path);
  if (rank == Matcher::kNone) return {};
  const Rule& rule = rules_[rank];
  return {rule.allow != 0 || rule.pattern_size == 0, &rule};
}

std::size_t RuleSet::memory() const {
  return sizeof *this + bytes_.capacity() + rules_.capacity() * sizeof(Rule) + matcher_.memory() +
         timetable_.memory();
}

}  // namespace spinneret::robots
