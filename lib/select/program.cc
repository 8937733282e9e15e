// SPDX-License-Identifier: Apache-2.0
#include "select/program.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace spinneret::select {

using html::Element;
using html::NameCode;
using html::Namespace;

namespace {

// Attributes whose values HTML compares without case (HTML 4.16.2, "Case-sensitivity of
// selectors").
constexpr std::string_view kAnyCase[] = {
    "accept",     "accept-charset", "align",     "alink",    "axis",     "bgcolor", "charset",
    "checked",    "clear",          "codetype",  "color",    "compact",  "declare", "defer",
    "dir",        "direction",      "disabled",  "enctype",  "face",     "frame",   "hreflang",
    "http-equiv", "lang",           "language",  "link",     "media",    "method",  "multiple",
    "nohref",     "noresize",       "noshade",   "nowrap",   "readonly", "rel",     "rev",
    "rules",      "scope",          "scrolling", "selected", "shape",    "target",  "text",
    "type",       "valign",         "valuetype", "vlink"};

bool is_any_case(std::string_view name) {
  return std::find(std::begin(kAnyCase), std::end(kAnyCase), name) != std::end(kAnyCase);
}

LocalTest local_test(const Simple& simple) {
  LocalTest out;
  out.kind = simple.kind;
  out.test = simple.test;
  out.any_space = simple.any_space;
  out.name = simple.name;
  out.lower = to_lower_copy(simple.name);
  out.value = simple.value;
  out.any_case = simple.case_flag == 'i' || (simple.case_flag == 0 && is_any_case(out.lower));
  if (simple.kind == SimpleKind::kType)
    out.code = html::name_code(html::find_element(out.lower), out.lower);
  return out;
}

// Calls `take` with the names that an attribute may have in a tag if it is to pass the test.
template <typename Take>
void for_each_name(const LocalTest& test, const Take& take) {
  take(test.lower);
  for (const std::string_view name : kSpacedAttributes) {
    if (test.any_space && name != test.lower && local_name(name) == test.lower) take(name);
  }
}

}  // namespace

// --- rows of steps ---

bool Program::add(const SelectorList& list, std::uint32_t scope, std::uint32_t& target,
                  SelectorError& why) {
  Step last;
  last.target = target = targets_++;
  bool waits = false;
  const bool added = add_list(list, {scope, false}, std::move(last), why, waits);
  target_waits_.push_back(waits);
  return added;
}

bool Program::add_list(const SelectorList& list, Where where, Step last, SelectorError& why,
                       bool& waits) {
  for (const Complex& complex : list) {
    // The rows that a compound needs stand before its own row.
    std::vector<Step> row;
    bool row_waits = false;
    for (std::size_t i = 0; i < complex.compounds.size(); ++i) {
      Step step = i + 1 == complex.compounds.size() ? last : Step{};
      step.before = i == 0 ? Combinator::kNone : complex.compounds[i].before;
      step.leads = i + 1 != complex.compounds.size();
      if (!compile(complex.compounds[i], where, step, why)) return false;
      row_waits = step.waits = step.waits || row_waits;
      row.push_back(std::move(step));
    }
    waits = waits || row_waits;
    for (Step& step : row) steps_.push_back(std::move(step));
    if (steps_.size() > kMaxSteps) {
      why = {"too many selectors", 0};
      return false;
    }
  }
  return true;
}

bool Program::compile(const Compound& compound, Where where, Step& step, SelectorError& why) {
  for (const Simple& simple : compound.simples) {
    if (simple.kind <= SimpleKind::kLink) {
      step.tests.push_back(local_test(simple));
    } else if (!add_condition(simple, where, step, why)) {
      return false;
    }
  }
  return true;
}

bool Program::add_nested(const Simple& simple, Where where, Condition& condition, bool& waits,
                         SelectorError& why) {
  Step last;
  last.nested = condition.id = nested_++;
  if (where.in_has) {
    if (kept_.size() == kMaxHas) {
      why = {"too many lists within :has(", simple.at};
      return false;
    }
    kept_.push_back(condition.id);
  }
  return add_list(simple.list, {where.scope, false}, std::move(last), why, waits);
}

