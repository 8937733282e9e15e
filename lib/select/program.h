// SPDX-License-Identifier: Apache-2.0
// Selectors that are compiled together, so that each question about an element is asked once for
// all of them.
//
// A complex selector is a row of steps, one for each compound. A step has matched at an element if
// its compound matches there, and if the step before it has matched at the ancestor, parent or
// sibling that the combinator means. What has matched is thus a set of bits at each open element.
// An element costs only the steps that its own names call up, whatever the number of selectors:
//
//   ul.menu > li a       step 0: ul.menu
//                        step 1: li, and 0 has matched at the parent
//                        step 2: a, and 1 has matched at an ancestor: the selector matches
//
// :is() and :not() are rows of their own, which are judged before the step that needs them. :has()
// is a row that runs backwards, from the page's end to its start, where it is known what has
// matched at descendants and at later siblings.
#ifndef SPINNERET_SELECT_PROGRAM_H_
#define SPINNERET_SELECT_PROGRAM_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "select/nodes.h"
#include "select/selector.h"

namespace spinneret::select {

inline constexpr std::uint32_t kNone = UINT32_MAX;

// Attributes that are in a namespace within SVG and MathML (HTML 13.2.6.1, "adjust foreign
// attributes").
inline constexpr std::string_view kSpacedAttributes[] = {
    "xlink:actuate", "xlink:arcrole", "xlink:href", "xlink:role", "xlink:show", "xlink:title",
    "xlink:type",    "xml:lang",      "xml:space",  "xmlns",      "xmlns:xlink"};
constexpr std::string_view local_name(std::string_view name) {
  return name.substr(name.find(':') + 1);
}

// The part of a compound that the start tag alone answers.
struct LocalTest {
  SimpleKind kind = SimpleKind::kType;
  AttributeTest test = AttributeTest::kPresent;
  bool any_case = false;    // the value is compared without case
  bool any_space = false;   // an attribute in any namespace
  html::NameCode code = 0;  // of a type selector
  std::string name;         // as written
  std::string lower;
  std::string value;
};

// The part that depends on the element's place.
struct Condition {
  enum class Kind : std::uint8_t { kRoot, kScope, kEmpty, kNth, kNthOf, kIs, kNot, kHas };
  Kind kind = Kind::kRoot;
  Nth nth;
  // Number of a nested list, a :has(), a counter, or the target that :scope means.
  std::uint32_t id = kNone;
};

struct Step {
  Combinator before = Combinator::kNone;
  bool backward = false;  // a step of :has(), which runs backwards
  bool waits = false;     // needs a :has(), directly or indirectly
  bool leads = false;     // is followed by another step
  std::vector<LocalTest> tests;
  std::vector<Condition> conditions;
  std::uint32_t target = kNone;  // what has matched with this step: one of these three
  std::uint32_t nested = kNone;
  // for the first step of an argument: the :has() that its anchor then satisfies
  std::uint32_t has = kNone;
};

// Steps by name. A sieve that few other names pass compares first and last letters, without case,
// and size.
class NameIndex {
 public:
  void add(std::string_view name, std::uint32_t step);
  bool empty() const { return steps_.empty(); }
  bool may_have(std::string_view name) const {
    return !name.empty() && (first_ & bit(name.front())) != 0 && (last_ & bit(name.back())) != 0 &&
           (sizes_ >> std::min<std::size_t>(name.size(), 63) & 1) != 0;
  }
  // Returns nullptr if there are no steps for the name.
  const std::vector<std::uint32_t>* find(const std::string& name) const {
    const auto found = steps_.find(name);
    return found == steps_.end() ? nullptr : &found->second;
  }

 private:
  static std::uint64_t bit(char c) { return std::uint64_t{1} << ((c | 0x20) & 63); }
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t sizes_ = 0;
  std::unordered_map<std::string, std::vector<std::uint32_t>> steps_;
};

class Program {
 public:
  // Number of :has(), and of lists within them, in one program.
  static constexpr std::size_t kMaxHas = 64;
  static constexpr std::size_t kMaxSteps = 1 << 20;

  // Adds a target: elements that `list` selects are given with its number. `scope` is the target
  // that :scope means, or kNone for the root. Returns false on failure, and says why in `why`.
  bool add(const SelectorList& list, std::uint32_t scope, std::uint32_t& target,
           SelectorError& why);
  // Must be called after the last add().
  void finish();

