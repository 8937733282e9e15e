// SPDX-License-Identifier: Apache-2.0
// A question to a record, compiled once and asked of each line (records(1) has the grammar for users):
//
//   expression = and-term *( "or" and-term )
//   and-term   = not-term *( "and" not-term )
//   not-term   = "not" not-term / "(" expression ")" / test
//   test       = "has" FIELD / FIELD ( "=" / "!=" / "<" / "<=" / ">" / ">=" / "~" / "!~" ) VALUE
//
// FIELD is a key, or `url`, which is column 1. VALUE is a bare word, up to a space or a parenthesis that it has not
// opened itself (so `type~^text/(html|css)` needs no quotes), or stands in '...' or "...", where a backslash takes the
// meaning from a quote or a backslash and stands for itself before anything else.
//
// A test looks at values with their escapes undone. Of a key that repeats one value that passes is enough, and a
// field that is missing passes none. `!=` and `!~` are `not =` and `not ~`: a missing field passes both. `=` compares
// bytes, the order operators numbers (a sign, a fraction and an exponent are fine); what is no number is in no order.
//
//   auto pages = Expression::compile("outcome=ok and status<300", compile_pattern);
//   if (!pages.ok()) ...;                  // "column 12: ..."
//   if (pages->holds(line)) ...
//
// Cost: one look at each column, some 5 ns, and what the tests take: `and` and `or` stop at what decides them.
// holds() uses buffers of the object: an Expression belongs to one thread.
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
  // Whether a text matches a pattern.
  using Matches = std::function<bool(std::string_view text)>;
  // A regular expression, compiled; empty where it is none, and `why` says so. This library knows no engine.
  using CompilePattern = std::function<Matches(std::string_view pattern, std::string* why)>;

  static Result<Expression> compile(std::string_view text, const CompilePattern& pattern);

  // Whether it holds of the record in `line`.
  bool holds(std::string_view line);
  // The same, by looking for each test's values from the start of the line: for tests.
  bool holds_slowly(std::string_view line);

  // For who tells mistypings: the fields that no record given to holds() has had, url aside; and what a field is
  // compared with by `=` and `!=`. Views into the expression.
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
    std::size_t key;  // in keys_
    Operator op;
    std::string text;
    double number;
    Matches matches;
  };
  // A machine with one register and no stack, since every jump keeps what decided it:
  // `a and (b or not c)` is  test a; if-false 6; test b; if-true 6; test c; not.
  enum class Action : std::uint8_t { kTest, kNot, kIfFalse, kIfTrue };
  struct Step {
    Action action;
    std::size_t operand;  // of kTest in tests_, of a jump in steps_
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
  std::vector<char> met_;  // by key
  std::vector<Test> tests_;
  std::vector<Step> steps_;
  std::vector<Value> found_;
  std::string unescaped_;
};

// A number as the order operators read it: -1, 200, 0.5, .5, 1e3. No space, no NaN, no infinity.
bool parse_number(std::string_view text, double& number);

}  // namespace spinneret

#endif  // SPINNERET_IO_EXPRESSION_H_
