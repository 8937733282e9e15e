// SPDX-License-Identifier: Apache-2.0
// Texts from which pages are made, and what link-check changes in them. Beyond "no crash":
//  - a link is at the reported place, names end, and HTML stands where it stood in the text;
//  - a text read into an object used before gives the same;
//  - a remark about comments that ignore links is about such a comment; a glob agrees with its slow
//    twin;
//  - a patch, applied, is the text with the edit in it, and all other bytes as they were.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "check/fix.h"
#include "check/ignore.h"
#include "check/source.h"
#include "fuzz/turn.h"

namespace {

using namespace spinneret;
using namespace spinneret::check;

void require(bool holds) {
  if (!holds) std::abort();
}

bool same(const SourceText& a, const SourceText& b) {
  if (a.ids() != b.ids() || a.html() != b.html() || a.links().size() != b.links().size())
    return false;
  for (std::size_t i = 0; i < a.links().size(); ++i) {
    const SourceLink& left = a.links()[i];
    const SourceLink& right = b.links()[i];
    if (left.offset != right.offset || left.value != right.value || left.tag != right.tag)
      return false;
  }
  return true;
}

void check_source(std::string_view text, const SourceText& source) {
  std::size_t before = 0;
  for (const SourceLink& link : source.links()) {
    require(before <= link.offset && link.offset < text.size() && !link.tag.empty());
    before = link.offset;
    const bool is_view =
        text.data() <= link.value.data() && link.value.data() < text.data() + text.size();
    if (is_view) require(text.substr(link.offset).starts_with(link.value));
  }
  require(source.ids().empty() || source.ids().back() == '\0');
  const std::string_view html = source.html();
  if (html.empty()) return;
  require(html.size() == text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    require(html[i] == text[i] || (html[i] == ' ' && text[i] != '\n'));
}

// --- patches ------------------------------------------------------------------------------------

// Returns the text with the patch applied. The patch's other lines must be those of the text.
std::string patched(std::string_view text, std::string_view patch) {
  std::string out;
  std::size_t line = 1;  // the next line of `text`
  cut(patch, '\n');
  cut(patch, '\n');
  std::string_view last;
  while (!patch.empty()) {
    const std::string_view row = cut(patch, '\n');
    require(!row.empty());
    // The line before has no line end.
    if (row[0] == '\\') {
      if (last[0] != '-') out.pop_back();
      continue;
    }
    if (row[0] == '@') {
      std::size_t first = 0;
      for (const char c : row.substr(4, row.find(',') - 4))
        first = first * 10 + static_cast<std::size_t>(c - '0');
      require(first >= line);
      for (; line < first; ++line) out.append(cut(text, '\n')).append("\n");
    } else if (row[0] == '+') {
      out.append(row.substr(1)).append("\n");
    } else {
      const std::string_view old = cut(text, '\n');
      ++line;
      require(row.substr(1) == old);
      if (row[0] == ' ') out.append(old).append("\n");
    }
    last = row;
  }
  return out.append(text);
}

void check_fixes(std::string_view text, const SourceText& source) {
  const std::vector<std::size_t> begins = line_begins(text);
  std::vector<Edit> edits;
  std::string wanted;
  std::size_t copied = 0;
  for (const SourceLink& link : source.links()) {
    Finding finding;
    finding.verdict = Verdict::kMoved;
    finding.target = link.value;
    finding.location = "https://new.example/a";
    finding.tag = link.tag;
    finding.line = 1;
    while (finding.line < begins.size() && begins[finding.line] <= link.offset) ++finding.line;
    if (link.offset < begins[finding.line - 1]) continue;
    finding.column = link.offset - begins[finding.line - 1] + 1;
    const auto edit = fix_of(finding, text, begins);
    if (!edit) continue;
    require(edit->size != 0 && edit->offset <= text.size() &&
            edit->size <= text.size() - edit->offset);
    edits.push_back(*edit);
    if (edit->offset < copied) continue;
    wanted.append(text.substr(copied, edit->offset - copied)).append(edit->text);
    copied = edit->offset + edit->size;
  }
  if (edits.empty()) return;
  wanted.append(text.substr(copied));
  std::string patch;
  append_diff(patch, "a.md", text, edits);
  require(patched(text, patch) == wanted);
}

// --- what is ignored ----------------------------------------------------------------------------

bool slow_glob(std::string_view pattern, std::string_view text) {
  // now[i]: whether the pattern so far matches the first i bytes of the text.
  std::vector<bool> now(text.size() + 1);
  now[0] = true;
  for (const char c : pattern) {
    std::vector<bool> next(text.size() + 1);
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (c == '*') next[i] = now[i] || (i != 0 && next[i - 1]);
      if (c != '*' && i != 0) next[i] = now[i - 1] && text[i - 1] == c;
    }
    now = next;
  }
  return now[text.size()];
}

void check_ignored(std::string_view text) {
  InlineIgnore ignore;
  ignore.begin(text);
  for (const InlineIgnore::Remark& remark : ignore.remarks())
    require(text.substr(remark.offset).starts_with("<!-- link-check "));
  const std::size_t unused = ignore.remarks().size();
  bool any = false;
  for (std::size_t at = 0; at < text.size(); ++at) any = ignore.covers(at) || any;
  require(!any || !ignore.empty());
  require(ignore.remarks().size() <= unused);
  std::string_view rest = text;
  const std::string_view pattern = cut(rest, '\n');
  require(matches_glob(pattern, rest) == slow_glob(pattern, rest));
  IgnoreRules rules;
  if (rules.add_text(text, "f", "2026-11-29").ok()) {
    rules.ignores(rest);
    for (const std::string& remark : rules.remarks()) require(remark.starts_with("f:"));
  }
  Baseline baseline;
  baseline.add_record(pattern);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static SourceText used;
  constexpr SourceKind kKinds[] = {SourceKind::kMarkdown, SourceKind::kRst, SourceKind::kAsciidoc,
                                   SourceKind::kText};
  const Turn turn(text);
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (!turn.is(i, std::size(kKinds))) continue;
    SourceText source;
    read_source(kKinds[i], text, source);
    check_source(text, source);
    check_fixes(text, source);
    read_source(kKinds[i], text, used);
    require(same(source, used));
  }
  if (turn.is_one_in(4)) check_ignored(text);
  return 0;
}
