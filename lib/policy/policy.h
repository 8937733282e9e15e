// SPDX-License-Identifier: Apache-2.0
// A compiled crawl policy: which URLs may be crawled and, if one may not, which line of which file
// forbids it.
//
//   PolicyBuilder builder;                      // policy/builder.h
//   builder.add_file("site.policy");
//   const Policy policy = builder.build();      // builder.problems() says what was wrong
//   Judge judge(policy, unix_ms);               // policy/judge.h: keeps what changes (budgets)
//   const Verdict& verdict = judge.judge(url, {});
//
// Immutable, thread-safe, shared by any number of Judges.
#ifndef SPINNERET_POLICY_POLICY_H_
#define SPINNERET_POLICY_POLICY_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "policy/host_table.h"
#include "policy/line.h"
#include "policy/rule_set.h"
#include "policy/scope.h"

namespace spinneret::policy {

// How allow and deny rules that both match a URL are weighed (directive `order`).
enum class Order : std::uint8_t {
  kDenyAllow,   // a deny rule that matches decides; else each part with allow rules must match one
  kAllowDeny,   // an allow rule that matches decides; else a deny rule that does
  kFirstMatch,  // the first allow or deny rule in the file that matches decides
  kLastMatch,   // the last allow or deny rule that matches decides
};

struct Policy {
  Lines lines;  // every directive; elsewhere "the line" is an index into these

  Order order = Order::kDenyAllow;
  std::uint32_t order_line = kNoLine;
  // Whether a URL that no allow or deny rule matches is denied, where the order leaves that open.
  bool default_deny = false;
  std::uint32_t default_line = kNoLine;

  std::vector<std::uint32_t> option_allows;  // allow lines that options stand for

  Scope scope;
  std::uint32_t scope_line = kNoLine;

  SectionSettings default_settings;    // set by `traps default`; any other line overrides them
  std::uint32_t traps_line = kNoLine;  // the line of `traps default`

  // [0] is for all hosts; the others are found by host.
  std::deque<Section> sections;
  HostTable sections_by_host;

  // The fields of a record that the rules need, besides the URL.
  bool needs_depth = false;
  bool needs_via = false;
  bool needs_type = false;
  Parts link_parts = 0;  // the parts of the link and the host that rules are about

  // For lint, if PolicyBuilder::keep_words() was called: words by line, and the start of each
  // section but the first.
  struct SectionBegin {
    Place place;
    std::uint32_t first_line;
    std::vector<HostPattern> hosts;
  };
  std::vector<LineWords> words;
  std::vector<SectionBegin> section_begins;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_POLICY_H_
