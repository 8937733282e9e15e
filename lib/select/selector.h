// SPDX-License-Identifier: Apache-2.0
// Parses CSS selectors (Selectors Level 4) into a tree. Only their grammar is checked.
//
//   SelectorList list;
//   SelectorError why;
//   if (!parse_selectors("div.price:not([hidden]) > b", list, why)) report(why.message, why.at);
//
// Supported are:
// - type, *, #id, .class, [attr] with = ~= |= ^= $= *= and the flags i and s
// - the combinators ' ' > + ~
// - :is :where :not :has
// - :first-child :last-child :only-child :nth-child(an+b [of S]) :nth-last-child(an+b), and their
//   of-type forms
// - :empty :root :scope :link :any-link
//
// Pseudo-elements, and what depends on a browser's state (:hover, :checked), are errors, since a
// selector that can never match is a mistake.
//
// The tree owns its bytes. Parsing takes linear time; selectors may be nested 32 deep. Thread-safe.
#ifndef SPINNERET_SELECT_SELECTOR_H_
#define SPINNERET_SELECT_SELECTOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::select {

enum class Combinator : std::uint8_t { kNone, kDescendant, kChild, kNext, kSubsequent };

struct Complex;
using SelectorList = std::vector<Complex>;

enum class SimpleKind : std::uint8_t {
  kType,  // name
  kId,
  kClass,
  kAttribute,
  kLink,
  kEmpty,
  kRoot,
  kScope,
  kNth,
  kIs,  // also :where
  kNot,
  kHas,
};

enum class AttributeTest : std::uint8_t {
  kPresent,
  kEquals,     // =
  kIncludes,   // ~=
  kDash,       // |=
  kPrefix,     // ^=
  kSuffix,     // $=
  kSubstring,  // *=
};

// The position among siblings, counted from 1, is step * n + offset for some n >= 0.
struct Nth {
  int step = 0;
  int offset = 0;
  bool from_end = false;
  bool of_type = false;

  bool holds(std::uint32_t position) const {
    const std::int64_t rest = static_cast<std::int64_t>(position) - offset;
    return step == 0 ? rest == 0 : rest % step == 0 && rest / step >= 0;
  }
};

struct Simple {
  SimpleKind kind = SimpleKind::kType;
  std::string name;   // of a type, an id, a class, an attribute
  std::string value;  // of an attribute
  AttributeTest test = AttributeTest::kPresent;
  char case_flag = 0;      // 'i', 's' or none
  bool any_space = false;  // *| stands before it
  Nth nth;
  SelectorList list;   // of :is, :not, :has and `of S`
  std::size_t at = 0;  // offset in the text
};

// A compound without simple selectors is *.
struct Compound {
  Combinator before = Combinator::kNone;  // between this compound and the one before it
  std::vector<Simple> simples;
};

// In :has(), and in relative selectors, even the first compound may have a combinator.
struct Complex {
  std::vector<Compound> compounds;
};

struct SelectorError {
  std::string message;  // names the token
  std::size_t at = 0;   // offset of the token
};

// With `relative` a leading combinator is allowed, and starts from :scope. Returns false on an
// error, described in `why`.
bool parse_selectors(std::string_view text, SelectorList& out, SelectorError& why,
                     bool relative = false);

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_SELECTOR_H_
