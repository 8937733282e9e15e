// SPDX-License-Identifier: Apache-2.0
// Directives that set a number or a switch: scope, limits, query, traps, budgets, order.
#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "base/text_file.h"
#include "policy/builder.h"
#include "policy/limits.h"
#include "url/escapes.h"

namespace spinneret::policy {
namespace {

// Settings reserve the values above it.
constexpr std::uint64_t kMaxNumber = 4'000'000'000;

struct NamedSetting {
  std::string_view name;
  Setting setting;
};
constexpr NamedSetting kBudgets[] = {
    {"total", Setting::kBudgetTotal},
    {"host", Setting::kBudgetHost},
    {"domain", Setting::kBudgetDomain},
    {"numbers", Setting::kBudgetNumbers},
};
constexpr std::uint32_t kDefaultNumbers = 100'000;
constexpr std::uint32_t kDefaultCalendarPages = 1000;
// A path segment, file or parameter with one of these names. There are two patterns, so that each
// has its own literals, by which it is found.
constexpr std::string_view kCalendars[] = {
    R"((?i)[/?&=](calendar|kalender|calendrier|calendario)([/?&=.]|$))",
    R"((?i)[/?&=]cal([/?&=.]|$))"};

std::string_view word_at(const Directive& directive, std::size_t at) {
  return at < directive.arguments.size() ? std::string_view(directive.arguments[at])
                                         : std::string_view();
}

const NamedSetting* find_budget(std::string_view name) {
  const auto found = std::find_if(std::begin(kBudgets), std::end(kBudgets),
                                  [name](const NamedSetting& entry) { return entry.name == name; });
  return found == std::end(kBudgets) ? nullptr : &*found;
}

const Limit* find_limit(std::string_view name, bool is_trap) {
  for (const Limit& limit : all_limits()) {
    if (limit.name == name && limit.is_trap == is_trap) return &limit;
  }
  return nullptr;
}

std::string trap_names() {
  std::string out;
  for (const Limit& limit : all_limits()) {
    if (!limit.is_trap || limit.is_second) continue;
    if (!out.empty()) out += ", ";
    out += limit.name;
  }
  return out;
}

}  // namespace

// Reads a whole number, or "off". Returns false where that failed, and was reported.
bool PolicyBuilder::number(const Directive& directive, std::string_view text, std::uint32_t& value,
                           bool may_be_off) {
  if (may_be_off && text == "off") {
    value = Settings::kOff;
    return true;
  }
  const auto parsed = parse_unsigned(text);
  if (parsed && *parsed <= kMaxNumber) {
    value = static_cast<std::uint32_t>(*parsed);
    return true;
  }
  problem(directive, directive.name + " takes a whole number" +
                         (may_be_off ? std::string(" or off") : std::string()) + ", not " +
                         excerpt(text));
  return false;
}

void PolicyBuilder::remark_again(std::uint32_t earlier, const Place& place) {
  remarks_.push_back({policy_.lines.place(earlier), '"' + std::string(policy_.lines.text(earlier)) +
                                                        "\" has no effect: " + place.to_string() +
                                                        " sets it again"});
}

bool PolicyBuilder::set(const Directive& directive, Setting setting, std::uint32_t value) {
  SectionSettings& settings = policy_.sections[section_].settings;
  if (const Settings::Value* const before = settings.find(setting))
    remark_again(before->line, directive.place);
  settings.set(setting, value, new_line(directive));
  return true;
}

bool PolicyBuilder::limit(const Directive& directive) {
  std::uint32_t value = 0;
  return number(directive, directive.arguments[0], value) &&
         set(directive, find_limit(directive.name, false)->setting, value);
}

bool PolicyBuilder::query(const Directive& directive) {
  const std::string& word = directive.arguments[0];
  if (word == "any") return set(directive, Setting::kQuery, kQueryAny);
  if (word == "none") return set(directive, Setting::kQuery, kQueryNone);
  if (word == "strip") return set(directive, Setting::kQuery, kQueryStrip);
  problem(directive, "query takes any, none or strip, not " + excerpt(word));
  return false;
}

bool PolicyBuilder::query_parameters(const Directive& directive) {
  QueryPolicy::Set set;
  std::size_t at = 0;
  if (word_at(directive, 0) == "strip") {
    set.strip = true;
    ++at;
  }
  std::string path;
  append_normal_escapes(path, word_at(directive, at++), {.upper_hex = true, .unreserved = true});
  const std::size_t star = path.find('*');
  if (path.empty() || (path.front() != '/' && path != "*") ||
      (star != std::string::npos && star + 1 != path.size())) {
    problem(directive,
            "query-parameters takes a path, /search or /wiki/* or *, and the names it may carry");
    return false;
  }
  for (; at < directive.arguments.size(); ++at) set.names.push_back(directive.arguments[at]);
  set.line = new_line(directive);
  if (keeps_words_) words()->path = path;
  rules().query_policy.make().add(path, std::move(set));
  return true;
}

bool PolicyBuilder::trap(const Directive& directive) {
  const Limit* const named = find_limit(directive.arguments[0], true);
  if (named == nullptr) {
    problem(directive,
            "trap takes one of " + trap_names() + ", not " + excerpt(directive.arguments[0]));
    return false;
  }
  // Counts the numbers that follow the name.
  const std::span<const Limit> limits = all_limits();
  std::size_t numbers = 1;
  for (const Limit* row = named + 1; row != limits.data() + limits.size() && row->is_second; ++row)
    ++numbers;
  if (directive.arguments.size() > 1 + numbers) {
    problem(directive, "trap " + directive.arguments[0] + " takes no " +
                           excerpt(directive.arguments[1 + numbers]));
    return false;
  }
  if (named->takes == Limit::Takes::kSession) return session_trap(directive, *named);
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < numbers; ++i) {
    // "off" switches the whole setting off.
    const bool off = i != 0 && values.front() == Settings::kOff;
    values.push_back(off ? Settings::kOff : named[i].usual);
    const std::string_view word = word_at(directive, i + 1);
    if (!word.empty() && !number(directive, word, values.back())) return false;
    if (named[i].takes == Limit::Takes::kRepeats && values.back() < 2) {
      problem(directive, "a trap needs at least 2 repeats");
      return false;
    }
  }
  set(directive, named->setting, values.front());
  SectionSettings& settings = policy_.sections[section_].settings;
  for (std::size_t i = 1; i < numbers; ++i)
    settings.set(named[i].setting, values[i], settings.find(named->setting)->line);
  return true;
}