  const std::vector<Step>& steps() const { return steps_; }
  std::size_t words() const { return (steps_.size() + 63) / 64; }
  std::uint32_t targets() const { return targets_; }
  std::uint32_t nested() const { return nested_; }
  // The counter for a nested list that :nth-child(... of LIST) counts; kNone for other lists.
  std::uint32_t counter_of(std::uint32_t nested) const {
    return nested < counter_of_.size() ? counter_of_[nested] : kNone;
  }
  std::uint32_t counters() const { return counters_; }
  std::uint32_t has() const { return has_; }
  // The nested lists that :has() needs, in the order of the bits that are kept for them.
  const std::vector<std::uint32_t>& kept() const { return kept_; }
  // The first steps of all arguments of :has().
  const std::vector<std::uint32_t>& has_steps() const { return has_steps_; }
  bool asks_nth(bool from_end, bool of_type) const { return nth_[from_end][of_type]; }
  const std::vector<std::string>& names() const { return names_; }

  // The steps that a name calls up. With `lower`, names of ids and classes are in lower case, for
  // comparison without case.
  const NameIndex& ids(bool lower) const { return ids_[lower]; }
  const NameIndex& classes(bool lower) const { return classes_[lower]; }
  const NameIndex& attributes() const { return attributes_; }
  const std::vector<std::vector<std::uint32_t>>& types() const { return types_; }
  const std::vector<std::uint32_t>& links() const { return links_; }
  const std::vector<std::uint32_t>& always() const { return always_; }

 private:
  struct Where {
    std::uint32_t scope;
    bool in_has;
  };
  bool add_list(const SelectorList& list, Where where, Step last, SelectorError& why, bool& waits);
  bool add_nested(const Simple& simple, Where where, Condition& condition, bool& waits,
                  SelectorError& why);
  bool compile(const Compound& compound, Where where, Step& step, SelectorError& why);
  bool add_condition(const Simple& simple, Where where, Step& step, SelectorError& why);
  bool add_has(const Simple& simple, Where where, Condition& condition, SelectorError& why);
  void key(std::uint32_t step);

  std::vector<Step> steps_;
  std::vector<bool> target_waits_;
  std::uint32_t targets_ = 0;
  std::uint32_t nested_ = 0;
  std::vector<std::uint32_t> counter_of_;
  std::uint32_t counters_ = 0;
  std::uint32_t has_ = 0;
  std::vector<std::uint32_t> kept_;
  std::vector<std::uint32_t> has_steps_;
  bool nth_[2][2] = {};
  std::vector<std::string> names_;
  NameIndex ids_[2];
  NameIndex classes_[2];
  NameIndex attributes_;
  std::vector<std::vector<std::uint32_t>> types_;
  std::vector<std::uint32_t> links_;
  std::vector<std::uint32_t> always_;
};

// The part of a Program that start tags answer, for one page: the steps whose tests each element
// passes.
class LocalSets : public ElementJudge {
 public:
  explicit LocalSets(const Program& program) : program_(program) {}

  void begin_page();
  void begin(bool quirks) override { quirks_ = quirks; }
  const std::vector<std::string>& names() const override { return program_.names(); }
  std::uint32_t judge(html::NameCode name, html::Namespace name_space,
                      const html::Token* token) override;
  // The number of steps, and then the steps in ascending order.
  const std::uint32_t* steps(std::uint32_t set) const { return &pool_[set]; }

 private:
  bool passes(const LocalTest& test) const;
  bool passes_attribute(const LocalTest& test) const;
  void call(const std::vector<std::uint32_t>& steps);
  void call_name(const NameIndex& index, std::string_view name, bool lower);
  std::string_view decoded(std::string_view raw, std::string& out) const;
  const html::Attribute* find(const LocalTest& test) const;
  std::uint32_t keep();

  const Program& program_;
  bool quirks_ = false;
  // The present element.
  html::NameCode name_ = 0;
  html::Namespace space_ = html::Namespace::kHtml;
  const html::Token* token_ = nullptr;
  std::vector<std::uint32_t> found_;
  std::string scratch_;
  std::string key_;
  mutable std::string value_;
  std::vector<std::uint32_t> pool_;
  std::unordered_map<std::uint64_t, std::uint32_t> kept_;  // by their hash
};

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_PROGRAM_H_
