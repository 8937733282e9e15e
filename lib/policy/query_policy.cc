// SPDX-License-Identifier: Apache-2.0
#include "policy/query_policy.h"

#include <algorithm>

#include "url/params.h"
#include "url/percent.h"

namespace spinneret::policy {
namespace {

bool has_name(const QueryPolicy::Set& set, std::string_view raw) {
  std::string decoded;
  std::string_view name = raw;
  if (raw.find_first_of("%+") != std::string_view::npos) {
    std::string spaced(raw);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    append_percent_decoded(decoded, spaced);
    name = decoded;
  }
  return std::any_of(set.names.begin(), set.names.end(), [name](const std::string& own) {
    if (!own.ends_with('*')) return name == own;
    return name.starts_with(std::string_view(own).substr(0, own.size() - 1));
  });
}

bool holds_all(const QueryPolicy::Set& set, std::string_view query) {
  bool all = true;
  for_each_param(query, [&](std::string_view param) {
    return all = param.empty() || has_name(set, raw_param_name(param));
  });
  return all;
}

void append_kept(const QueryPolicy::Set& set, std::string_view query, std::string& kept) {
  kept.clear();
  for_each_param(query, [&](std::string_view param) {
    if (param.empty() || !has_name(set, raw_param_name(param))) return;
    if (!kept.empty()) kept += '&';
    kept += param;
  });
}

}  // namespace

void QueryPolicy::add(std::string_view path, Set set) {
  if (!path.ends_with('*')) {
    exact_[std::string(path)].push_back(std::move(set));
    return;
  }
  path.remove_suffix(1);
  const auto same = std::find_if(prefixes_.begin(), prefixes_.end(),
                                 [path](const auto& entry) { return entry.first == path; });
  if (same != prefixes_.end()) {
    same->second.push_back(std::move(set));
    return;
  }
  const auto place = std::find_if(prefixes_.begin(), prefixes_.end(), [path](const auto& entry) {
    return entry.first.size() < path.size();
  });
  prefixes_.insert(place, {std::string(path), {std::move(set)}});
}

const std::vector<QueryPolicy::Set>* QueryPolicy::find(std::string_view path) const {
  const auto exact = exact_.find(path);
  if (exact != exact_.end()) return &exact->second;
  for (const auto& [prefix, sets] : prefixes_) {
    if (path.starts_with(prefix)) return &sets;
  }
  return nullptr;
}

QueryPolicy::Answer QueryPolicy::judge(std::string_view path, std::string_view query,
                                       std::uint32_t& line, std::string& kept) const {
  const std::vector<Set>* const sets = find(path);
  if (sets == nullptr) return Answer::kNoRule;
  for (const Set& set : *sets) {
    if (!holds_all(set, query)) continue;
    line = set.line;
    return Answer::kAllowed;
  }
  for (const Set& set : *sets) {
    if (!set.strip) continue;
    line = set.line;
    append_kept(set, query, kept);
    return Answer::kStrip;
  }
  line = sets->front().line;
  return Answer::kBlocked;
}

}  // namespace spinneret::policy
