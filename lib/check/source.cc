// SPDX-License-Identifier: Apache-2.0
#include "check/source.h"

#include <algorithm>
#include <span>

#include "base/ascii.h"
#include "base/utf8.h"
#include "url/unicode.h"

namespace spinneret::check {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};
// Blocks beyond ASCII without letters, marks or digits: punctuation, symbols and pictures.
constexpr Range kNoWord[] = {
    {0x80, 0xA9},       {0xAB, 0xB4},        {0xB6, 0xB9},     {0xBB, 0xBF},     {0xD7, 0xD7},
    {0xF7, 0xF7},       {0x2000, 0x203E},    {0x2041, 0x2053}, {0x2055, 0x2070}, {0x2074, 0x207E},
    {0x2080, 0x208E},   {0x20A0, 0x20CF},    {0x2190, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004},
    {0x3008, 0x3020},   {0x3030, 0x3030},    {0x30FB, 0x30FB}, {0xE000, 0xF8FF}, {0xFE10, 0xFE1F},
    {0xFE30, 0xFE32},   {0xFE35, 0xFE4C},    {0xFE50, 0xFE6F}, {0xFF00, 0xFF0F}, {0xFF1A, 0xFF20},
    {0xFF3B, 0xFF3E},   {0xFF40, 0xFF40},    {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFD}, {0x1F000, 0x1FAFF},
    {0xE0000, 0xE00FF}, {0xF0000, 0x10FFFF},
};

bool is_in(char32_t c, std::span<const Range> ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& each) { return each.first <= c && c <= each.last; });
}

bool is_word(char32_t c) { return !is_in(c, kNoWord); }

// Letters of special forms, which lowering keeps as they are, but which the mapping would turn into
// plain ones.
constexpr Range kForms[] = {
    {0xAA, 0xAA},     {0xBA, 0xBA},     {0x17F, 0x17F},     {0x2B0, 0x2E4},
    {0x1D2C, 0x1D6A}, {0x2071, 0x209C}, {0x2100, 0x2125},   {0x2127, 0x2129},
    {0x212C, 0x2131}, {0x2133, 0x213F}, {0x2145, 0x2149},   {0x3131, 0x33FF},
    {0xF900, 0xFEFF}, {0xFF41, 0xFFDC}, {0x1D400, 0x1D7FF}, {0x2F800, 0x2FA1F},
};

// Lowers a letter by the mapping for domain names. A character that it maps to several is kept; one
// that it maps to punctuation or a symbol is dropped.
void append_lowered(std::string& out, char32_t c) {
  constexpr char32_t kWideA = 0xFF21, kWideZ = 0xFF3A;
  if (c >= kWideA && c <= kWideZ) return append_utf8(out, c + 0x20);
  if (is_in(c, kForms)) return append_utf8(out, c);
  std::u32string mapped;
  idna::append_mapped(c, mapped);
  const char32_t lowered = mapped.size() == 1 ? mapped.front() : c;
  if (lowered < 0x80 ? is_alnum(static_cast<char>(lowered)) : is_word(lowered))
    append_utf8(out, lowered);
}

bool is_template(std::string_view url) {
  return url.find("{{") != std::string_view::npos || url.find("{%") != std::string_view::npos;
}

bool ends_sentence(char c) {
  return std::string_view("?!.,:;*_~'\"`|\\").find(c) != std::string_view::npos;
}

}  // namespace

SourceKind source_kind(std::string_view type) {
  if (type == "text/markdown") return SourceKind::kMarkdown;
  if (type == "text/x-rst") return SourceKind::kRst;
  if (type == "text/asciidoc") return SourceKind::kAsciidoc;
  return type == "text/plain" ? SourceKind::kText : SourceKind::kNone;
}

void SourceText::clear() {
  links_.clear();
  kept_.clear();
  ids_.clear();
  html_.clear();
  slugs_.clear();
}

void SourceText::add_link(std::size_t offset, std::string_view written, std::string_view tag) {
  if (!is_template(written)) links_.push_back({offset, written, tag});
}

void SourceText::add_meant(std::size_t offset, std::string meant, std::string_view tag) {
  if (is_template(meant)) return;
  kept_.push_back(std::move(meant));
  links_.push_back({offset, kept_.back(), tag});
}

void SourceText::add_id(std::string_view id) {
  if (!id.empty()) ids_.append(id).push_back('\0');
}