bool PolicyBuilder::session_trap(const Directive& directive, const Limit& named) {
  const std::string_view word = word_at(directive, 1);
  if (word == "off") return set(directive, named.setting, Settings::kOff);
  if (word.empty()) return set(directive, named.setting, named.usual);
  if (word == "strip") return set(directive, named.setting, kSessionStrip);
  if (word == "reject") return set(directive, named.setting, kSessionReject);
  problem(directive,
          "trap " + std::string(named.name) + " takes strip, reject or off, not " + excerpt(word));
  return false;
}

bool PolicyBuilder::default_traps(const Directive& directive) {
  if (directive.arguments[0] != "default") {
    problem(directive, "traps takes default; single ones are set by trap NAME");
    return false;
  }
  if (policy_.traps_line != kNoLine) remark_again(policy_.traps_line, directive.place);
  const std::uint32_t line = policy_.traps_line = new_line(directive);
  for (const Limit& limit : all_limits()) {
    if (limit.by_default != Settings::kOff)
      policy_.default_settings.set(limit.setting, limit.by_default, line);
  }
  policy_.default_settings.set(Setting::kBudgetNumbers, kDefaultNumbers, line);
  return true;
}

void PolicyBuilder::settle_default_traps() {
  if (policy_.traps_line == kNoLine) return;
  for (const std::string_view pattern : kCalendars) {
    set_budget({0, std::string(pattern), kDefaultCalendarPages, policy_.traps_line}, true, nullptr);
  }
}

// A section that names the same pattern again replaces its budget; a default replaces nothing.
bool PolicyBuilder::set_budget(const NewBudget& budget, bool is_default, std::string* why) {
  RuleSet::PatternBudgets& budgets = policy_.sections[budget.section].rules.make().budgets.make();
  const auto next = static_cast<std::uint32_t>(budget_patterns_.size());
  const std::uint32_t pattern = budget_patterns_.emplace(budget.pattern, next).first->second;
  const auto index = static_cast<std::uint32_t>(budgets.list.size());
  const auto [known, is_new] = budget_at_.emplace(std::pair{budget.section, pattern}, index);
  if (is_new) {
    if (!budgets.patterns.add(safe_pattern(budget.pattern), index, why)) {
      budget_at_.erase(known);
      return false;
    }
    budgets.list.push_back({budget.limit, budget.line, pattern});
  } else if (!is_default) {
    RuleSet::PatternBudget& earlier = budgets.list[known->second];
    remark_again(earlier.line, policy_.lines.place(budget.line));
    earlier = {budget.limit, budget.line, pattern};
  }
  return true;
}

