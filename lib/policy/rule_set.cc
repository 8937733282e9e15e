// SPDX-License-Identifier: Apache-2.0
#include "policy/rule_set.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace spinneret::policy {
namespace {

// The ends of a path's last segment that look like extensions, shortest first ("/a/x.tar.gz": "gz",
// "tar.gz"), in lower case, at most four and at most 15 bytes each. A segment without any gives
// one, "-".
struct FileExtensions {
  std::array<std::string_view, 4> ends;  // into `bytes`, or static
  std::size_t count = 0;
  std::array<char, 16> bytes;
};

void file_extensions(std::string_view path, FileExtensions& out) {
  const std::size_t size = path.size();
  out.count = 0;
  // Converts to lower case from the end up to the slash. A dot at the beginning hides a file, and
  // one at the end means nothing.
  std::size_t room = out.bytes.size();
  for (std::size_t at = size; at > 0 && room > 0 && out.count < out.ends.size();) {
    const char c = path[--at];
    if (c == '/') break;
    const bool ends_here = c == '.' && at + 1 < size && at > 0 && path[at - 1] != '/';
    if (ends_here) out.ends[out.count++] = {&out.bytes[room], out.bytes.size() - room};
    out.bytes[--room] = to_lower(c);
  }
  if (out.count == 0) out.ends[out.count++] = "-";
}

}  // namespace

void RuleSet::compile() {
  patterns.compile();
  if (!budgets->list.empty()) budgets.make().patterns.compile();
  if (links != nullptr) links->compile();
}

bool RuleSet::has_allow() const {
  return std::any_of(first_allow->lines.begin(), first_allow->lines.end(),
                     [](std::uint32_t line) { return line != kNoLine; });
}

void RuleSet::match_url(const Url& target, std::string_view href, Ids& ids) const {
  for (const auto& [scheme, line] : *schemes) {
    if (target.scheme() == scheme) ids.push_back(line);
  }
  patterns.match({href, target.path(), target.query()}, ids);
  for (const ListRule& list : *lists) {
    if (list.keys.contains(target, href)) ids.push_back(list.line);
  }
  if (extensions->empty()) return;
  FileExtensions found;
  file_extensions(target.path(), found);
  for (std::size_t i = 0; i < found.count; ++i) {
    const auto lines = extensions->find(found.ends[i]);
    if (lines != extensions->end())
      ids.insert(ids.end(), lines->second.begin(), lines->second.end());
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
  for (const auto& [pattern, line] : *types) {
    if (is_media_type(type, pattern)) ids.push_back(line);
  }
}

}  // namespace spinneret::policy
