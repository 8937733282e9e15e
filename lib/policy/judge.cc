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

// Accounts of different budgets hash apart.
enum AccountKind : std::uint64_t { kTotal = 1, kHost, kDomain, kNumbers, kPattern };

std::uint32_t clamp_count(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

// A number too large for us is large.
std::uint64_t depth_of(const Facts& facts) {
  if (const auto depth = parse_unsigned(facts.depth)) return *depth;
  return is_digits(facts.depth) ? UINT64_MAX : 0;
}

}  // namespace

Judge::Judge(const Policy& policy, std::int64_t now_ms, Moment moment)
    : policy_(policy), today_(calendar_today(now_ms)), moment_(moment) {}

void Judge::count_all() {
  counting_ = true;
  counts_.assign(policy_.lines.size(), {});
}

// --- the host ------------------------------------------------------------------------------------

void Judge::enter_host(std::string_view host) {
  if (host_known_ && host == host_) return;
  host_.assign(host);
  host_known_ = true;
  sections_.assign(1, 0);
  policy_.sections.find(host, sections_);
  // A section may name a host twice; the last place is the most specific one.
  for (std::size_t i = 0; i + 1 < sections_.size();) {
    const auto later = sections_.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (std::find(later, sections_.end(), sections_[i]) != sections_.end()) {
      sections_.erase(later - 1);
    } else {
      ++i;
    }
  }
  host_matched_.clear();
  any_allow_ = false;
  link_parts_ = 0;
  host_ip_.reset();
  settings_ = policy_.rule_sets[0]->settings;
  for (const std::uint32_t section : sections_) {
    const RuleSet& rules = *policy_.rule_sets[section];
    rules.match_host(host, host_matched_);
    if (section != 0) settings_.overlay(rules.settings);
    any_allow_ |= rules.has_allow();
    if (rules.links != nullptr) link_parts_ |= rules.links->parts();
  }
  if (moment_ == Moment::kFetch && policy_.needs_type) list_types();
  if ((link_parts_ & bit(Part::kAddress)) != 0) host_ip_ = parse_ip(host_);
}

// The rules on types in the order in which a reader that takes the first match comes to the verdict of weigh_rules().
void Judge::list_types() {
  std::vector<std::pair<std::uint32_t, std::string_view>> rules;
  for (const std::uint32_t section : sections_) {
    for (const auto& [pattern, line] : policy_.rule_sets[section]->types) {
      if (policy_.lines[line].verb != Verb::kTag) rules.emplace_back(line, pattern);
    }
  }
  const auto verb = [this](const auto& rule) { return policy_.lines[rule.first].verb; };
  const Verb ahead = policy_.order == Order::kAllowDeny ? Verb::kAllow : Verb::kDeny;
  const bool by_verb = policy_.order == Order::kDenyAllow || policy_.order == Order::kAllowDeny;
  std::stable_sort(rules.begin(), rules.end(), [&](const auto& a, const auto& b) {
    if (by_verb) return verb(a) == ahead && verb(b) != ahead;
    return policy_.order == Order::kLastMatch ? a.first > b.first : a.first < b.first;
  });
  types_.clear();
  for (const auto& rule : rules) {
    if (!types_.empty()) types_ += ',';
    if (verb(rule) == Verb::kDeny) types_ += '!';
    types_ += rule.second == "*" ? "*/*" : rule.second;
  }
  // Only under deny-allow is refused what no rule is about.
  if (!types_.empty() && policy_.order != Order::kDenyAllow) types_ += ",*/*";
}

// --- refusing ------------------------------------------------------------------------------------

// True where no further test is needed.
bool Judge::refuse(Reason reason, std::uint32_t line, std::uint32_t value) {
  if (reason != Reason::kNotAllowed) hit(line);  // of which it says that the line did not match
  if (verdict_.accepted) {
    verdict_.accepted = false;
    verdict_.reason = reason;
    verdict_.line = line;
    verdict_.value = value;
  }
  return !counting_;
}

bool Judge::refuse_over(Setting setting, Reason reason, std::uint64_t value) {
  const Settings::Value& limit = settings_[setting];
  if (!limit.active() || value <= limit.value) return false;
  return refuse(reason, limit.line, clamp_count(value));
}