bool Program::add_has(const Simple& simple, Where where, Condition& condition, SelectorError& why) {
  if (has_ == kMaxHas) {
    why = {"more than 64 :has(", simple.at};
    return false;
  }
  condition.id = has_++;
  for (const Complex& complex : simple.list) {
    std::vector<Step> row;
    for (std::size_t i = 0; i < complex.compounds.size(); ++i) {
      Step step;
      step.backward = true;
      step.before = complex.compounds[i].before;
      if (i == 0 && step.before == Combinator::kNone) step.before = Combinator::kDescendant;
      step.leads = i + 1 != complex.compounds.size();
      if (i == 0) step.has = condition.id;
      if (!compile(complex.compounds[i], {where.scope, true}, step, why)) return false;
      row.push_back(std::move(step));
    }
    for (Step& step : row) steps_.push_back(std::move(step));
  }
  return true;
}

bool Program::add_condition(const Simple& simple, Where where, Step& step, SelectorError& why) {
  using Kind = Condition::Kind;
  Condition condition;
  condition.nth = simple.nth;
  switch (simple.kind) {
    case SimpleKind::kEmpty: condition.kind = Kind::kEmpty; break;
    case SimpleKind::kRoot: condition.kind = Kind::kRoot; break;
    case SimpleKind::kScope:
      if (where.in_has) {
        why = {":scope within :has(", simple.at};
        return false;
      }
      condition.kind = where.scope == kNone ? Kind::kRoot : Kind::kScope;
      condition.id = where.scope;
      if (where.scope != kNone) step.waits = step.waits || target_waits_[where.scope];
      break;
    case SimpleKind::kHas:
      condition.kind = Kind::kHas;
      step.waits = true;
      if (!add_has(simple, where, condition, why)) return false;
      break;
    case SimpleKind::kNth: {
      condition.kind = Kind::kNth;
      if (simple.list.empty()) {
        nth_[simple.nth.from_end][simple.nth.of_type] = true;
        break;
      }
      if (where.in_has) {
        why = {":nth-child(... of ...) within :has(", simple.at};
        return false;
      }
      condition.kind = Kind::kIs;
      Condition counted = condition;
      if (!add_nested(simple, where, condition, step.waits, why)) return false;
      counted.kind = Kind::kNthOf;
      counter_of_.resize(nested_, kNone);
      counted.id = counter_of_[condition.id] = counters_++;
      step.conditions.push_back(condition);
      condition = counted;
      break;
    }
    default:
      condition.kind = simple.kind == SimpleKind::kNot ? Kind::kNot : Kind::kIs;
      if (!add_nested(simple, where, condition, step.waits, why)) return false;
  }
  step.conditions.push_back(condition);
  return true;
}

// Files a step under the name among its tests that the fewest elements have.
void Program::key(std::uint32_t number) {
  const Step& step = steps_[number];
  for (const SimpleKind kind : {SimpleKind::kId, SimpleKind::kClass, SimpleKind::kAttribute,
                                SimpleKind::kType, SimpleKind::kLink}) {
    const auto test = std::find_if(step.tests.begin(), step.tests.end(),
                                   [kind](const LocalTest& t) { return t.kind == kind; });
    if (test == step.tests.end()) continue;
    switch (kind) {
      case SimpleKind::kId:
        ids_[0].add(test->name, number);
        ids_[1].add(test->lower, number);
        return;
      case SimpleKind::kClass:
        classes_[0].add(test->name, number);
        classes_[1].add(test->lower, number);
        return;
      case SimpleKind::kAttribute:
        for_each_name(*test, [&](std::string_view name) { attributes_.add(name, number); });
        return;
      case SimpleKind::kType:
        if (types_.size() <= test->code) types_.resize(test->code + std::size_t{1});
        types_[test->code].push_back(number);
        return;
      default: links_.push_back(number); return;
    }
  }
  always_.push_back(number);
}

void NameIndex::add(std::string_view name, std::uint32_t step) {
  if (!name.empty()) {
    first_ |= bit(name.front());
    last_ |= bit(name.back());
  }
  sizes_ |= std::uint64_t{1} << std::min<std::size_t>(name.size(), 63);
  steps_[std::string(name)].push_back(step);
}

void Program::finish() {
  names_ = {"class", "id", "href"};
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    key(i);
    if (steps_[i].has != kNone) has_steps_.push_back(i);
    for (const LocalTest& test : steps_[i].tests) {
      if (test.kind != SimpleKind::kAttribute) continue;
      for_each_name(test, [&](std::string_view name) {
        if (std::find(names_.begin(), names_.end(), name) == names_.end())
          names_.emplace_back(name);
      });
    }
  }
}

}  // namespace spinneret::select
