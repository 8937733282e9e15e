// SPDX-License-Identifier: Apache-2.0
// What a policy's settings demand of a URL: limits, query, traps, budgets.
#include <algorithm>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/number.h"
#include "policy/judge.h"
#include "policy/trap.h"
#include "url/public_suffix.h"

namespace spinneret::policy {
namespace {

// Seeds, so that accounts of different budgets have different hashes.
enum AccountKind : std::uint64_t { kTotal = 1, kHost, kDomain, kNumbers, kPattern };

std::uint32_t clamp_count(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

}  // namespace

Judge::Next Judge::try_limits(const SetLimits& limits, LimitTarget& target) {
  for (const auto& [limit, setting] : limits) {
    std::uint64_t found = 0;
    if (!limit->exceeds(target, setting.value, found)) continue;
    if (verdict_.accepted) verdict_.limit = limit;
    if (refuse(Reason::kLimit, setting.line, clamp_count(found)) == Next::kStop) return Next::kStop;
  }
  return Next::kGoOn;
}

Judge::Next Judge::try_query(const Url& url) {
  if (!url.has_query()) return Next::kGoOn;
  std::uint32_t line = 0;
  for (auto section = sections_.rbegin(); section != sections_.rend(); ++section) {
    const QueryPolicy& policy = *policy_.sections[*section].rules->query_policy;
    if (policy.empty()) continue;
    const auto answer = policy.judge(url.path(), url.query(), line, scratch_);
    if (answer == QueryPolicy::Answer::kNoRule) continue;
    if (answer == QueryPolicy::Answer::kBlocked) return refuse(Reason::kParameter, line);
    hit(line);
    return Next::kGoOn;
  }
  const Settings::Value& query = settings_[Setting::kQuery];
  if (!query.active() || query.value != kQueryNone) return Next::kGoOn;
  return refuse(Reason::kHasQuery, query.line);
}

void Judge::try_budget(const Url& url, std::string_view href) {
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
    // A URL without numbers is the only one of its kind.
    if (append_number_template(scratch_, url.path_and_query())) {
      add(Setting::kBudgetNumbers, kNumbers, scratch_);
    }
  }
  std::uint32_t line = kNoLine;
  if (accounts_.empty()) return;
  const Budgets::Paid paid = budgets_.pay(hash64(href), accounts_, line);
  if (paid == Budgets::Paid::kNow && !verdict_.booked) {
    verdict_.booked = std::any_of(
        accounts_.begin(), accounts_.end(),
        [this](const Budgets::Account& account) { return account.line != policy_.traps_line; });
  }
  if (paid != Budgets::Paid::kNot) return;
  // Reported, since a spent budget cuts a site short; once for each line of the policy, as there
  // may be a million hosts.
  const std::uint64_t key = hash64({}, line);
  verdict_.newly_spent = !spent_lines_.contains(key);
  if (verdict_.newly_spent) spent_lines_.insert(key);
  refuse(Reason::kBudget, line);
}

// Adds the budgets of patterns, the most specific section first: its budget replaces those of other
// sections for the same pattern. Two patterns of one line share an account, and a URL pays it once.
void Judge::add_pattern_accounts(std::string_view href) {
  budget_patterns_.clear();
  for (auto section = sections_.rbegin(); section != sections_.rend(); ++section) {
    const RuleSet::PatternBudgets& budgets = *policy_.sections[*section].rules->budgets;
    if (budgets.list.empty()) continue;
    budget_matched_.clear();
    budgets.patterns.match(href, budget_matched_);
    for (const std::uint32_t at : budget_matched_) {
      const RuleSet::PatternBudget& budget = budgets.list[at];
      if (std::find(budget_patterns_.begin(), budget_patterns_.end(), budget.pattern) !=
          budget_patterns_.end()) {
        continue;
      }
      budget_patterns_.push_back(budget.pattern);
      if (budget.limit >= Settings::kOff || is_left_out(budget.line)) continue;
      hit(budget.line);
      const std::uint64_t key = hash64(host_, kPattern + budget.line);
      const bool has_account =
          std::any_of(accounts_.begin(), accounts_.end(),
                      [key](const Budgets::Account& account) { return account.key == key; });
      if (!has_account) accounts_.push_back({key, budget.limit, budget.line});
    }
  }
}

}  // namespace spinneret::policy