// Hosts have no escapes, or none that could be undone.
const Url& Judge::safe_form(const Url& url) {
  if (!has_needless_escapes(url.href_without_fragment())) return url;
  safe_ = url;
  make_safe(safe_);
  return safe_;
}

// --- the stages ----------------------------------------------------------------------------------

const Verdict& Judge::judge(const Url& url, const Facts& facts) {
  verdict_ = {};
  matched_.clear();
  tags_.clear();
  hits_.clear();
  enter_host(url.host());
  const Url& safe = safe_form(url);
  const bool changes = rewrite(safe);
  verdict_.rewritten = changes && moment_ == Moment::kFound;
  judge_stages(changes ? rewritten_ : safe, facts);
  if (counting_) count();
  return verdict_;
}

void Judge::judge_stages(const Url& url, const Facts& facts) {
  const std::string_view href = url.href_without_fragment();
  segments_ = count_segments(url.path());
  if (is_seed(facts)) {
    refused_by_rules(url, href, facts);
    if (is_unselected()) verdict_ = {};
    return;
  }
  if (refused_by_limits(url, facts)) return;
  const bool refused = refused_by_rules(url, href, facts);
  const bool forgiven = facts.is_requisite && is_unselected();
  if (forgiven) verdict_ = {};
  if (refused && !forgiven) return;
  if (refused_by_scope(url, href, facts) || refused_by_query(url) || refused_by_traps(url, facts)) {
    return;
  }
  // Only what would pass is booked, also where all tests are counted.
  if (verdict_.accepted && moment_ == Moment::kFound) refused_by_budget(url, href);
}

// Refused for want of a rule that allows it: such rules select the links to follow.
bool Judge::is_unselected() const {
  return verdict_.reason == Reason::kNotAllowed || verdict_.reason == Reason::kDefault;
}

bool Judge::is_seed(const Facts& facts) const {
  return moment_ == Moment::kFetch && depth_of(facts) == 0;
}

bool Judge::refused_by_limits(const Url& url, const Facts& facts) {
  if (settings_.active(Setting::kMaxDepth) && !facts.is_requisite &&
      refuse_over(Setting::kMaxDepth, Reason::kTooDeep, depth_of(facts))) {
    return true;
  }
  if (refuse_over(Setting::kMaxUrlLength, Reason::kTooLong, url.href_without_fragment().size())) {
    return true;
  }
  if (settings_.active(Setting::kMaxPathSegments) &&
      refuse_over(Setting::kMaxPathSegments, Reason::kTooManySegments, segments_)) {
    return true;
  }
  if (settings_.active(Setting::kMaxParameters) &&
      refuse_over(Setting::kMaxParameters, Reason::kTooManyParameters,
                  count_parameters(url.query()))) {
    return true;
  }
  return refuse_over(Setting::kMaxQueryLength, Reason::kQueryTooLong, url.query().size());
}

bool Judge::refused_by_rules(const Url& url, std::string_view href, const Facts& facts) {
  matched_ = host_matched_;
  for (const std::uint32_t section : sections_) {
    const RuleSet& rules = *policy_.rule_sets[section];
    rules.match_url(url, href, matched_);
    if (!facts.type.empty()) rules.match_type(facts.type, matched_);
  }
  match_link(facts);
  sort_matched();
  for (const std::uint32_t line : matched_) {
    if (policy_.lines[line].verb == Verb::kTag) tags_.push_back(line);
  }
  return weigh_rules(facts.type.empty() ? ~bit(Part::kType) : ~Parts{0}, true);
}

// True: via_ is the page that the link was found on.
bool Judge::parse_via(std::string_view via) {
  if (via != via_text_) {
    via_text_.assign(via);
    via_good_ = parse(via_text_, via_);
    if (via_good_) make_safe(via_);
  }
  return via_good_;
}

// What a link has not, as most have no rel, is empty; what a page has not, is not known.
void Judge::set_link_facts(const Facts& facts, LinkFacts& out) {
  const auto take = [&out](Part part, const std::optional<std::string_view>& fact, bool is_link,
                           std::string_view& value) {
    if (!fact && !is_link) return;
    out.known |= bit(part);
    value = fact.value_or("");
  };
  const bool is_link = facts.tag.has_value();
  take(Part::kTag, facts.tag, false, out.tag);
  take(Part::kRel, facts.rel, is_link, out.rel);
  take(Part::kText, facts.text, is_link, out.text);
  if (!facts.via.empty()) {
    out.known |= bit(Part::kVia);
    if ((link_parts_ & bit(Part::kVia)) != 0) {
      out.via = parse_via(facts.via) ? via_.href_without_fragment() : facts.via;
    }
  }
  addresses_.clear();
  if (host_ip_) addresses_.push_back(*host_ip_);
  if (const auto ip = facts.ip ? parse_ip(*facts.ip) : std::nullopt) addresses_.push_back(*ip);
  if (!addresses_.empty()) out.known |= bit(Part::kAddress);
  out.addresses = addresses_;
}

