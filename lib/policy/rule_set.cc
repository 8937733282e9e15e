// SPDX-License-Identifier: Apache-2.0
#include "policy/rule_set.h"

#include "base/ascii.h"

namespace spinneret::policy {

void RuleSet::compile() {
  url.compile();
  path.compile();
  query.compile();
  budget_patterns.compile();
}

std::size_t file_extensions(std::string_view path, std::array<std::string, 4>& ends) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  std::size_t count = 0;
  // A dot at the begin hides a file and one at the end says nothing.
  std::size_t dots[4];
  std::size_t found = 0;
  for (std::size_t dot = file.rfind('.');
       dot != std::string_view::npos && dot > 0 && found < ends.size(); dot = file.rfind('.', dot - 1)) {
    dots[found++] = dot;
  }
  while (found > 0) {
    const std::string_view end = file.substr(dots[--found] + 1);
    if (!end.empty()) ends[count++] = to_lower_copy(end);
  }
  if (count == 0) ends[count++].assign(1, '-');
  return count;
}

void RuleSet::match_url(const Url& target, std::string_view href, Ids& ids) const {
  for (const auto& [scheme, line] : schemes) {
    if (target.scheme() == scheme) ids.push_back(line);
  }
  url.match(href, ids);
  path.match(target.path(), ids);
  query.match(target.query(), ids);
  for (const ListRule& list : lists) {
    if (list.keys.contains(target, href)) ids.push_back(list.line);
  }
  if (extensions.empty()) return;
  std::array<std::string, 4> ends;
  const std::size_t count = file_extensions(target.path(), ends);
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = extensions.find(ends[i]);
    if (found != extensions.end()) ids.insert(ids.end(), found->second.begin(), found->second.end());
  }
}

bool is_media_type(std::string_view type, std::string_view pattern) {
  type = trim(type.substr(0, type.find(';')));
  if (pattern == "*" || pattern == "*/*") return true;
  if (pattern.ends_with("/*")) {
    return starts_with_ignore_case(type, pattern.substr(0, pattern.size() - 1));
  }
  return equals_ignore_case(type, pattern);
}

void RuleSet::match_type(std::string_view type, Ids& ids) const {
  for (const auto& [pattern, line] : types) {
    if (is_media_type(type, pattern)) ids.push_back(line);
  }
}

}  // namespace spinneret::policy
