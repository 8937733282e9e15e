// SPDX-License-Identifier: Apache-2.0
// Applies a Policy to URLs one after the other, and keeps the state that this changes: budgets
// spent, hops off the site, counts. The tests run in this order, and the first that refuses is the
// reason:
//
//   rewriting (session ids, stripped parameters), depth, lengths, allow and deny rules, scope,
//   query, traps, budgets
//
// All tests use the safe form of the URL (url/normalize.h), so that no needless escape gets around
// a rule: "/%70rivate/" is "/private/". All tests after rewriting use the rewritten URL, so that a
// URL which passed once passes again.
//
//   Judge judge(policy, clock.unix_ms());
//   const Verdict& verdict = judge.judge(url, facts);
//   if (!verdict.accepted) report(judge.explain());
//
// A page is judged twice: when it is found, and again, by the policy of that moment, right before
// it is fetched (Moment::kFetch). The second time it is not rewritten, since it is known by its
// URL, and not booked, since that was done the first time. A seed can only be refused by deny rules
// then, since all other rules choose which links to follow.
//
// Not thread-safe. Borrows the policy. The same URLs in the same order give the same verdicts.
#ifndef SPINNERET_POLICY_JUDGE_H_
#define SPINNERET_POLICY_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/budget.h"
#include "policy/limits.h"
#include "policy/policy.h"
#include "url/parse.h"

namespace spinneret::policy {

// Why a URL is requested: a page for its own sake, a sitemap for the pages that it lists, and
// anything else (kOther) as a part of a page, or only to be checked. Scope, depth and allow rules
// apply to pages, budgets to everything but sitemaps.
enum class Purpose : std::uint8_t { kPage, kSitemap, kOther };

// Returns the purpose that a word of a record's field means; any unknown word means a page.
Purpose purpose_of(std::string_view word);

// What is known about a URL besides itself: the fields of its record, raw.
struct Facts {
  std::string_view depth = {};      // number of links from a seed; empty: 0
  std::string_view redirects = {};  // number of redirects in a row that led here; empty: 0
  std::string_view via = {};        // the page on which the URL was found
  std::string_view type = {};       // the media type, for results
  bool in_scope = false;            // the caller knows that the URL is in scope: skip that test
  bool elsewhere = false;           // the caller refuses this sitemap because of its host
  Purpose purpose = Purpose::kPage;
  // What the record says about the link (rel, tag, text) and the address of the connection;
  // nullopt: the record says nothing.
  std::optional<std::string_view> rel = {};
  std::optional<std::string_view> tag = {};
  std::optional<std::string_view> text = {};  // unescaped
  std::optional<std::string_view> ip = {};
};

enum class Moment : std::uint8_t { kFound, kFetch };

// Why a URL was accepted or refused. explain.cc has the wording.
enum class Reason : std::uint8_t {
  kNone,        // accepted, by no rule in particular
  kAllowed,     // accepted: `line` allows it
  kDenied,      // `line` denies it
  kNotAllowed,  // `line` is the first allow rule for a part, and no allow rule for it matches
  kDefault,     // `default deny`
  kOutOfScope,
  kTooFarOffsite,
  kSitemapElsewhere,
  kLimit,  // a limit or trap, given by `limit`
  kHasQuery,
  kParameter,  // no query-parameters line allows its parameters
  kBudget,
};

struct Verdict {
  bool accepted = true;
  Reason reason = Reason::kNone;
  std::uint32_t line = kNoLine;  // index into the policy's lines; kNoLine: no line is the reason
  std::uint32_t value = 0;       // the length or count that was too much
  const Limit* limit = nullptr;  // with Reason::kLimit
  bool newly_spent = false;  // this is the first URL that a budget of this line does not pay for
  bool rewritten = false;    // the caller must go on with Judge::rewritten()
  bool session_stripped = false;  // the URL lost a session id, or would lose one
  // The accepted URL was booked on a budget that the policy names, or its distance from the site
  // was recorded: a Judge that continues from here must first judge this URL, with its `via`.
  // (Counts of traps are not worth that.)
  bool booked = false;
};

class Judge {
 public:
  // `now_ms` is today for the calendar trap.
  Judge(const Policy& policy, std::int64_t now_ms, Moment moment = Moment::kFound);

  // Returns the verdict, which is valid until the next call.
  const Verdict& judge(const Url& url, const Facts& facts);

  // Judges a fetched page by what only its answer tells, `type` and `ip`, with the host's rules on
  // types and addresses.
  const Verdict& judge_result(const Url& url, const Facts& facts);

  const Verdict& verdict() const { return verdict_; }
  const Url& rewritten() const { return rewritten_; }
  // With Moment::kFetch: returns the media types that the host of the last URL may answer with, as
  // a list for fetch(1): patterns between commas, of which the first that matches decides, and
  // "!image/*" refuses. Empty: any type. Valid until the next call.
  const std::string& types() const { return types_; }
  // Returns the lines of the tag rules that match the accepted URL, ascending.
  const std::vector<std::uint32_t>& tags() const { return tags_; }
  // Returns the last verdict in words: "denied by a rule", "its 1300 bytes are too many".
  std::string explain() const;
  // Returns what refused the URL, as one word to count by: the part that a rule is about ("path"),
  // "scope", "depth", "limit", "query", "trap", "budget", "default". The text is static; it is
  // empty where the URL was accepted.
  std::string_view refusal_class() const;

