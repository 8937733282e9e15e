// SPDX-License-Identifier: Apache-2.0
// The lines of a policy. Every verdict, count and lint remark refers to a line by its index.
#ifndef SPINNERET_POLICY_LINE_H_
#define SPINNERET_POLICY_LINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/directive.h"
#include "policy/host_table.h"

namespace spinneret::policy {

inline constexpr std::uint32_t kNoLine = UINT32_MAX;

enum class Verb : std::uint8_t { kSetting, kAllow, kDeny, kTag };

// The part of a URL that a rule is about. Allow rules for the same part are alternatives; a URL
// must satisfy one of them for each part that has any.
enum class Part : std::uint8_t {
  kScheme,
  kHost,
  kUrl,
  kPath,
  kQuery,
  kExtension,
  kType,
  kRel,  // from here on: policy/link_rules.h
  kTag,
  kVia,
  kText,
  kAddress,
  kCount,
};
inline constexpr std::size_t kPartCount = static_cast<std::size_t>(Part::kCount);

// A set of parts.
using Parts = std::uint32_t;
constexpr Parts bit(Part part) { return Parts{1} << static_cast<unsigned>(part); }

// How a rule says what it matches; one part may have several kinds.
enum class RuleKind : std::uint8_t {
  kScheme,
  kHost,
  kDomain,
  kSite,
  kUrl,
  kPath,
  kQuery,
  kPrefix,
  kExtension,
  kType,
  kList,
  kDomainList,
  kRel,
  kTag,
  kVia,
  kText,
  kAddress,
};

struct RuleName {
  Verb verb;
  RuleKind kind;
  Part part;
};
// Parses "deny-path"; nothing where the directive is not a rule.
std::optional<RuleName> find_rule_name(std::string_view name);
// Returns the names of all rules.
std::vector<std::string> rule_names();

struct Line {
  Verb verb = Verb::kSetting;
  Part part = Part::kUrl;
  bool tests : 1 = true;  // false: it only prepares something (seeds, order)
  bool mark : 1 = false;  // `action mark` was in force
  // The line stands for an option with a name, such as --exclude, and applies whatever the order
  // is.
  bool of_option : 1 = false;
  std::uint32_t section = 0;  // 0: all hosts
};

// Takes some 24 bytes a line and its text, since a policy may have a section for each of a million
// hosts.
class Lines {
 public:
  using Tags = std::vector<std::pair<std::string, std::string>>;

  // Adds a line and returns its index.
  std::uint32_t add(const Line& line, const Place& place, std::string_view text);
  void set_tags(std::uint32_t line, Tags tags) { tags_[line] = std::move(tags); }

  std::size_t size() const { return lines_.size(); }
  const Line& operator[](std::size_t line) const { return lines_[line]; }
  Line& operator[](std::size_t line) { return lines_[line]; }
  auto begin() const { return lines_.begin(); }
  auto end() const { return lines_.end(); }

  Place place(std::uint32_t line) const;
  std::string_view text(std::uint32_t line) const;
  // For Verb::kTag: returns the fields to set.
  const Tags& tags(std::uint32_t line) const;

 private:
  struct Source {
    std::uint32_t file;  // index into files_
    std::uint32_t number;
    std::size_t text;  // its start in texts_, where the text of the line before ends
  };

  std::vector<Line> lines_;
  std::vector<Source> sources_;
  std::vector<std::string> files_;
  std::string texts_;
  std::unordered_map<std::uint32_t, Tags> tags_;
};

// A line as it was understood, for lint (policy/lint.h). Kept if PolicyBuilder::keep_words() was
// called.
struct LineWords {
  std::string name;
  std::optional<RuleName> rule;        // empty for a setting
  std::vector<std::string> arguments;  // those of a tag rule are without the fields to set
  std::vector<HostPattern> hosts;      // of a rule on hosts: each argument's pattern, if it has one
  std::vector<std::string> ends;       // of a rule on extensions: "gif", "tar.gz"
  bool is_of_seeds = false;
  std::string url_pattern = {};  // of a budget for URLs that match a pattern
  std::string path = {};         // of query-parameters: "/a", "/a/*"
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LINE_H_
