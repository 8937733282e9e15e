// SPDX-License-Identifier: Apache-2.0
#include "io/expression.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "io/expression_parser.h"
#include "io/record.h"

namespace spinneret {
namespace {

constexpr std::string_view kUrl = "url";

}  // namespace

bool parse_number(std::string_view text, double& number) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  // Checks the first byte, to refuse "inf" and "nan", which from_chars() would accept.
  if (text.size() == sign || (text[sign] != '.' && (text[sign] < '0' || text[sign] > '9')))
    return false;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

Result<Expression> Expression::compile(std::string_view text, const CompilePattern& pattern) {
  return ExpressionParser(text, pattern).parse();
}

bool Expression::holds(std::string_view line) {
  find_values(line);
  return run(found_);
}

bool Expression::holds_slowly(std::string_view line) {
  found_.clear();
  Record record;
  record.parse(line);
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    if (keys_[key] == kUrl) found_.push_back({key, record.url()});
    for (const Record::Field& field : record.fields()) {
      if (field.key == keys_[key] && keys_[key] != kUrl) found_.push_back({key, field.raw});
    }
  }
  return run(found_);
}

// Finds the values of all keys of the expression, in one pass over the columns.
void Expression::find_values(std::string_view line) {
  found_.clear();
  met_.resize(keys_.size());
  std::size_t tab = line.find('\t');
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    if (keys_[key] == kUrl) found_.push_back({key, line.substr(0, tab)});
  }
  while (tab != std::string_view::npos) {
    line.remove_prefix(tab + 1);
    tab = line.find('\t');
    const std::string_view column = line.substr(0, tab);
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      const std::string& name = keys_[key];
      if (column.size() <= name.size() || column[name.size()] != '=' || !column.starts_with(name))
        continue;
      if (name != kUrl) found_.push_back({key, column.substr(name.size() + 1)});
      met_[key] = 1;
      break;
    }
  }
}

std::vector<std::string_view> Expression::unmet() const {
  std::vector<std::string_view> out;
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    if (keys_[key] != kUrl && (key >= met_.size() || met_[key] == 0)) out.emplace_back(keys_[key]);
  }
  return out;
}

std::vector<std::string_view> Expression::compared_with(std::string_view field) const {
  std::vector<std::string_view> out;
  for (const Test& test : tests_) {
    if (test.op == Operator::kEqual && keys_[test.key] == field) out.emplace_back(test.text);
  }
  return out;
}

bool Expression::run(const std::vector<Value>& values) {
  bool holds = true;
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const Step& step = steps_[at];
    switch (step.action) {
      case Action::kTest: holds = passes(tests_[step.operand], values); break;
      case Action::kNot: holds = !holds; break;
      case Action::kIfFalse:
        if (!holds) at = step.operand - 1;
        break;
      case Action::kIfTrue:
        if (holds) at = step.operand - 1;
        break;
    }
  }
  return holds;
}

bool Expression::passes(const Test& test, const std::vector<Value>& values) {
  for (const Value& value : values) {
    if (value.key != test.key) continue;
    if (test.op == Operator::kHas) return true;
    std::string_view text = value.raw;
    // Column 1 is not escaped.
    if (text.find('\\') != std::string_view::npos && keys_[test.key] != kUrl) {
      unescaped_.clear();
      append_unescaped(unescaped_, text);
      text = unescaped_;
    }
    if (passes(test, text)) return true;
  }
  return false;
}

bool Expression::passes(const Test& test, std::string_view value) {
  if (test.op == Operator::kEqual) return value == test.text;
  if (test.op == Operator::kMatches) return test.matches(value);
  double number = 0;
  if (!parse_number(value, number)) return false;
  switch (test.op) {
    case Operator::kLess: return number < test.number;
    case Operator::kLessEqual: return number <= test.number;
    case Operator::kGreater: return number > test.number;
    default: return number >= test.number;
  }
}

}  // namespace spinneret
