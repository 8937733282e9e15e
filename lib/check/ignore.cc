// SPDX-License-Identifier: Apache-2.0
#include "check/ignore.h"

#include <algorithm>
#include <cstring>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "io/record.h"

namespace spinneret::check {
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

// Takes at most linear time for each '*', since only the last one is ever tried again.
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
                   ": write after the pattern why it is ignored: " + excerpt(rule.pattern)};
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

void InlineIgnore::begin(std::string_view text) {
  constexpr std::string_view kMark = "<!-- link-check ";
  text_ = text;
  lines_.clear();
  offs_.clear();
  faults_.clear();
  off_ = std::string_view::npos;
  line_end_ = 0;
  if (text.empty()) return;  // data() may be nullptr
  // memmem(3) skips ahead by the length of the needle, whereas a page has a '<' every few bytes.
  const auto find = [text, kMark](std::size_t from) {
    const void* const found =
        ::memmem(text.data() + from, text.size() - from, kMark.data(), kMark.size());
    return found == nullptr
               ? std::string_view::npos
               : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  };
  for (std::size_t at = find(0); at != std::string_view::npos;) {
    const std::size_t end = text.find("-->", at);
    if (end == std::string_view::npos) break;
    add(at, trim(text.substr(at + kMark.size(), end - at - kMark.size())), end + 3);
    at = find(end);
  }
  if (off_ != std::string_view::npos) offs_.push_back({off_, text.size(), off_});
}

void InlineIgnore::add(std::size_t comment, std::string_view words, std::size_t behind) {
  if (words == "on") {
    if (off_ != std::string_view::npos) offs_.push_back({off_, comment, off_});
    off_ = std::string_view::npos;
    return;
  }
  const bool is_off = words.starts_with("off:");
  const std::string_view why = is_off                         ? words.substr(4)
                               : words.starts_with("ignore:") ? words.substr(7)
                                                              : "";
  if (trim(why).empty())
    return faults_.push_back({comment, "link-check takes ignore: REASON, off: REASON and on here"});
  if (is_off) {
    if (off_ == std::string_view::npos) off_ = comment;
    return;
  }
  if (comment < line_end_) return;  // a second comment on its line
  const std::size_t before = text_.rfind('\n', comment);
  const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
  line_end_ = std::min(text_.find('\n', behind), text_.size());
  const bool alone = trim(text_.substr(line, comment - line)).empty() &&
                     trim(text_.substr(behind, line_end_ - behind)).empty();
  const std::size_t end = alone && line_end_ != text_.size()
                              ? std::min(text_.find('\n', line_end_ + 1), text_.size())
                              : line_end_;
  lines_.push_back({line, end, comment});
}

bool InlineIgnore::covers(std::size_t offset) {
  bool covered = false;
  for (std::vector<Range>* const ranges : {&lines_, &offs_}) {
    auto at =
        std::upper_bound(ranges->begin(), ranges->end(), offset,
                         [](std::size_t value, const Range& range) { return value < range.end; });
    // One line may have two: a comment in it, and one that is alone on the line before.
    for (; at != ranges->end() && at->begin <= offset; ++at) at->used = covered = true;
  }
  return covered;
}

std::vector<InlineIgnore::Remark> InlineIgnore::remarks() const {
  std::vector<Remark> out = faults_;
  for (const std::vector<Range>* const ranges : {&lines_, &offs_})
    for (const Range& range : *ranges)
      if (!range.used) out.push_back({range.comment, "there is no link that this ignores"});
  std::sort(out.begin(), out.end(),
            [](const Remark& a, const Remark& b) { return a.offset < b.offset; });
  return out;
}

bool Baseline::add_record(std::string_view line) {
  Record record;
  record.parse(line);
  if (!record.has("verdict")) return false;
  const std::string verdict(record.get("verdict").value_or(""));
  const std::string file(record.get("file").value_or(""));
  known_.insert(
      key_of(verdict, record.url(), file.empty() ? record.get("via").value_or("") : file));
  return true;
}

bool Baseline::has(const Finding& finding) const {
  return !known_.empty() &&
         known_.count(key_of(to_string(finding.verdict), finding.target,
                             finding.file.empty() ? finding.page : finding.file)) != 0;
}

}  // namespace spinneret::check
