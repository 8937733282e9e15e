// SPDX-License-Identifier: Apache-2.0
#include "check/fix.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/number.h"
#include "url/parse.h"

namespace spinneret::check {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kContext = 3;

std::size_t offset_of(std::string_view bytes, const std::vector<std::size_t>& lines,
                      const Finding& finding) {
  if (finding.line > lines.size() || finding.column == 0) return kNone;
  const std::size_t at = lines[finding.line - 1];
  return finding.column - 1 >= bytes.size() - at ? kNone : at + finding.column - 1;
}

struct Value {
  std::size_t begin = 0;
  std::size_t end = 0;
  char quote = 0;
};

// Finds the value of an attribute of the tag that begins at `at` (HTML 13.2.5.32 and on, without
// its rules for NUL).
std::optional<Value> attribute_value(std::string_view bytes, std::size_t at,
                                     std::string_view name) {
  const auto skip = [&bytes, &at](auto&& wanted) {
    while (at < bytes.size() && wanted(bytes[at])) ++at;
  };
  skip([](char c) { return !is_space(c) && c != '/' && c != '>'; });
  while (at < bytes.size()) {
    skip([](char c) { return is_space(c) || c == '/'; });
    if (at >= bytes.size() || bytes[at] == '>') return std::nullopt;
    const std::size_t begin = at;
    ++at;
    skip([](char c) { return !is_space(c) && c != '/' && c != '>' && c != '='; });
    const std::string_view found = bytes.substr(begin, at - begin);
    skip(is_space);
    if (at >= bytes.size() || bytes[at] != '=') continue;
    ++at;
    skip(is_space);
    Value value{at, at, 0};
    if (at < bytes.size() && (bytes[at] == '"' || bytes[at] == '\'')) {
      value.quote = bytes[at];
      value.begin = at + 1;
      value.end = bytes.find(value.quote, value.begin);
      if (value.end == kNone) return std::nullopt;
      at = value.end + 1;
    } else {
      skip([](char c) { return !is_space(c) && c != '>'; });
      value.end = at;
    }
    if (!equals_ignore_case(found, name)) continue;
    while (value.begin != value.end && is_space(bytes[value.begin])) ++value.begin;
    while (value.begin != value.end && is_space(bytes[value.end - 1])) --value.end;
    return value;
  }
  return std::nullopt;
}

// Returns how many bytes at the start of `text` are the target: exactly as it is, or, for a host,
// without its last slash.
std::size_t written_size(std::string_view text, std::string_view target) {
  if (text.starts_with(target)) return target.size();
  if (!target.ends_with('/')) return 0;
  target.remove_suffix(1);
  const bool is_host = target.find('/', target.find("://") + 3) == kNone;
  return is_host && text.starts_with(target) ? target.size() : 0;
}

std::optional<std::string> new_url(const Finding& finding) {
  std::string out(finding.location);
  Url url;
  if (!parse(out, url) || !url.is_http()) return std::nullopt;
  if (finding.target.starts_with("https:") && !out.starts_with("https:")) return std::nullopt;
  // No server may write a user name and password into a source: the part before '@' looks like a
  // host.
  if (out.substr(0, out.find('/', out.find("://") + 3)).find('@') != kNone) return std::nullopt;
  const std::size_t fragment = finding.target.find('#');
  if (fragment != kNone && out.find('#') == kNone) out.append(finding.target.substr(fragment));
  return out;
}

std::string with_references(std::string_view url) {
  std::string out;
  for (const char c : url) c == '&' ? out.append("&amp;") : out.append(1, c);
  return out;
}

// --- the diff ---

std::vector<std::string_view> lines_of(std::string_view bytes) {
  std::vector<std::string_view> out;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    out.push_back(bytes.substr(0, end));
    bytes.remove_prefix(end);
  }
  return out;
}

// Appends a name as git does: quoted if it has bytes that would otherwise end it.
void append_name(std::string& out, std::string_view mark, std::string_view side,
                 std::string_view path) {
  const bool quoted = std::any_of(path.begin(), path.end(), [](char c) {
    return is_control(c) || c == '"' || c == '\\' || static_cast<unsigned char>(c) >= 0x80;
  });
  out.append(mark).append(" ");
  if (!quoted) {
    out.append(side).append(path);
    if (path.find(' ') != kNone) out += '\t';  // marks the end of a name with blanks
  } else {
    out.append("\"").append(side);
    for (const char c : path) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out.append(1, '\\').append(1, c);
      } else if (is_control(c) || byte >= 0x80) {
        out += '\\';
        for (const unsigned shift : {6u, 3u, 0u})
          out += static_cast<char>('0' + ((byte >> shift) & 7));
      } else {
        out += c;
      }
    }
    out += '"';
  }
  out += '\n';
}

struct Change {
  std::size_t first;  // line number, from 0
  std::size_t last;   // one after the last line
  std::string text;   // the replacement for these lines
};