// GitHub counts how often a heading occurred; other programs count on until the id is new. Both ids
// are added.
void SourceText::add_slug(const std::string& slug, char joint, std::uint32_t first) {
  if (slug.empty()) return;
  const auto [found, is_new] = slugs_.try_emplace(slug);
  if (is_new) return add_id(slug);
  Repeats& repeats = found->second;
  const auto numbered = [&](std::uint32_t count) {
    return slug + joint + std::to_string(count + first);
  };
  const std::string counted = numbered(repeats.count++);
  add_id(counted);
  std::string name;
  do name = numbered(repeats.tried++);
  while (!slugs_.try_emplace(name).second);
  if (name != counted) add_id(name);
}

void SourceText::add_html(std::string_view text, std::size_t begin, std::size_t end) {
  if (html_.empty()) {
    html_.assign(text.size(), ' ');
    // Line feeds are kept, since lines are counted in the result.
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1))
      html_[at] = '\n';
  }
  std::copy(text.begin() + static_cast<std::ptrdiff_t>(begin),
            text.begin() + static_cast<std::ptrdiff_t>(end),
            html_.begin() + static_cast<std::ptrdiff_t>(begin));
}

void read_source(SourceKind kind, std::string_view text, SourceText& out) {
  out.clear();
  switch (kind) {
    case SourceKind::kMarkdown: read_markdown(text, out); break;
    case SourceKind::kRst: read_rst(text, out); break;
    case SourceKind::kAsciidoc: read_asciidoc(text, out); break;
    case SourceKind::kText: read_bare_urls(text, 0, text.size(), out); break;
    case SourceKind::kNone: break;
  }
  out.sort_links();
}

void SourceText::sort_links() {
  std::stable_sort(links_.begin(), links_.end(),
                   [](const SourceLink& a, const SourceLink& b) { return a.offset < b.offset; });
}

// Follows GFM, "Autolinks (extension)". Closing brackets and quotes without an opening partner in
// the URL are left out as well.
std::size_t bare_url(std::string_view text, std::size_t at) {
  if (at != 0 && is_alnum(text[at - 1])) return 0;
  const std::string_view rest = text.substr(at);
  std::size_t end = starts_with_ignore_case(rest, "http://")    ? 7
                    : starts_with_ignore_case(rest, "https://") ? 8
                                                                : 0;
  if (end == 0 || end == rest.size()) return 0;
  const auto first = static_cast<unsigned char>(rest[end]);
  if (!is_alnum(rest[end]) && first != '[' && first < 0x80) return 0;
  const std::size_t least = end;
  std::size_t opened = 0;
  std::size_t closed = 0;
  for (; end != rest.size(); ++end) {
    const char c = rest[end];
    if (is_space(c) || is_control(c) || c == '<' || c == '>' || c == '"' || c == '`' || c == '|')
      break;
    if (c == ']' && rest[least] != '[') break;
    opened += c == '(';
    closed += c == ')';
  }
  for (; end > least; --end) {
    const char c = rest[end - 1];
    if (c == ')' && closed > opened) {
      --closed;
    } else if (!ends_sentence(c)) {
      break;
    }
  }
  return end > least ? end : 0;
}

void read_bare_urls(std::string_view text, std::size_t begin, std::size_t end, SourceText& out) {
  const std::string_view part = text.substr(0, end);
  while (true) {
    const std::size_t colon = part.find("://", begin);
    if (colon == std::string_view::npos) return;
    const std::size_t from = colon - std::min<std::size_t>(colon - begin, 5);
    begin = colon + 3;
    for (std::size_t at = from; at < colon; ++at) {
      const std::size_t size = to_lower(part[at]) == 'h' ? bare_url(part, at) : 0;
      if (size == 0) continue;
      out.add_link(at, part.substr(at, size), "text@url");
      begin = at + size;
      break;
    }
  }
}

std::string heading_slug(std::string_view text) {
  std::string out;
  text = trim(text);
  for (std::size_t at = 0; at != text.size();) {
    char32_t code = 0;
    const std::size_t length = utf8_sequence(text.substr(at), &code);
    const char c = text[at];
    at += length == 0 ? 1 : length;
    if (length > 1) {
      if (is_word(code)) append_lowered(out, code);
    } else if (c == ' ') {
      out += '-';
    } else if (is_alnum(c) || c == '-' || c == '_') {
      out += to_lower(c);
    }
  }
  return out;
}

}  // namespace spinneret::check