  // From now on applies and counts every rule for every URL.
  void count_all();

  // From now on ignores the line: its rule matches nothing, its setting is not set. For
  // query-parameters, and for settings that a section has twice, only a policy built without the
  // lines tells what the other lines then mean.
  void leave_out(std::uint32_t line);
  bool is_left_out(std::uint32_t line) const {
    return !left_out_.empty() && line != kNoLine && left_out_[line];
  }
  struct Count {
    std::uint64_t matched = 0;  // number of URLs that the line applied to
    std::uint64_t decided = 0;  // number of URLs whose verdict the line gave
  };
  // Counts, indexed by line; empty without count_all().
  const std::vector<Count>& counts() const { return counts_; }

 private:
  const Url& safe_form(const Url& url);
  // Resets the last verdict, and looks up what applies to this URL's host.
  void begin(const Url& url);
  void enter_host(std::string_view host);
  void settle_sections();
  void list_wanted_allows();
  bool rewrite(const Url& url);
  bool strip_session(const Url& url, std::string_view& path, std::string_view& query);
  bool strip_parameters(std::string_view path, std::string_view& query);
  // Whether to go on with the other tests after one has refused; that is done only where all are
  // counted.
  enum class Next : std::uint8_t { kGoOn, kStop };
  Next refuse(Reason reason, std::uint32_t line, std::uint32_t value = 0);
  struct SetLimit {
    const Limit* limit;
    Settings::Value setting;
  };
  using SetLimits = std::vector<SetLimit>;
  void judge_stages(const Url& url, const Facts& facts);
  Next try_limits(const SetLimits& limits, LimitTarget& target);
  bool is_seed(const Facts& facts) const;
  bool is_unselected() const;
  Next try_rules(const Url& url, std::string_view href, const Facts& facts);
  void sort_matched();
  void list_types();
  void match_link(const Facts& facts);
  void set_link_facts(const Facts& facts, LinkFacts& out);
  bool parse_via(std::string_view via);
  // Applies the rules about `known` parts, and the default with `with_default`.
  Next weigh_rules(Parts known, bool with_default);
  Next weigh_by_order(Parts known, bool with_default);
  Next weigh_option_allows();
  Next weigh_deny_allow(Parts known, bool with_default);
  bool may_yet_be_allowed(Parts known) const;
  Next try_scope(const Url& url, std::string_view href, const Facts& facts);
  Next try_query(const Url& url);
  void try_budget(const Url& url, std::string_view href);
  void add_pattern_accounts(std::string_view href);
  void hit(std::uint32_t line) {
    if (counting_ && line != kNoLine) hits_.push_back(line);
  }
  void count();
  bool denies_by_default() const {
    return policy_.default_deny && !is_left_out(policy_.default_line);
  }

  const Policy& policy_;
  CalendarLimits today_;
  Moment moment_;
  Verdict verdict_;
  Url safe_;  // the URL's safe form, if it was written otherwise
  Url rewritten_;
  Url userless_;
  std::string scratch_;
  std::string stripped_path_;
  std::string stripped_query_;
  std::vector<std::uint32_t> matched_;
  std::vector<std::uint32_t> tags_;
  std::vector<std::string_view> parts_;  // the segments of a path
  std::vector<Budgets::Account> accounts_;
  std::vector<std::uint32_t> budget_matched_;
  // The budgets whose patterns the URL matches.
  std::vector<std::uint32_t> budget_patterns_;

  // What applies to the host of the last URL is kept, since most streams stay with one host for a
  // while.
  std::string host_;
  bool host_known_ = false;
  std::vector<std::uint32_t> sections_;  // [0] is 0; the others grow in specificity
  // The sections for which the following was computed.
  std::vector<std::uint32_t> settled_sections_;
  std::vector<std::uint32_t> host_matched_;  // lines that match the host
  Settings settings_;
  // The limits that settings_ set, in order.
  SetLimits limits_ahead_;
  SetLimits limits_behind_;
  bool any_allow_ = false;  // some allow rule applies to the host
  // The first allow rule for each part and section.
  std::vector<std::pair<Part, std::uint32_t>> wanted_allows_;
  // The parts that the host's rules are about.
  Parts link_parts_ = 0;
  std::optional<IpAddress> host_ip_;  // set where the host is an address
  std::vector<IpAddress> addresses_;
  std::string types_;

  std::string via_text_;
  Url via_;
  bool via_good_ = false;

  Budgets budgets_;
  KeySet spent_lines_;  // lines of budgets that have refused, by hash
  OffsiteHops offsite_;
  std::vector<bool> left_out_;  // by line; empty: no line is left out
  bool counting_ = false;
  std::vector<Count> counts_;
  std::vector<std::uint32_t>
      hits_;  // lines that applied to the URL besides matched_; may be repeated
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_JUDGE_H_