void Judge::match_link(const Facts& facts) {
  if (link_parts_ == 0) return;
  LinkFacts link;
  set_link_facts(facts, link);
  for (const std::uint32_t section : sections_) {
    const LinkRules* const rules = policy_.rule_sets[section]->links.get();
    if (rules != nullptr) rules->match(link, matched_);
  }
}

void Judge::sort_matched() {
  if (matched_.size() < 2) return;
  std::sort(matched_.begin(), matched_.end());
  matched_.erase(std::unique(matched_.begin(), matched_.end()), matched_.end());
}

const Verdict& Judge::judge_result(const Url& url, const Facts& facts) {
  verdict_ = {};
  matched_.clear();
  tags_.clear();
  hits_.clear();
  enter_host(url.host());
  for (const std::uint32_t section : sections_) {
    policy_.rule_sets[section]->match_type(facts.type, matched_);
  }
  match_link({.ip = facts.ip});
  const Parts told = (facts.type.empty() ? 0 : bit(Part::kType)) |
                     (facts.ip || host_ip_ ? bit(Part::kAddress) : 0);
  std::erase_if(matched_, [this, told](std::uint32_t line) {
    return (bit(policy_.lines[line].part) & told) == 0;
  });
  sort_matched();
  if (told != 0) weigh_rules(told, false);
  if (counting_) count();
  return verdict_;
}

bool Judge::weigh_rules(Parts known, bool with_default) {
  std::uint32_t decider = kNoLine;
  for (const std::uint32_t line : matched_) {
    const Verb verb = policy_.lines[line].verb;
    if (verb == Verb::kTag) continue;
    if (policy_.order == Order::kDenyAllow && verb != Verb::kDeny) continue;
    const bool first = decider == kNoLine;
    const bool allow_wins = policy_.order == Order::kAllowDeny && verb == Verb::kAllow && !first &&
                            policy_.lines[decider].verb == Verb::kDeny;
    if (first || allow_wins || policy_.order == Order::kLastMatch) decider = line;
  }
  if (policy_.order == Order::kDenyAllow && decider == kNoLine) {
    return weigh_deny_allow(known, with_default);
  }
  if (decider == kNoLine) {
    return with_default && policy_.default_deny && refuse(Reason::kDefault, policy_.default_line);
  }
  if (policy_.lines[decider].verb == Verb::kDeny) return refuse(Reason::kDenied, decider);
  if (!verdict_.accepted) return false;
  verdict_.reason = Reason::kAllowed;
  verdict_.line = decider;
  return false;
}

// No deny rule matched. Each part that has allow rules must match one of them.
bool Judge::weigh_deny_allow(Parts known, bool with_default) {
  if (!any_allow_ && !policy_.default_deny) return false;
  std::uint32_t allowed_by[kPartCount];
  std::fill(std::begin(allowed_by), std::end(allowed_by), kNoLine);
  std::uint32_t first_allowed = kNoLine;
  for (const std::uint32_t line : matched_) {
    if (policy_.lines[line].verb != Verb::kAllow) continue;
    allowed_by[static_cast<std::size_t>(policy_.lines[line].part)] = line;
    if (first_allowed == kNoLine) first_allowed = line;
  }
  for (std::size_t part = 0; part < kPartCount; ++part) {
    // A URL whose type is not known yet may be of any.
    if ((known & bit(static_cast<Part>(part))) == 0) continue;
    if (allowed_by[part] != kNoLine) continue;
    for (const std::uint32_t section : sections_) {
      const std::uint32_t wanted = policy_.rule_sets[section]->first_allow[part];
      if (wanted != kNoLine && refuse(Reason::kNotAllowed, wanted)) return true;
    }
  }
  if (!verdict_.accepted) return false;
  if (first_allowed == kNoLine && policy_.default_deny && with_default) {
    return refuse(Reason::kDefault, policy_.default_line);
  }
  if (first_allowed != kNoLine) {
    verdict_.reason = Reason::kAllowed;
    verdict_.line = first_allowed;
  }
  return false;
}

