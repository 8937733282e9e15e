// SPDX-License-Identifier: Apache-2.0
// Reads reStructuredText and AsciiDoc line by line; source.h lists which parts of them.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "check/source.h"

namespace spinneret::check {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// The current line, and the text that follows it.
struct Lines {
  std::string_view text;
  std::size_t begin = 0;
  std::size_t next = 0;
  std::string_view line = {};  // without its end

  bool read() {
    if (next >= text.size()) return false;
    begin = next;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    next = end + 1;
    line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }
  std::size_t offset_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text.data());
  }
};

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

bool is_rule(std::string_view line, std::size_t least) {
  line = trim(line);
  return line.size() >= least && line[0] > 0x20 && line[0] < 0x7F && !is_alnum(line[0]) &&
         line.find_first_not_of(line[0]) == kNone;
}

// Makes an id from a text: lower case, with `joint` for each run of other characters than letters
// and digits.
std::string joined_slug(std::string_view text, char joint) {
  std::string out;
  bool gap = false;
  for (const char c : text) {
    if (!is_alnum(c) && static_cast<unsigned char>(c) < 0x80) {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += joint;
    gap = false;
    out += to_lower(c);
  }
  return out;
}

// --- reStructuredText ---

class Rst {
 public:
  Rst(std::string_view text, SourceText& out) : lines_{text, 0, 0, {}}, out_(out) {}
  void read();

 private:
  bool in_literal();
  void directive(std::string_view rest);
  void target(std::string_view rest);
  void title();
  void inlines();

  Lines lines_;
  SourceText& out_;
  std::string_view before_;             // the line before
  std::optional<std::size_t> literal_;  // lines indented deeper than this are literal
};

bool Rst::in_literal() {
  if (!literal_) return false;
  if (trim(lines_.line).empty() || indent_of(lines_.line) > *literal_) return true;
  literal_.reset();
  return false;
}

// Reads ".. _name: URL", or ".. _name:" without URL, which names its own place.
void Rst::target(std::string_view rest) {
  std::string_view name = rest;
  const bool quoted = name.starts_with('`');
  if (quoted) name.remove_prefix(1);
  const std::size_t end = quoted ? name.find("`:") : name.find(':');
  if (end == kNone) return;
  const std::string_view url = trim(name.substr(end + (quoted ? 2 : 1)));
  name = name.substr(0, end);
  if (url.empty()) {
    out_.add_id(joined_slug(name, '-'));
    out_.add_id(name);
  } else if (!url.ends_with('_')) {
    out_.add_link(lines_.offset_of(url), url, "rst@target");
  }
}

void Rst::directive(std::string_view rest) {
  if (rest.starts_with('_')) return target(rest.substr(1));
  // The name of a substitution may stand before the directive.
  if (rest.starts_with('|'))
    if (const std::size_t bar = rest.find('|', 1); bar != kNone) rest = trim(rest.substr(bar + 1));
  const std::size_t mark = rest.find("::");
  const std::size_t indent = indent_of(lines_.line);
  if (mark == kNone) {  // a comment
    if (!rest.starts_with('[')) literal_ = indent;
    return;
  }
  const std::string_view name = rest.substr(0, mark);
  const std::string_view value = trim(rest.substr(mark + 2));
  if (name == "image" || name == "figure") {
    if (!value.empty()) out_.add_link(lines_.offset_of(value), value, "rst@image");
    return;
  }
  for (const std::string_view literal :
       {"code", "code-block", "sourcecode", "literalinclude", "raw", "math", "parsed-literal",
        "highlight", "doctest", "productionlist"})
    if (name == literal) literal_ = indent;
}

// A line of one punctuation character makes the line above it a title, if it has three of it, or as
// many as a shorter title has bytes.
void Rst::title() {
  const std::string_view words = trim(before_);
  if (words.empty() || is_rule(words, 2) ||
      !is_rule(lines_.line, std::min<std::size_t>(words.size(), 3)))
    return;
  std::string plain(words);
  std::erase(plain, '`');
  out_.add_slug(joined_slug(plain, '-'), '-', 1);
}

void Rst::inlines() {
  const std::string_view line = lines_.line;
  const std::size_t base = lines_.begin;
  std::size_t plain = 0;  // searched for bare URLs up to here
  const auto read_plain = [&](std::size_t end) {
    if (plain < end) read_bare_urls(lines_.text, base + plain, base + end, out_);
  };
  for (std::size_t at = line.find('`'); at != kNone; at = line.find('`', at)) {
    const bool literal = line.substr(at).starts_with("``");
    const std::size_t end = literal ? line.find("``", at + 2) : line.find('`', at + 1);
    if (end == kNone) break;
    read_plain(at);
    const std::string_view text = line.substr(at + 1, end - at - 1);
    at = plain = end + (literal ? 2 : 1);
    const std::size_t open = text.rfind('<');
    if (literal || open == kNone || !text.ends_with('>') || !line.substr(at).starts_with('_'))
      continue;
    const std::string_view url = text.substr(open + 1, text.size() - open - 2);
    if (!url.ends_with('_')) out_.add_link(lines_.offset_of(url), url, "rst@link");
  }
  read_plain(line.size());
}

void Rst::read() {
  while (lines_.read()) {
    if (!in_literal()) {
      const std::string_view rest = trim(lines_.line);
      title();
      if (rest.starts_with(".. ")) {
        directive(trim(rest.substr(3)));
      } else if (rest.starts_with(":target:")) {
        const std::string_view url = trim(rest.substr(8));
        if (!url.empty() && !url.ends_with('_'))
          out_.add_link(lines_.offset_of(url), url, "rst@target");
      } else {
        inlines();
        if (rest.ends_with("::") && !literal_) literal_ = indent_of(lines_.line);
      }
    }
    before_ = lines_.line;
  }
}

// --- AsciiDoc ---

class Asciidoc {
 public:
  Asciidoc(std::string_view text, SourceText& out) : lines_{text, 0, 0, {}}, out_(out) {}
  void read();

 private:
  bool in_block();
  void title();
  void names();
  void inlines();
  std::size_t macro(std::size_t at);
  std::size_t reference(std::size_t at);
  void give(std::string_view url, std::string_view tag);
  void refer(std::string_view to);

  Lines lines_;
  SourceText& out_;
  std::string block_;         // the line that ends a literal block
  std::size_t no_macro_ = 0;  // no macro of the current line begins before this
};

struct Macro {
  std::string_view name;
  std::string_view tag;
};
constexpr Macro kMacros[] = {{"link:", "adoc@link"},        {"xref:", "adoc@xref"},
                             {"image::", "adoc@image"},     {"image:", "adoc@image"},
                             {"include::", "adoc@include"}, {"video::", "adoc@video"},
                             {"audio::", "adoc@audio"}};

bool Asciidoc::in_block() {
  const std::string_view line = trim(lines_.line);
  if (!block_.empty()) {
    if (line == block_) block_.clear();
    return true;
  }
  if (line.size() < 3) return false;
  const bool ends_it =
      line.starts_with("```") || (line.size() >= 4 && line.find_first_not_of(line[0]) == kNone &&
                                  std::string_view("-.+/").find(line[0]) != kNone);
  if (!ends_it) return line.starts_with("//");
  block_ = line.starts_with("```") ? std::string_view("```") : line;
  return true;
}

// Adds a link, unless its URL contains an attribute, which may stand for anything.
void Asciidoc::give(std::string_view url, std::string_view tag) {
  if (url.find('{') == kNone && !url.empty()) out_.add_link(lines_.offset_of(url), url, tag);
}

// Adds a reference to an id of this document, or to a file with or without one. A reference by a
// title's words is ignored.
void Asciidoc::refer(std::string_view to) {
  if (to.find_first_of(" \t{") != kNone || to.empty()) return;
  const std::size_t offset = lines_.offset_of(to);
  const std::string_view file = to.substr(0, to.find('#'));
  if (file.size() == to.size() && file.find('.') == kNone) {
    out_.add_meant(offset, "#" + std::string(to), "adoc@xref");
  } else if (file.empty() || file.find('.') != kNone) {
    out_.add_link(offset, to, "adoc@xref");
  } else {
    out_.add_meant(offset, std::string(file) + ".adoc" + std::string(to.substr(file.size())),
                   "adoc@xref");
  }
}

// Returns where the macro or URL that begins at `at` ends; 0 if none begins.
std::size_t Asciidoc::macro(std::size_t at) {
  const std::string_view line = lines_.line;
  const std::string_view rest = line.substr(at);
  if (at != 0 && is_alnum(line[at - 1])) return 0;
  for (const Macro& each : kMacros) {
    if (!rest.starts_with(each.name)) continue;
    if (at < no_macro_) return 0;
    const std::size_t end = std::min(rest.find_first_of("[ \t", each.name.size()), rest.size());
    if (end == rest.size() || rest[end] != '[') {
      no_macro_ = at + end;  // no macro that begins before has brackets either
      return 0;
    }
    if (end == each.name.size()) return 0;
    const std::string_view url = rest.substr(each.name.size(), end - each.name.size());
    each.tag == "adoc@xref" ? refer(url) : give(url, each.tag);
    // Only the brackets' begin is skipped: the text of a link may contain an image.
    return at + end + 1;
  }
  std::size_t size = bare_url(line, at);
  if (size == 0) return 0;
  size = std::min(size, rest.substr(0, size).find('['));
  give(rest.substr(0, size), "adoc@url");
  return at + size;
}

// Reads <<name,text>>.
std::size_t Asciidoc::reference(std::size_t at) {
  const std::size_t end = lines_.line.find(">>", at + 2);
  if (end == kNone) return 0;
  std::string_view to = lines_.line.substr(at + 2, end - at - 2);
  to = to.substr(0, to.find(','));
  refer(to);
  return end + 2;
}

void Asciidoc::inlines() {
  const std::string_view line = lines_.line;
  bool references = true;
  bool literals = true;
  no_macro_ = 0;
  for (std::size_t at = 0; at < line.size();) {
    at = std::min(line.find_first_of("lxivahH<+`", at), line.size());
    if (at == line.size()) return;
    std::size_t next = 0;
    if (line[at] == '<') {
      if (references && line.substr(at).starts_with("<<")) next = reference(at);
      references = references && (next != 0 || !line.substr(at).starts_with("<<"));
    } else if (line[at] == '+' || line[at] == '`') {
      // Skips `+literal+` and +literal+.
      const std::string_view open = line.substr(at).starts_with("`+") ? "`+"
                                    : line[at] == '+'                 ? "+"
                                                                      : "";
      const std::size_t end =
          open.empty() || !literals ? kNone : line.find(open == "+" ? "+" : "+`", at + open.size());
      if (end != kNone && end != at + 1) next = end + open.size();
      literals = literals && (open.empty() || end != kNone);
    } else {
      next = macro(at);
    }
    at = next != 0 ? next : at + 1;
  }
}

// Finds [[name]], [#name.role], [id=name] and anchor:name[].
void Asciidoc::names() {
  const std::string_view line = lines_.line;
  const auto each = [&](std::string_view open, std::string_view stops) {
    for (std::size_t at = line.find(open); at != kNone; at = line.find(open, at + open.size())) {
      const std::size_t begin = at + open.size();
      const std::size_t end = line.find_first_of(stops, begin);
      if (end == kNone) return;
      if (std::string_view("[=:# ").find(line[end]) == kNone || open == "anchor:")
        out_.add_id(line.substr(begin, end - begin));
    }
  };
  each("[[", ",][ ");
  each("[#", ".,%][# ");
  each("id=", ",]=");
  each("anchor:", "[:");
}

void Asciidoc::title() {
  const std::size_t level = std::min(lines_.line.find_first_not_of('='), lines_.line.size());
  if (level == 0 || level > 6 || level == lines_.line.size() || lines_.line[level] != ' ') return;
  const std::string slug = joined_slug(trim(lines_.line.substr(level)), '_');
  if (!slug.empty()) out_.add_slug("_" + slug, '_', 2);
}

void Asciidoc::read() {
  while (lines_.read()) {
    if (in_block()) continue;
    names();
    title();
    inlines();
  }
}

}  // namespace

void read_rst(std::string_view text, SourceText& out) { Rst(text, out).read(); }
void read_asciidoc(std::string_view text, SourceText& out) { Asciidoc(text, out).read(); }

}  // namespace spinneret::check
