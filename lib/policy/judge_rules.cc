// SPDX-License-Identifier: Apache-2.0
// Applies allow, deny and tag rules to a URL: which of them match, and how they are weighed.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "policy/judge.h"
#include "url/normalize.h"

namespace spinneret::policy {
namespace {

// ::ffff:10.1.2.3 leads to 10.1.2.3, and so does 64:ff9b::10.1.2.3; unlike 10.1.2.3, both are also
// in ::/0.
void add_address(const IpAddress& ip, std::vector<IpAddress>& addresses) {
  addresses.push_back(ip);
  if (const std::optional<IpAddress> behind = behind_nat64(ip)) addresses.push_back(*behind);
  if (!is_mapped(ip)) return;
  addresses.push_back(ip);
  addresses.back().v4 = true;
}

// Keeps the last place of each section. A section may name a host twice; its last place is the most
// specific one. Hostile policies name one host in 100,000 sections.
void keep_last_places(std::vector<std::uint32_t>& sections) {
  constexpr std::size_t kFew = 16;
  if (sections.size() < 2) return;
  std::unordered_set<std::uint32_t> seen;
  auto kept = sections.end();
  for (auto at = sections.end(); at != sections.begin();) {
    --at;
    const bool again = sections.size() <= kFew
                           ? std::find(kept, sections.end(), *at) != sections.end()
                           : !seen.insert(*at).second;
    if (!again) *--kept = *at;
  }
  sections.erase(sections.begin(), kept);
}

// Turns "http://user:password@h/a" into http://h/a. Returns false where the URL names no user.
bool without_user(const Url& url, Url& out) {
  const std::size_t begin = url.offsets().username_begin;
  const std::size_t end = url.offsets().host_begin;  // the '@', where there is one
  if (begin == end) return false;
  std::string text(url.href());
  text.erase(begin, end + 1 - begin);
  return parse(text, out);
}

}  // namespace

void Judge::enter_host(std::string_view host) {
  if (host_known_ && host == host_) return;
  host_.assign(host);
  host_known_ = true;
  sections_.assign(1, 0);
  policy_.sections_by_host.find(host, sections_);
  keep_last_places(sections_);
  host_matched_.clear();
  for (const std::uint32_t section : sections_) {
    policy_.sections[section].rules->match_host(host, host_matched_);
  }
  if (sections_ != settled_sections_) settle_sections();
  host_ip_.reset();
  if ((link_parts_ & bit(Part::kAddress)) != 0) host_ip_ = parse_ip(host_);
}

// Computes what applies to all hosts of these sections; most hosts are only in the section for all
// hosts.
void Judge::settle_sections() {
  settled_sections_ = sections_;
  any_allow_ = false;
  link_parts_ = 0;
  settings_ = {};
  policy_.default_settings.lay_over(settings_, left_out_);
  for (const std::uint32_t section : sections_) {
    const RuleSet& rules = *policy_.sections[section].rules;
    policy_.sections[section].settings.lay_over(settings_, left_out_);
    any_allow_ |= rules.has_allow();
    if (rules.links != nullptr) link_parts_ |= rules.links->parts();
  }
  list_wanted_allows();
  limits_ahead_.clear();
  limits_behind_.clear();
  for (const Limit& limit : all_limits()) {
    const Settings::Value& setting = settings_[limit.setting];
    if (!setting.active() || limit.exceeds == nullptr) continue;
    (limit.when == Limit::When::kAheadOfRules ? limits_ahead_ : limits_behind_)
        .push_back({&limit, setting});
  }
  if (moment_ == Moment::kFetch && policy_.needs_type) list_types();
}

void Judge::list_wanted_allows() {
  wanted_allows_.clear();
  for (std::size_t part = 0; any_allow_ && part < kPartCount; ++part) {
    for (const std::uint32_t section : sections_) {
      const std::uint32_t line = policy_.sections[section].rules->first_allow->lines[part];
      if (line != kNoLine && !is_left_out(line))
        wanted_allows_.emplace_back(static_cast<Part>(part), line);
    }
  }
}

// Lists the rules on types in an order in which the first match gives the verdict of weigh_rules().
void Judge::list_types() {
  std::vector<std::pair<std::uint32_t, std::string_view>> rules;
  for (const std::uint32_t section : sections_) {
    for (const auto& [pattern, line] : *policy_.sections[section].rules->types) {
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
  // Only under deny-allow is a type refused that no rule is about.
  if (!types_.empty() && policy_.order != Order::kDenyAllow) types_ += ",*/*";
}

Judge::Next Judge::try_rules(const Url& url, std::string_view href, const Facts& facts) {
  matched_ = host_matched_;
  const bool names_user = without_user(url, userless_);
  for (const std::uint32_t section : sections_) {
    const RuleSet& rules = *policy_.sections[section].rules;
    rules.match_url(url, href, matched_);
    if (names_user) rules.match_url(userless_, userless_.href_without_fragment(), matched_);
    if (!facts.type.empty()) rules.match_type(facts.type, matched_);
  }
  match_link(facts);
  sort_matched();
  for (const std::uint32_t line : matched_) {
    if (policy_.lines[line].verb == Verb::kTag) tags_.push_back(line);
  }
  return weigh_rules(facts.type.empty() ? ~bit(Part::kType) : ~Parts{0}, true);
}

// Returns true where via_ is the page that the link was found on.
bool Judge::parse_via(std::string_view via) {
  if (via != via_text_) {
    via_text_.assign(via);
    via_good_ = parse(via_text_, via_);
    if (via_good_) make_safe(via_);
  }
  return via_good_;
}

// A fact that a link lacks, such as the rel of most links, is empty; a fact that a page lacks is
// unknown.
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
  if (host_ip_) add_address(*host_ip_, addresses_);
  if (const auto ip = facts.ip ? parse_ip(*facts.ip) : std::nullopt) add_address(*ip, addresses_);
  if (!addresses_.empty()) out.known |= bit(Part::kAddress);
  out.addresses = addresses_;
}

void Judge::match_link(const Facts& facts) {
  if (link_parts_ == 0) return;
  LinkFacts link;
  set_link_facts(facts, link);
  for (const std::uint32_t section : sections_) {
    const LinkRules* const rules = policy_.sections[section].rules->links.get();
    if (rules != nullptr) rules->match(link, matched_);
  }
}

void Judge::sort_matched() {
  if (!left_out_.empty())
    std::erase_if(matched_, [this](std::uint32_t line) { return left_out_[line]; });
  if (matched_.size() < 2) return;
  std::sort(matched_.begin(), matched_.end());
  matched_.erase(std::unique(matched_.begin(), matched_.end()), matched_.end());
}

const Verdict& Judge::judge_result(const Url& url, const Facts& facts) {
  begin(url);
  for (const std::uint32_t section : sections_) {
    policy_.sections[section].rules->match_type(facts.type, matched_);
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

// Options deny and select whatever the order of the policy is.
Judge::Next Judge::weigh_rules(Parts known, bool with_default) {
  for (const std::uint32_t line : matched_) {
    const Line& rule = policy_.lines[line];
    if (!rule.of_option || rule.verb != Verb::kDeny) continue;
    if (refuse(Reason::kDenied, line) == Next::kStop) return Next::kStop;
  }
  if (weigh_by_order(known, with_default) == Next::kStop) return Next::kStop;
  // (A page that was fetched was selected before.)
  return with_default ? weigh_option_allows() : Next::kGoOn;
}

// For each part that options allow, one of the options for it must match.
Judge::Next Judge::weigh_option_allows() {
  for (const std::uint32_t wanted : policy_.option_allows) {
    const Line& one = policy_.lines[wanted];
    if (is_left_out(wanted) ||
        std::find(sections_.begin(), sections_.end(), one.section) == sections_.end())
      continue;
    const bool met =
        std::any_of(matched_.begin(), matched_.end(), [this, &one](std::uint32_t line) {
          const Line& rule = policy_.lines[line];
          return rule.of_option && rule.verb == Verb::kAllow && rule.part == one.part;
        });
    if (!met && refuse(Reason::kNotAllowed, wanted) == Next::kStop) return Next::kStop;
  }
  return Next::kGoOn;
}

// Returns whether a rule allows by a fact that is not known yet: the type of a link, which only its
// answer tells.
bool Judge::may_yet_be_allowed(Parts known) const {
  return std::any_of(wanted_allows_.begin(), wanted_allows_.end(),
                     [known](const auto& wanted) { return (known & bit(wanted.first)) == 0; });
}

Judge::Next Judge::weigh_by_order(Parts known, bool with_default) {
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
    if (!with_default || !denies_by_default() || may_yet_be_allowed(known)) return Next::kGoOn;
    return refuse(Reason::kDefault, policy_.default_line);
  }
  if (policy_.lines[decider].verb == Verb::kDeny) return refuse(Reason::kDenied, decider);
  if (!verdict_.accepted) return Next::kGoOn;
  verdict_.reason = Reason::kAllowed;
  verdict_.line = decider;
  return Next::kGoOn;
}

// Called where no deny rule matched. For each part that has allow rules, one of them must match.
Judge::Next Judge::weigh_deny_allow(Parts known, bool with_default) {
  if (!any_allow_ && !denies_by_default()) return Next::kGoOn;
  std::uint32_t allowed_by[kPartCount];
  std::fill(std::begin(allowed_by), std::end(allowed_by), kNoLine);
  std::uint32_t first_allowed = kNoLine;
  for (const std::uint32_t line : matched_) {
    if (policy_.lines[line].verb != Verb::kAllow) continue;
    allowed_by[static_cast<std::size_t>(policy_.lines[line].part)] = line;
    if (first_allowed == kNoLine) first_allowed = line;
  }
  for (const auto& [part, wanted] : wanted_allows_) {
    // A URL whose type is not known yet may have any type.
    if ((known & bit(part)) == 0 || allowed_by[static_cast<std::size_t>(part)] != kNoLine) continue;
    if (refuse(Reason::kNotAllowed, wanted) == Next::kStop) return Next::kStop;
  }
  if (!verdict_.accepted) return Next::kGoOn;
  if (first_allowed == kNoLine && denies_by_default() && with_default &&
      !may_yet_be_allowed(known)) {
    return refuse(Reason::kDefault, policy_.default_line);
  }
  if (first_allowed != kNoLine) {
    verdict_.reason = Reason::kAllowed;
    verdict_.line = first_allowed;
  }
  return Next::kGoOn;
}

}  // namespace spinneret::policy
