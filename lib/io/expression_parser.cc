// SPDX-License-Identifier: Apache-2.0
#include "io/expression_parser.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "io/record.h"

namespace spinneret {
namespace {

constexpr std::size_t kMaxDepth = 200;  // of parentheses

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool is_key_char(char c) { return is_lower(c) || is_digit(c) || c == '.' || c == '-'; }

}  // namespace

Result<Expression> ExpressionParser::parse() {
  if (!parse_or()) return Error{error_};
  skip_space();
  if (at_ != text_.size()) {
    fail(at_,
         text_[at_] == ')' ? "a parenthesis that was not opened" : "\"and\" or \"or\" expected");
    return Error{error_};
  }
  return std::move(made_);
}

bool ExpressionParser::parse_terms(std::string_view word, Action jump,
                                   bool (ExpressionParser::*term)()) {
  if (!(this->*term)()) return false;
  std::vector<std::size_t> jumps;
  while (take_word(word)) {
    jumps.push_back(made_.steps_.size());
    add_step(jump);
    if (!(this->*term)()) return false;
  }
  for (const std::size_t from : jumps) made_.steps_[from].operand = made_.steps_.size();
  return true;
}

bool ExpressionParser::parse_not() {
  bool negated = false;
  for (;;) {
    skip_space();
    const std::size_t start = at_;
    if (!take_word("not")) break;
    if (operator_is_next()) {  // "not" is the name of a field here
      at_ = start;
      break;
    }
    negated = !negated;
  }
  if (!parse_group()) return false;
  if (negated) add_step(Action::kNot);
  return true;
}

bool ExpressionParser::parse_group() {
  skip_space();
  if (at_ == text_.size() || text_[at_] != '(') return parse_test();
  const std::size_t open = at_++;
  if (++depth_ > kMaxDepth) return fail(open, "parentheses nest too deep");
  if (!parse_or()) return false;
  skip_space();
  if (at_ == text_.size() || text_[at_] != ')')
    return fail(open, "a parenthesis that is not closed");
  ++at_;
  --depth_;
  return true;
}

bool ExpressionParser::parse_test() {
  const std::size_t start = at_;
  const std::string_view key = take_key();
  if (!is_field_key(key))
    return fail(start, "the name of a field expected (a-z, 0-9, \".\", \"-\")");
  if (operator_is_next()) return parse_comparison(key);
  if (key == "has") return parse_has();
  return fail(at_,
              "an operator expected (= != < <= > >= ~ !~), or \"has " + std::string(key) + "\"");
}

bool ExpressionParser::parse_has() {
  skip_space();
  const std::size_t start = at_;
  const std::string_view key = take_key();
  if (!is_field_key(key)) return fail(start, "the name of a field expected after \"has\"");
  add_step(Action::kTest, made_.tests_.size());
  made_.tests_.push_back({key_index(key), Operator::kHas, {}, 0, {}});
  return true;
}

bool ExpressionParser::parse_comparison(std::string_view field) {
  Comparison comparison{};
  if (!take_operator(comparison)) return false;
  skip_space();
  const std::size_t start = at_;
  Expression::Test test{key_index(field), comparison.op, {}, 0, {}};
  if (!take_value(test.text)) return false;
  if (test.op == Operator::kMatches) {
    std::string why;
    test.matches = pattern_(test.text, &why);
    if (!test.matches) return fail(start, "no regular expression: " + why);
  } else if (test.op != Operator::kEqual && !parse_number(test.text, test.number)) {
    return fail(start, "a number expected, which < <= > >= compare");
  }
  add_step(Action::kTest, made_.tests_.size());
  made_.tests_.push_back(std::move(test));
  if (comparison.negated) add_step(Action::kNot);
  return true;
}

bool ExpressionParser::take_operator(Comparison& comparison) {
  static constexpr std::pair<std::string_view, Comparison> kOperators[] = {
      {"!=", {Operator::kEqual, true}},      {"!~", {Operator::kMatches, true}},
      {"<=", {Operator::kLessEqual, false}}, {">=", {Operator::kGreaterEqual, false}},
      {"=", {Operator::kEqual, false}},      {"<", {Operator::kLess, false}},
      {">", {Operator::kGreater, false}},    {"~", {Operator::kMatches, false}},
  };
  skip_space();
  for (const auto& [sign, meaning] : kOperators) {
    if (!text_.substr(at_).starts_with(sign)) continue;
    comparison = meaning;
    at_ += sign.size();
    // Habits from other languages ("==", "=~") would otherwise compare with "=ok".
    if (at_ < text_.size() && text_[at_] == '=')
      return fail(at_, "one = compares (put a value that begins with = in quotes)");
    if (sign == "=" && at_ < text_.size() && text_[at_] == '~')
      return fail(at_, "~ alone asks for a pattern");
    return true;
  }
  return fail(at_, "an operator expected: = != < <= > >= ~ !~");
}

bool ExpressionParser::take_value(std::string& value) {
  const std::size_t start = at_;
  if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) return take_quoted(value);
  std::size_t open = 0;
  for (; at_ < text_.size() && !is_blank(text_[at_]); ++at_) {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
      ++at_;  // an escaped parenthesis in a pattern opens and closes nothing
    } else if (text_[at_] == '(') {
      ++open;
    } else if (text_[at_] == ')' && open-- == 0) {
      break;
    }
  }
  value = text_.substr(start, at_ - start);
  return !value.empty() || fail(start, "a value expected (the empty one is \"\")");
}

bool ExpressionParser::take_quoted(std::string& value) {
  const std::size_t start = at_;
  const char quote = text_[at_++];
  for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (text_[at_] == '\\' && (next == quote || next == '\\')) ++at_;
    value += text_[at_];
  }
  if (at_ == text_.size()) return fail(start, "a quote that is not closed");
  ++at_;
  if (at_ == text_.size() || is_blank(text_[at_]) || text_[at_] == ')') return true;
  return fail(at_, "a space expected after the quote");
}

std::string_view ExpressionParser::take_key() {
  const std::size_t start = at_;
  while (at_ < text_.size() && is_key_char(text_[at_])) ++at_;
  return text_.substr(start, at_ - start);
}

bool ExpressionParser::take_word(std::string_view word) {
  skip_space();
  const std::size_t end = at_ + word.size();
  if (!text_.substr(at_).starts_with(word) || (end < text_.size() && is_key_char(text_[end])))
    return false;
  at_ = end;
  return true;
}

bool ExpressionParser::operator_is_next() const {
  const std::size_t next = text_.find_first_not_of(" \t\n", at_);
  return next != std::string_view::npos &&
         std::string_view("=!<>~").find(text_[next]) != std::string_view::npos;
}

void ExpressionParser::skip_space() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

bool ExpressionParser::fail(std::size_t at, const std::string& why) {
  error_ = "column " + std::to_string(at + 1) + ": " + why;
  return false;
}

std::size_t ExpressionParser::key_index(std::string_view key) {
  auto& keys = made_.keys_;
  const auto known = std::find(keys.begin(), keys.end(), key);
  if (known != keys.end()) return static_cast<std::size_t>(known - keys.begin());
  keys.emplace_back(key);
  return keys.size() - 1;
}

}  // namespace spinneret
