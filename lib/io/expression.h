// SPDX-License-Identifier: Apache-2.0
// A condition on records, compiled once and tested on each line (records(1) has the grammar for
// users):
//
//   expression = and-term *( "or" and-term )
//   and-term   = not-term *( "and" not-term )
//   not-term   = "not" not-term / "(" expression ")" / test
//   test       = "has" FIELD / FIELD ( "=" / "!=" / "<" / "<=" / ">" / ">=" / "~" / "!~" ) VALUE
//
// FIELD is a key, or `url`, which is column 1. VALUE is a bare word or a quoted one. A bare word
// ends at a space or at a closing parenthesis without a partner in it (so `type~^text/(html|css)`
// needs no quotes). In '...' or "..." a backslash before the quote or a backslash is removed;
// before anything else it is an ordinary character.
//
// A test sees values with their escapes undone. Where a key repeats, one value that passes is
// enough. A missing field fails every test but `!=` and `!~`, which are `not =` and `not ~`. `=`
// compares bytes; the order operators compare numbers (with sign, fraction and exponent), and a
// value that is not a number fails them.
//
//   auto pages = Expression::compile("outcome=ok and status<300", compile_pattern);
//   if (!pages.ok()) ...;                  // "column 12: ..."
//   if (pages->holds(line)) ...
//
// Cost: about 5 ns a column, and the tests themselves; `and` and `or` stop as soon as the result is
// known. holds() uses buffers of the object, so an Expression belongs to one thread.
#ifndef SPINNERET_IO_EXPRESSION_H_
#define SPINNERET_IO_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret {

class Expression {
 public:
  // Tells whether a text matches a pattern.
  using Matches = std::function<bool(std::string_view text)>;
  // Compiles a regular expression. Returns an empty function if it is invalid, and says why in
  // `why`. The caller chooses the engine; this library has none.
  using CompilePattern = std::function<Matches(std::string_view pattern, std::string* why)>;

  static Result<Expression> compile(std::string_view text, const CompilePattern& pattern);

  // Whether the expression holds for the record in `line`.
  bool holds(std::string_view line);
  // Gives the same answer by another way, which searches the fields for each key. Slow; for tests.
  bool holds_slowly(std::string_view line);

  // For warnings about typing errors: unmet() returns the fields (other than url) that no record
  // given to holds() has had; compared_with() returns the values that a field is compared with by
  // `=` and `!=`. All are views into the expression.
  std::vector<std::string_view> unmet() const;
  std::vector<std::string_view> compared_with(std::string_view field) const;

 private:
  friend class ExpressionParser;

  enum class Operator : std::uint8_t {
    kHas,
    kEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kMatches
  };
  struct Test {
    std::size_t key;  // index into keys_
    Operator op;
    std::string text;
    double number;
    Matches matches;
  };
  // The program is for a machine with one register. It needs no stack, since every jump keeps the
  // value that decided it: `a and (b or not c)` is  test a; if-false 6; test b; if-true 6; test c;
  // not.
  enum class Action : std::uint8_t { kTest, kNot, kIfFalse, kIfTrue };
  struct Step {
    Action action;
    std::size_t operand;  // kTest: index into tests_; jumps: index into steps_
  };
  struct Value {
    std::size_t key;
    std::string_view raw;
  };

  void find_values(std::string_view line);
  bool run(const std::vector<Value>& values);
  bool passes(const Test& test, const std::vector<Value>& values);
  bool passes(const Test& test, std::string_view value);

  std::vector<std::string> keys_;
  std::vector<char> met_;  // whether a record has had the key; parallel to keys_
  std::vector<Test> tests_;
  std::vector<Step> steps_;
  std::vector<Value> found_;
  std::string unescaped_;
};

// Parses a number as the order operators read it: -1, 200, 0.5, .5, 1e3. No space, no NaN, no
// infinity.
bool parse_number(std::string_view text, double& number);

}  // namespace spinneret

#endif  // SPINNERET_IO_EXPRESSION_H_