bool Judge::refused_by_scope(const Url& url, std::string_view href, const Facts& facts) {
  if (policy_.scope.kind() == ScopeKind::kAny || facts.in_scope || facts.is_requisite) return false;
  const bool by_seeds = policy_.scope.has_seeds();
  if (by_seeds && policy_.scope.contains(url)) return false;
  if (by_seeds && !settings_.active(Setting::kMaxOffsiteHops)) {
    return refuse(Reason::kOutOfScope, policy_.scope_line);
  }
  // How far off the site a page is, is known of its link alone.
  if (facts.via.empty() && by_seeds && moment_ == Moment::kFetch) return false;
  if (facts.via.empty()) {
    return by_seeds && refuse(Reason::kOutOfScope, policy_.scope_line);
  }
  parse_via(facts.via);
  if (!by_seeds) {
    if (via_good_ && Scope::related(policy_.scope.kind(), via_, url)) return false;
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
  offsite_.set(href, before + 1);
  return false;
}

bool Judge::refused_by_query(const Url& url) {
  if (!url.has_query()) return false;
  std::uint32_t line = 0;
  for (auto section = sections_.rbegin(); section != sections_.rend(); ++section) {
    const QueryPolicy& policy = policy_.rule_sets[*section]->query_policy;
    if (policy.empty()) continue;
    const auto answer = policy.judge(url.path(), url.query(), line, scratch_);
    if (answer == QueryPolicy::Answer::kNoRule) continue;
    if (answer == QueryPolicy::Answer::kBlocked) return refuse(Reason::kParameter, line);
    hit(line);
    return false;
  }
  const Settings::Value& query = settings_[Setting::kQuery];
  if (!query.active() || query.value != kQueryNone) return false;
  return refuse(Reason::kHasQuery, query.line);
}

bool Judge::refused_by_traps(const Url& url, const Facts& facts) {
  const Settings::Value& session = settings_[Setting::kTrapSession];
  if (session.active() && session.value == kSessionReject && url.is_special() &&
      strip_session_ids(url.path(), url.query(), stripped_path_, stripped_query_) &&
      refuse(Reason::kSessionId, session.line)) {
    return true;
  }
  const Settings::Value& segments = settings_[Setting::kTrapSegments];
  const Settings::Value& repeats = settings_[Setting::kMaxSegmentRepeats];
  if (segments.active() || repeats.active()) {
    // Paths too short for either are not split.
    parts_.clear();
    if ((segments.active() && segments_ >= segments.value) ||
        (repeats.active() && segments_ > repeats.value)) {
      split_segments(url.path(), parts_);
    }
    if (segments.active() && has_repeated_segments(parts_, segments.value) &&
        refuse(Reason::kRepeatedSegments, segments.line, segments.value)) {
      return true;
    }
    if (repeats.active() && parts_.size() > repeats.value &&
        refuse_over(Setting::kMaxSegmentRepeats, Reason::kSegmentRepeats,
                    commonest_segment(parts_))) {
      return true;
    }
  }
  const Settings::Value& keys = settings_[Setting::kTrapKeys];
  if (keys.active() && commonest_key(url.query(), keys.value) >= keys.value &&
      refuse(Reason::kRepeatedKeys, keys.line, keys.value)) {
    return true;
  }
  const Settings::Value& past = settings_[Setting::kTrapCalendarPast];
  const Settings::Value& future = settings_[Setting::kTrapCalendarFuture];
  if (past.active() || future.active()) {
    const UrlDate date = find_date(url.path(), url.query(), today_.year);
    if (is_far_date(date, today_, past.value, future.value) &&
        refuse(Reason::kCalendar, future.active() ? future.line : past.line,
               static_cast<std::uint32_t>(date.year))) {
      return true;
    }
  }
  // One segment or parameter more with every hop, for so many hops: a site grows that way only if it
  // makes its links out of the page's own URL.
  const Settings::Value& growing = settings_[Setting::kTrapGrowing];
  if (!growing.active()) return false;
  const std::uint64_t depth = depth_of(facts);
  if (depth < growing.value) return false;
  const std::size_t parts = segments_ + count_parameters(url.query());
  return parts >= depth && refuse(Reason::kGrowing, growing.line, clamp_count(parts));
}

bool Judge::refused_by_budget(const Url& url, std::string_view href) {
  accounts_.clear();
  const auto add = [&](Setting setting, AccountKind kind, std::string_view key) {
    const Settings::Value& budget = settings_[setting];
    if (budget.active()) accounts_.push_back({hash64(key, kind), budget.value, budget.line});
  };
  add(Setting::kBudgetTotal, kTotal, {});
  add(Setting::kBudgetHost, kHost, host_);
  if (settings_.active(Setting::kBudgetDomain)) {
    add(Setting::kBudgetDomain, kDomain, registrable_domain(host_));
  }
  add_pattern_accounts(href);
  if (settings_.active(Setting::kBudgetNumbers)) {
    scratch_ = host_;
    // A URL without numbers is one of its kind.
    if (append_number_template(scratch_, url.path_and_query())) {
      add(Setting::kBudgetNumbers, kNumbers, scratch_);
    }
  }
  std::uint32_t line = kNoLine;
  if (accounts_.empty() || budgets_.pay(hash64(href), accounts_, line)) return false;
  // Told, since it cuts a site short; once for each line of the policy, as there may be a million hosts.
  const std::uint64_t key = hash64({}, line);
  verdict_.newly_spent = !spent_lines_.contains(key);
  if (verdict_.newly_spent) spent_lines_.insert(key);
  return refuse(Reason::kBudget, line);
}

// The budgets of patterns, the most specific section first: it takes the place of what others say of the same
// pattern, which they then match as well. Two patterns of one line share an account, and a URL pays it once.
void Judge::add_pattern_accounts(std::string_view href) {
  budget_patterns_.clear();
  for (auto section = sections_.rbegin(); section != sections_.rend(); ++section) {
    const RuleSet& rules = *policy_.rule_sets[*section];
    if (rules.budgets.empty()) continue;
    budget_matched_.clear();
    rules.budget_patterns.match(href, budget_matched_);
    for (const std::uint32_t at : budget_matched_) {
      const RuleSet::PatternBudget& budget = rules.budgets[at];
      if (std::find(budget_patterns_.begin(), budget_patterns_.end(), budget.pattern) !=
          budget_patterns_.end()) {
        continue;
      }
      budget_patterns_.push_back(budget.pattern);
      if (budget.limit >= Settings::kOff) continue;
      hit(budget.line);
      const std::uint64_t key = hash64(host_, kPattern + budget.line);
      const bool has_account =
          std::any_of(accounts_.begin(), accounts_.end(),
                      [key](const Budgets::Account& account) { return account.key == key; });
      if (!has_account) accounts_.push_back({key, budget.limit, budget.line});
    }
  }
}

// --- rewriting -----------------------------------------------------------------------------------

// What is taken out of the URL before anything else looks at it. False: nothing.
bool Judge::rewrite(const Url& url) {
  std::string_view path = url.path();
  std::string_view query = url.query();
  const bool session = strip_session(url, path, query);
  // An empty query is one, as `query none` has it; what a session left empty goes by itself.
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

// True: `path` and `query` are now views of the URL without its session id. Other schemes have none, and their
// paths may begin with what would be a host once a segment has gone: "x:/(S(1))//h/".
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

// True: `query` is now a view of what query-parameters strip, or query strip, leave of it.
bool Judge::strip_parameters(std::string_view path, std::string_view& query) {
  std::uint32_t line = 0;
  auto answer = QueryPolicy::Answer::kNoRule;
  for (auto section = sections_.rbegin();
       section != sections_.rend() && answer == QueryPolicy::Answer::kNoRule; ++section) {
    const QueryPolicy& policy = policy_.rule_sets[*section]->query_policy;
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

// --- telling ---------------------------------------------------------------------------------------

// A line that several tests come to, as `traps default`, counts a URL once.
void Judge::count() {
  hits_.insert(hits_.end(), matched_.begin(), matched_.end());
  std::sort(hits_.begin(), hits_.end());
  hits_.erase(std::unique(hits_.begin(), hits_.end()), hits_.end());
  for (const std::uint32_t line : hits_) ++counts_[line].matched;
  if (verdict_.line != kNoLine) ++counts_[verdict_.line].decided;
}

}  // namespace spinneret::policy
