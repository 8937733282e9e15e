// SPDX-License-Identifier: Apache-2.0
// Turns the text of an expression into its program, by recursive descent over the grammar in
// io/expression.h. Private to io/expression.cc.
#ifndef SPINNERET_IO_EXPRESSION_PARSER_H_
#define SPINNERET_IO_EXPRESSION_PARSER_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "io/expression.h"

namespace spinneret {

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Expression::CompilePattern& pattern)
      : text_(text), pattern_(pattern) {}
  // Must be called only once.
  Result<Expression> parse();

 private:
  using Action = Expression::Action;
  using Operator = Expression::Operator;
  struct Comparison {
    Operator op;
    bool negated;
  };

  // Each of these parses its part of the text and appends its steps. Where one returns false,
  // error_ is set.
  bool parse_terms(std::string_view word, Action jump, bool (ExpressionParser::*term)());
  bool parse_or() { return parse_terms("or", Action::kIfTrue, &ExpressionParser::parse_and); }
  bool parse_and() { return parse_terms("and", Action::kIfFalse, &ExpressionParser::parse_not); }
  bool parse_not();
  bool parse_group();
  bool parse_test();
  bool parse_has();
  bool parse_comparison(std::string_view field);

  bool take_operator(Comparison& comparison);
  bool take_value(std::string& value);
  bool take_quoted(std::string& value);
  std::string_view take_key();
  // Takes the word if it comes next and is not just the beginning of a longer one.
  bool take_word(std::string_view word);
  bool operator_is_next() const;
  void skip_space();
  bool fail(std::size_t at, const std::string& why);

  std::size_t key_index(std::string_view key);
  void add_step(Action action, std::size_t operand = 0) {
    made_.steps_.push_back({action, operand});
  }

  std::string_view text_;
  const Expression::CompilePattern& pattern_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::string error_;
  Expression made_;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_EXPRESSION_PARSER_H_
