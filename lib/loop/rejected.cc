// SPDX-License-Identifier: Apache-2.0
#include "loop/rejected.h"

#include <algorithm>
#include <utility>

#include "base/excerpt.h"
#include "io/record.h"

namespace spinneret::loop {
namespace {

// A policy has few rules. The bound protects memory from records with many others.
constexpr std::size_t kMostRules = 10'000;
constexpr std::string_view kOthers = "other rules";
constexpr std::size_t kExamples = 5;
constexpr std::size_t kExampleRules = 32;

bool is_kept(std::string_view key) {
  return key == "via" || key == "tag" || key == "depth" || key == "rule" || key == "policy" ||
         key == "class" || key == "why";
}

}  // namespace

Result<Rejected> Rejected::open(const std::string& path) {
  Result<LineFile> opened = LineFile::open(path);
  if (!opened.ok()) return opened.error();
  Rejected made;
  made.file_.emplace(opened.take());
  return made;
}

void Rejected::add(std::string_view record) {
  ++total_;
  rule_.clear();
  const auto append = [this, record](std::string_view key, std::string_view before,
                                     std::string_view after) {
    const std::optional<std::string_view> value = find_raw_field(record, key);
    if (!value || value->empty()) return false;
    rule_ += before;
    append_unescaped(rule_, *value);
    rule_ += after;
    return true;
  };
  if (append("rule", "", "")) {
    append("policy", " (", ")");
  } else if (!append("class", "", "")) {
    rule_ = "the policy";
  }
  auto at = by_rule_.find(rule_);
  if (at == by_rule_.end())
    at = by_rule_.try_emplace(by_rule_.size() < kMostRules ? rule_ : std::string(kOthers)).first;
  if (++at->second <= kExamples) keep_example(record);
  if (!file_) return;
  lines_ += record_url(record);
  for (std::size_t tab = record.find('\t'); tab != std::string_view::npos;) {
    const std::size_t end = record.find('\t', tab + 1);
    const std::string_view column = record.substr(tab, end - tab);
    if (is_kept(column.substr(1, column.find('=') - 1))) lines_ += column;
    tab = end;
  }
  lines_ += "\toutcome=blocked-by-policy\n";
}

// Keeps the record as an example for the rule in rule_.
void Rejected::keep_example(std::string_view record) {
  if (find_raw_field(record, "tag") == "location" && redirects_.size() < kExamples) {
    std::string via;
    append_unescaped(via, find_raw_field(record, "via").value_or(""));
    redirects_.emplace_back(excerpt(via),
                            excerpt(record_url(record)) + ", which is refused by " + rule_);
  }
  if (examples_.size() >= kExampleRules && !examples_.contains(rule_)) return;
  examples_[rule_].push_back(excerpt(record_url(record)));
}

std::vector<std::string> Rejected::examples(const std::string& rule) const {
  const auto at = examples_.find(rule);
  return at == examples_.end() ? std::vector<std::string>() : at->second;
}

Status Rejected::flush() {
  if (lines_.empty()) return {};
  Status written = file_->append(lines_);
  lines_.clear();
  return written;
}

std::vector<std::pair<std::string, std::uint64_t>> Rejected::top(std::size_t most) const {
  std::vector<std::pair<std::string, std::uint64_t>> out(by_rule_.begin(), by_rule_.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace spinneret::loop
