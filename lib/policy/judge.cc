// SPDX-License-Identifier: Apache-2.0
#include "policy/judge.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/number.h"
#include "policy/trap.h"
#include "url/escapes.h"
#include "url/normalize.h"
#include "url/public_suffix.h"

namespace spinneret::policy {
namespace {

// A number too large to be parsed counts as UINT64_MAX.
std::uint64_t count_of(std::string_view text) {
  if (const auto count = parse_unsigned(text)) return *count;
  return is_digits(text) ? UINT64_MAX : 0;
}
std::uint64_t depth_of(const Facts& facts) { return count_of(facts.depth); }

}  // namespace

Judge::Judge(const Policy& policy, std::int64_t now_ms, Moment moment)
    : policy_(policy), today_(calendar_today(now_ms)), moment_(moment) {}

void Judge::leave_out(std::uint32_t line) {
  left_out_.resize(policy_.lines.size());
  left_out_[line] = true;
  host_known_ = false;  // its settings may have changed
  settled_sections_.clear();
}

void Judge::count_all() {
  counting_ = true;
  counts_.assign(policy_.lines.size(), {});
}

// --- refusing ------------------------------------------------------------------------------------

Judge::Next Judge::refuse(Reason reason, std::uint32_t line, std::uint32_t value) {
  if (reason != Reason::kNotAllowed) hit(line);  // here `line` did not match
  if (verdict_.accepted) {
    verdict_.accepted = false;
    verdict_.reason = reason;
    verdict_.line = line;
    verdict_.value = value;
  }
  return counting_ ? Next::kGoOn : Next::kStop;
}

// Hosts have no escapes, or none that could be undone.
const Url& Judge::safe_form(const Url& url) {
  if (!has_needless_escapes(url.href_without_fragment())) return url;
  safe_ = url;
  make_safe(safe_);
  return safe_;
}

// --- the stages ----------------------------------------------------------------------------------

void Judge::begin(const Url& url) {
  verdict_ = {};
  matched_.clear();
  tags_.clear();
  hits_.clear();
  enter_host(url.host());
}

const Verdict& Judge::judge(const Url& url, const Facts& facts) {
  begin(url);
  const Url& safe = safe_form(url);
  const bool changes = rewrite(safe);
  verdict_.rewritten = changes && moment_ == Moment::kFound;
  judge_stages(changes ? rewritten_ : safe, facts);
  if (counting_) count();
  return verdict_;
}

void Judge::judge_stages(const Url& url, const Facts& facts) {
  const std::string_view href = url.href_without_fragment();
  if (is_seed(facts)) {
    try_rules(url, href, facts);
    if (is_unselected()) verdict_ = {};
    return;
  }
  LimitTarget target(url,
                     {depth_of(facts), count_of(facts.redirects), facts.purpose == Purpose::kPage},
                     today_, parts_);
  if (try_limits(limits_ahead_, target) == Next::kStop) return;
  const Next next = try_rules(url, href, facts);
  const bool forgiven = facts.purpose != Purpose::kPage && is_unselected();
  if (forgiven) {
    const bool rewritten = verdict_.rewritten;
    verdict_ = {};
    verdict_.rewritten = rewritten;
  }
  if (next == Next::kStop && !forgiven) return;
  if (try_scope(url, href, facts) == Next::kStop || try_query(url) == Next::kStop ||
      try_limits(limits_behind_, target) == Next::kStop) {
    return;
  }
  // Only a URL that would pass is booked, even where all tests are counted.
  if (verdict_.accepted && moment_ == Moment::kFound && facts.purpose != Purpose::kSitemap) {
    try_budget(url, href);
  }
}

// Returns whether the URL was refused because no rule allows it: such rules select the links to
// follow.
bool Judge::is_unselected() const {
  return verdict_.reason == Reason::kNotAllowed || verdict_.reason == Reason::kDefault;
}

bool Judge::is_seed(const Facts& facts) const {
  return moment_ == Moment::kFetch && depth_of(facts) == 0;
}

Purpose purpose_of(std::string_view word) {
  if (word == "sitemap") return Purpose::kSitemap;
  return word == "requisite" || word == "check" || word == "ids" ? Purpose::kOther : Purpose::kPage;
}

Judge::Next Judge::try_scope(const Url& url, std::string_view href, const Facts& facts) {
  if (facts.elsewhere) return refuse(Reason::kSitemapElsewhere, policy_.scope_line);
  if (policy_.scope.kind() == ScopeKind::kAny || is_left_out(policy_.scope_line) ||
      facts.in_scope || facts.purpose != Purpose::kPage) {
    return Next::kGoOn;
  }
  const bool by_seeds = policy_.scope.has_seeds();
  if (by_seeds && policy_.scope.contains(url)) return Next::kGoOn;
  if (by_seeds && !settings_.active(Setting::kMaxOffsiteHops)) {
    return refuse(Reason::kOutOfScope, policy_.scope_line);
  }
  // The distance of a page from the site is known from its link alone.
  if (facts.via.empty() && by_seeds && moment_ == Moment::kFetch) return Next::kGoOn;
  if (facts.via.empty()) {
    return by_seeds ? refuse(Reason::kOutOfScope, policy_.scope_line) : Next::kGoOn;
  }
  parse_via(facts.via);
  if (!by_seeds) {
    if (via_good_ && Scope::related(policy_.scope.kind(), via_, url)) return Next::kGoOn;
    return refuse(Reason::kOutOfScope, policy_.scope_line);
  }
  const Settings::Value& most = settings_[Setting::kMaxOffsiteHops];
  const bool from_home = via_good_ && policy_.scope.contains(via_);
  const std::uint32_t before =
      from_home || !via_good_ ? 0 : offsite_.of(via_.href_without_fragment());
  // A page off the site whose distance is not known (its link was seen by an earlier run) counts as
  // being at the limit.
  if (!from_home && before == 0) return refuse(Reason::kTooFarOffsite, most.line);
  if (before + 1 > most.value) return refuse(Reason::kTooFarOffsite, most.line, before + 1);
  // (The distance of a page at the limit is never asked for again.)
  if (offsite_.set(href, before + 1)) verdict_.booked = before + 1 < most.value;
  return Next::kGoOn;
}

// --- rewriting -----------------------------------------------------------------------------------

// Removes what must be removed from the URL before any other test. Returns false where nothing is
// removed.
bool Judge::rewrite(const Url& url) {
  std::string_view path = url.path();
  std::string_view query = url.query();
  const bool session = strip_session(url, path, query);
  verdict_.session_stripped = session;
  // An empty query counts as a query, as for `query none`; a query left empty by a session id is
  // removed.
  const bool has_query = session ? !query.empty() : url.has_query();
  const bool parameters = has_query && strip_parameters(path, query);
  if (!session && !parameters) return false;
  std::string whole(url.href().substr(0, url.offsets().path_begin));
  whole += path;
  if (!query.empty()) {
    whole += '?';
    whole += query;
  }
  if (url.has_fragment()) {
    whole += '#';
    whole += url.fragment();
  }
  return parse(whole, rewritten_);
}

// Returns true where `path` and `query` are now views of the URL without its session id. URLs of
// other schemes have no session ids, and once a segment is removed their paths may begin with what
// would be a host: "x:/(S(1))//h/".
bool Judge::strip_session(const Url& url, std::string_view& path, std::string_view& query) {
  const Settings::Value& session = settings_[Setting::kTrapSession];
  if (!session.active() || session.value != kSessionStrip || !url.is_special() ||
      !strip_session_ids(path, query, stripped_path_, stripped_query_)) {
    return false;
  }
  hit(session.line);
  path = stripped_path_;
  query = stripped_query_;
  return true;
}

// Returns true where `query` is now a view of what query-parameters strip, or query strip, leave of
// it.
bool Judge::strip_parameters(std::string_view path, std::string_view& query) {
  std::uint32_t line = 0;
  auto answer = QueryPolicy::Answer::kNoRule;
  for (auto section = sections_.rbegin();
       section != sections_.rend() && answer == QueryPolicy::Answer::kNoRule; ++section) {
    const QueryPolicy& policy = *policy_.sections[*section].rules->query_policy;
    if (!policy.empty()) answer = policy.judge(path, query, line, scratch_);
  }
  if (answer == QueryPolicy::Answer::kStrip) {
    query = scratch_;
    hit(line);
    return true;
  }
  const Settings::Value& rule = settings_[Setting::kQuery];
  if (answer != QueryPolicy::Answer::kNoRule || !rule.active() || rule.value != kQueryStrip) {
    return false;
  }
  query = {};
  hit(rule.line);
  return true;
}

// --- reporting -----------------------------------------------------------------------------------

// A line that several tests use, such as `traps default`, counts a URL once.
void Judge::count() {
  hits_.insert(hits_.end(), matched_.begin(), matched_.end());
  std::sort(hits_.begin(), hits_.end());
  hits_.erase(std::unique(hits_.begin(), hits_.end()), hits_.end());
  for (const std::uint32_t line : hits_) ++counts_[line].matched;
  if (verdict_.line != kNoLine) ++counts_[verdict_.line].decided;
}

}  // namespace spinneret::policy