bool PolicyBuilder::budget(const Directive& directive) {
  const std::string& what = directive.arguments[0];
  std::uint32_t value = 0;
  if (!number(directive, directive.arguments[1], value)) return false;
  if (what == "total" && section_ != 0) {
    problem(directive, "budget total is for all hosts: in a section, say budget host or domain");
    return false;
  }
  if (const NamedSetting* const named = find_budget(what)) {
    return set(directive, named->setting, value);
  }
  std::string why;
  const std::uint32_t line = new_line(directive);
  if (keeps_words_) words()->url_pattern = what;
  if (set_budget({section_, what, value, line}, false, &why)) return true;
  problem(directive, "bad pattern " + excerpt(what) + ": " + why);
  return false;
}

bool PolicyBuilder::scope(const Directive& directive) {
  const auto kind = parse_scope(directive.arguments[0]);
  if (!kind) {
    problem(directive, "scope takes any, origin, host, domain or under, not " +
                           excerpt(directive.arguments[0]));
    return false;
  }
  if (policy_.scope_line != kNoLine) remark_again(policy_.scope_line, directive.place);
  policy_.scope = Scope(*kind);
  policy_.scope_line = new_line(directive);
  return true;
}

bool PolicyBuilder::seed(const Directive& directive) {
  for (const std::string& word : directive.arguments) {
    Url url;
    UrlError error;
    if (!parse(word, url, &error)) {
      problem(directive, "the seed " + excerpt(word) + " is not a URL: " + error.message);
      return false;
    }
    if (!url.has_host() || url.host().empty()) {
      problem(directive, "the seed " + excerpt(word) + " has no host");
      return false;
    }
    seeds_.push_back(std::move(url));
  }
  policy_.lines[new_line(directive)].tests = false;
  if (keeps_words_) words()->is_of_seeds = true;
  return true;
}

bool PolicyBuilder::seeds(const Directive& directive) {
  const std::string path = resolve_path(directive.arguments[0]);
  Result<std::string> text = read_text_file(path);
  if (!text.ok()) {
    problem(directive, text.message());
    return false;
  }
  std::string_view rest = *text;
  Place place{path, 0};
  const std::size_t problems_before = problems_.size();
  const std::size_t seeds_before = seeds_.size();
  while (!rest.empty()) {
    std::string_view line = trim(cut(rest, '\n'));
    ++place.line;
    line = line.substr(0, line.find_first_of("\t "));
    if (line.empty() || line.front() == '#') continue;
    Url url;
    UrlError error;
    if (parse(line, url, &error) && url.has_host() && !url.host().empty()) {
      seeds_.push_back(std::move(url));
    } else {
      problems_.push_back({place, "no seed: " + excerpt(line) +
                                      (error.message.empty() ? "" : ": " + error.message)});
    }
  }
  policy_.lines[new_line(directive)].tests = false;
  if (keeps_words_) words()->is_of_seeds = true;
  if (problems_.size() != problems_before) return false;
  // An empty scope is a mistake, and an unlimited scope a dangerous one.
  if (seeds_.size() == seeds_before) problem(directive, path + " lists no seeds");
  return seeds_.size() != seeds_before;
}

bool PolicyBuilder::order(const Directive& directive) {
  constexpr std::array<std::string_view, 4> kOrders = {"deny-allow", "allow-deny", "first-match",
                                                       "last-match"};
  const auto found = std::find(kOrders.begin(), kOrders.end(), directive.arguments[0]);
  if (found == kOrders.end()) {
    problem(directive, "order takes deny-allow, allow-deny, first-match or last-match, not " +
                           excerpt(directive.arguments[0]));
    return false;
  }
  if (policy_.order_line != kNoLine) remark_again(policy_.order_line, directive.place);
  policy_.order = static_cast<Order>(found - kOrders.begin());
  policy_.order_line = new_line(directive);
  policy_.lines[policy_.order_line].tests = false;
  return true;
}

bool PolicyBuilder::default_verdict(const Directive& directive) {
  const std::string& word = directive.arguments[0];
  if (word != "allow" && word != "deny") {
    problem(directive, "default takes allow or deny, not " + excerpt(word));
    return false;
  }
  if (policy_.default_line != kNoLine) remark_again(policy_.default_line, directive.place);
  policy_.default_deny = word == "deny";
  policy_.default_line = new_line(directive);
  return true;
}

bool PolicyBuilder::action(const Directive& directive) {
  const std::string& word = directive.arguments[0];
  if (word != "reject" && word != "mark") {
    problem(directive, "action takes reject or mark, not " + excerpt(word));
    return false;
  }
  mark_ = word == "mark";
  remark_idle_action(directive.place.to_string() + " sets it again");
  idle_action_ = directive;
  return true;
}

void PolicyBuilder::remark_idle_action(const std::string& why) {
  if (!idle_action_) return;
  remarks_.push_back(
      {idle_action_->place, "\"" + idle_action_->text() + "\" has no effect: " + why});
  idle_action_.reset();
}

}  // namespace spinneret::policy
