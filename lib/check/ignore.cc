// SPDX-License-Identifier: Apache-2.0
#include "check/ignore.h"

#include "base/ascii.h"
#include "base/excerpt.h"
#include "io/record.h"

namespace spinneret::links {
namespace {

std::string key_of(std::string_view verdict, std::string_view target, std::string_view place) {
  std::string out(verdict);
  out.append("\t").append(target).append("\t").append(place);
  return out;
}

std::string_view next_word(std::string_view& rest) {
  rest = trim(rest);
  std::size_t end = 0;
  while (end != rest.size() && !is_space(rest[end])) ++end;
  const std::string_view word = rest.substr(0, end);
  rest = trim(rest.substr(end));
  return word;
}

}  // namespace

bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i != kForm.size(); ++i) {
    if (kForm[i] == '0' ? !is_digit(text[i]) : text[i] != kForm[i]) return false;
  }
  return text.substr(5, 2) >= "01" && text.substr(5, 2) <= "12" && text.substr(8) >= "01" &&
         text.substr(8) <= "31";
}

// Linear in the text for each '*' at most: only the last one is ever tried again.
bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t != text.size()) {
    if (p != pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p != pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p != pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Status IgnoreRules::add_text(std::string_view text, const std::string& file,
                             std::string_view today) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view rest = trim(cut(text, '\n'));
    if (rest.empty() || rest.starts_with('#')) continue;
    Rule rule;
    rule.place = file + ":" + std::to_string(number);
    rule.pattern = next_word(rest);
    if (rest.starts_with("until=")) {
      const std::string_view day = next_word(rest).substr(6);
      if (!is_date(day))
        return Error{rule.place + ": until= takes a date as 2027-03-01, not " + excerpt(day)};
      rule.expired = day < today;
    }
    if (rest.empty())
      return Error{rule.place +
                   ": write behind the pattern why it is ignored: " + excerpt(rule.pattern)};
    rules_.push_back(std::move(rule));
  }
  return {};
}

bool IgnoreRules::ignores(std::string_view target) {
  bool ignored = false;
  for (Rule& rule : rules_) {
    if (!matches_glob(rule.pattern, target)) continue;
    rule.matched = true;
    ignored = ignored || !rule.expired;
  }
  return ignored;
}

std::vector<std::string> IgnoreRules::remarks() const {
  std::vector<std::string> out;
  for (const Rule& rule : rules_) {
    if (!rule.matched)
      out.push_back(rule.place + ": no finding matches " + excerpt(rule.pattern));
    else if (rule.expired)
      out.push_back(rule.place + ": its day is over: " + excerpt(rule.pattern));
  }
  return out;
}

void Baseline::add_record(std::string_view line) {
  Record record;
  record.parse(line);
  if (!record.has("verdict")) return;
  const std::string verdict(record.get("verdict").value_or(""));
  const std::string file(record.get("file").value_or(""));
  known_.insert(
      key_of(verdict, record.url(), file.empty() ? record.get("via").value_or("") : file));
}

bool Baseline::has(const Finding& finding) const {
  return !known_.empty() &&
         known_.count(key_of(to_string(finding.verdict), finding.target,
                             finding.file.empty() ? finding.page : finding.file)) != 0;
}

}  // namespace spinneret::links
