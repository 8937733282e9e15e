// SPDX-License-Identifier: Apache-2.0
// The rules of one section, arranged so that the rules that match a URL are found in one pass: hash
// tables for hosts, schemes, extensions and lists, and one PatternSet for each part of the URL.
//
// Filled by the builder; afterwards immutable and thread-safe.
#ifndef SPINNERET_POLICY_RULE_SET_H_
#define SPINNERET_POLICY_RULE_SET_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/host_table.h"
#include "policy/key_list.h"
#include "policy/line.h"
#include "policy/link_rules.h"
#include "policy/pattern_set.h"
#include "policy/query_policy.h"
#include "policy/settings.h"
#include "policy/text_hash.h"
#include "url/parse.h"

namespace spinneret::policy {

// A value that most sections do not have: takes 8 bytes until it is made.
template <typename T>
class Rarely {
 public:
  const T& operator*() const { return value_ == nullptr ? none() : *value_; }
  const T* operator->() const { return &**this; }
  bool is_made() const { return value_ != nullptr; }
  T& make() {
    if (value_ == nullptr) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  static const T& none() {
    static const T kNone{};
    return kNone;
  }
  std::unique_ptr<T> value_;
};

struct RuleSet {
  using Ids = std::vector<std::uint32_t>;
  struct ListRule {
    KeyList keys;
    std::uint32_t line;
  };
  struct PatternBudget {
    std::uint32_t limit;
    std::uint32_t line;
    std::uint32_t pattern;  // the same text has the same number in all sections
  };

  // Words and their lines.
  using Words = std::vector<std::pair<std::string, std::uint32_t>>;
  struct FirstAllow {
    FirstAllow() { lines.fill(kNoLine); }
    std::array<std::uint32_t, kPartCount> lines;
  };
  struct PatternBudgets {
    PatternSet patterns;  // ids are indexes into `list`
    std::vector<PatternBudget> list;
  };

  Rarely<Words> schemes;
  Rarely<HostTable> hosts;
  PatternSet patterns;  // on the whole URL, the path (Field::kFirst), the query (kSecond)
  using Extensions = std::unordered_map<std::string, Ids, TextHash, std::equal_to<>>;
  Rarely<Extensions> extensions;  // "-" stands for no extension
  Rarely<Words> types;
  Rarely<std::vector<ListRule>> lists;
  std::unique_ptr<LinkRules> links;  // nullptr: none, as in most sections
  Rarely<FirstAllow> first_allow;    // the first allow line of each part, or kNoLine
  Rarely<QueryPolicy> query_policy;
  Rarely<PatternBudgets> budgets;

  bool has_allow() const;
  void compile();

  // Append the lines that match the host, and those that match other parts of the URL, in no
  // particular order and perhaps more than once.
  void match_host(std::string_view host, Ids& ids) const { hosts->find(host, ids); }
  void match_url(const Url& url, std::string_view href, Ids& ids) const;
  // Appends the lines that match a media type, "text/html".
  void match_type(std::string_view type, Ids& ids) const;
};

// One section of a policy, or the rules for all hosts. A section with one setting and no rule takes
// some 70 bytes.
struct Section {
  SectionSettings settings;
  Rarely<RuleSet> rules;
};

// Returns whether `type` ("Text/HTML; charset=x") is the media type `pattern`: "text/html",
// "image/*", "*".
bool is_media_type(std::string_view type, std::string_view pattern);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_RULE_SET_H_