// Combines edits of the same lines into one change.
std::vector<Change> changes_of(const std::vector<std::string_view>& lines,
                               const std::vector<Edit>& edits) {
  std::vector<Change> out;
  std::size_t line = 0;
  std::size_t begin = 0;  // offset of that line
  std::size_t copied = 0;
  std::string_view bytes = lines.empty() ? std::string_view() : lines.front();
  const char* const base = bytes.data();
  for (const Edit& edit : edits) {
    const bool is_new = out.empty() || edit.offset >= begin + lines[line].size();
    if (is_new) {
      if (!out.empty()) out.back().text.append(base + copied, begin + lines[line].size() - copied);
      while (edit.offset >= begin + lines[line].size()) begin += lines[line++].size();
      copied = begin;
      out.push_back({line, line + 1, {}});
    }
    out.back().text.append(base + copied, edit.offset - copied).append(edit.text);
    copied = edit.offset + edit.size;
  }
  if (!out.empty()) out.back().text.append(base + copied, begin + lines[line].size() - copied);
  return out;
}

void append_line(std::string& out, char mark, std::string_view line) {
  out.append(1, mark).append(line);
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

}  // namespace

std::vector<std::size_t> line_begins(std::string_view bytes) {
  std::vector<std::size_t> out = {bytes.starts_with("\xEF\xBB\xBF") ? std::size_t{3} : 0};
  for (std::size_t at = bytes.find('\n'); at != kNone; at = bytes.find('\n', at + 1))
    out.push_back(at + 1);
  return out;
}

std::optional<Edit> fix_of(const Finding& finding, std::string_view bytes,
                           const std::vector<std::size_t>& line_begins) {
  if (finding.verdict != Verdict::kMoved || finding.line == 0) return std::nullopt;
  // A target in brackets may span lines in a source; an edit cannot, and a URL has no line feed.
  if (finding.target.find('\n') != kNone) return std::nullopt;
  const std::size_t at = offset_of(bytes, line_begins, finding);
  auto url = new_url(finding);
  if (at == kNone || !url) return std::nullopt;
  if (bytes[at] != '<' || finding.tag.find('@') == kNone) {
    // In a text source the URL itself begins here.
    constexpr std::string_view kNotThere = " \t\"'<>()[]{}\\`*_|^";
    if (finding.tag.find("@") == kNone || url->find_first_of(kNotThere) != kNone)
      return std::nullopt;
    // In the new URL, "&copy;" would be read as a character.
    if (const std::size_t mark = url->find('&'); mark != kNone && url->find(';', mark) != kNone)
      return std::nullopt;
    const std::size_t size = written_size(bytes.substr(at), finding.target);
    const std::string_view behind = bytes.substr(at + size, 1);
    constexpr std::string_view kEnds = " \t\r\n\"'<>()[]`|,.;*_";
    if (size == 0 || (!behind.empty() && kEnds.find(behind[0]) == kNone)) return std::nullopt;
    return Edit{at, size, std::move(*url)};
  }
  const auto value = attribute_value(bytes, at, finding.tag.substr(finding.tag.find('@') + 1));
  if (!value || value->begin == value->end) return std::nullopt;
  const std::string_view written = bytes.substr(value->begin, value->end - value->begin);
  if (written_size(written, finding.target) != written.size()) return std::nullopt;
  const std::string_view ends = value->quote == 0 ? "\"'`=<> " : value->quote == '"' ? "\"" : "'";
  if (url->find_first_of(ends) != kNone) return std::nullopt;
  return Edit{value->begin, written.size(), with_references(*url)};
}

void append_diff(std::string& out, std::string_view path, std::string_view bytes,
                 std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  edits.erase(
      std::unique(edits.begin(), edits.end(),
                  [](const Edit& a, const Edit& b) { return b.offset < a.offset + a.size; }),
      edits.end());
  if (edits.empty()) return;
  const std::vector<std::string_view> lines = lines_of(bytes);
  const std::vector<Change> changes = changes_of(lines, edits);
  // Names are written as git does, which accepts neither "a/./x" nor "a//x".
  while (path.starts_with("./") || path.starts_with('/')) path.remove_prefix(path.find('/') + 1);
  append_name(out, "---", "a/", path);
  append_name(out, "+++", "b/", path);
  for (std::size_t i = 0; i != changes.size();) {
    std::size_t behind = i + 1;
    while (behind != changes.size() &&
           changes[behind].first <= changes[behind - 1].last + 2 * kContext)
      ++behind;
    const std::size_t first = changes[i].first - std::min(changes[i].first, kContext);
    const std::size_t last = std::min(changes[behind - 1].last + kContext, lines.size());
    out += "@@ -";
    for (const char* const next : {" +", " @@\n"}) {
      append_unsigned(out, first + 1);
      out += ',';
      append_unsigned(out, last - first);
      out += next;
    }
    for (std::size_t line = first; line != last;) {
      if (i != behind && changes[i].first == line) {
        append_line(out, '-', lines[line++]);
        append_line(out, '+', changes[i++].text);
      } else {
        append_line(out, ' ', lines[line++]);
      }
    }
  }
}

}  // namespace spinneret::check
