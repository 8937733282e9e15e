// SPDX-License-Identifier: Apache-2.0
// The blocks of Markdown (CommonMark 4 and 5), line by line: which lines are code, raw HTML or
// text, and which of them make one leaf. Containers are a stack of columns: a line that begins to
// the left of the last list item's content is no longer in that item.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "check/markdown_inline.h"
#include "check/source.h"

namespace spinneret::check {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMaxLists = 128;  // nested; deeper ones are text

// The tags that begin an HTML block of kind 6 (CommonMark 4.6).
constexpr std::string_view kBlockTags[] = {
    "address",  "article",  "aside",    "base",     "basefont", "blockquote", "body",   "caption",
    "center",   "col",      "colgroup", "dd",       "details",  "dialog",     "dir",    "div",
    "dl",       "dt",       "fieldset", "figure",   "footer",   "figcaption", "form",   "frame",
    "frameset", "h1",       "h2",       "h3",       "h4",       "h5",         "h6",     "head",
    "header",   "hr",       "html",     "iframe",   "legend",   "li",         "link",   "main",
    "menu",     "menuitem", "nav",      "noframes", "ol",       "optgroup",   "option", "p",
    "param",    "search",   "section",  "summary",  "table",    "tbody",      "td",     "tfoot",
    "th",       "thead",    "title",    "tr",       "track",    "ul"};

// HTML blocks of kinds 1 to 5: how they begin, and how they end.
struct HtmlBlock {
  std::string_view begin;
  std::string_view end;
};
constexpr HtmlBlock kHtmlBlocks[] = {{"<script", "</script>"}, {"<pre", "</pre>"},
                                     {"<style", "</style>"},   {"<textarea", "</textarea>"},
                                     {"<!--", "-->"},          {"<?", "?>"},
                                     {"<![cdata[", "]]>"}};
constexpr std::string_view kBlankLine = "\n";  // ends kinds 6 and 7

bool contains_ignore_case(std::string_view text, std::string_view what) {
  return std::search(text.begin(), text.end(), what.begin(), what.end(),
                     [](char a, char b) { return to_lower(a) == b; }) != text.end();
}

class Markdown {
 public:
  Markdown(std::string_view text, SourceText& out) : text_(text), out_(out), leaf_(text) {}
  void read();

 private:
  struct Line {
    std::size_t at = 0;      // first byte after the marks of containers
    std::size_t column = 0;  // column of that byte, where tabs advance to multiples of 4
    std::size_t end = 0;     // end without line feed
    std::size_t next = 0;
    std::size_t quotes = 0;
    // Where the end of the line begins that, except for blanks, repeats one byte; kNone: unknown.
    std::size_t alike = kNone;
    std::string_view rest(std::string_view text) const { return text.substr(at, end - at); }
  };
  void skip_front_matter();
  Line begin_line() const;
  void skip_blanks(Line& line) const;
  bool skip_quote(Line& line) const;
  bool enter_list(Line& line);
  std::size_t list_mark(Line& line) const;
  void read_line(Line line);
  bool in_fence(const Line& line);
  bool in_html(const Line& line);
  bool begins_fence(const Line& line);
  bool begins_html(const Line& line);
  bool is_heading(const Line& line);
  bool is_underline(std::string_view rest) const;
  bool is_break(Line& line) const;
  void heading(std::size_t from, std::string_view trailing);
  void end_leaf();
  std::size_t base(const Line& line) const {
    return lists_.empty() ? line.quotes * 2 : lists_.back();
  }

  std::string_view text_;
  SourceText& out_;
  LeafText leaf_;                   // the open paragraph
  std::size_t leaf_quotes_ = 0;     // number of quotes around its first line
  std::vector<std::size_t> lists_;  // columns of the contents of the open list items
  std::size_t at_ = 0;
  char fence_ = 0;
  std::size_t fence_length_ = 0;
  std::size_t container_column_ = 0;  // content column of the list item around the fence or HTML
  std::size_t quotes_ = 0;            // number of quotes around it
  std::string_view html_end_;         // end mark of the open HTML block
};

void Markdown::skip_front_matter() {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  const std::string_view rest = text_.substr(at_);
  for (const std::string_view mark : {"---", "+++"}) {
    if (!rest.starts_with(mark) || trim(rest.substr(0, rest.find('\n'))) != mark) continue;
    for (std::size_t at = rest.find('\n'); at != kNone; at = rest.find('\n', at + 1)) {
      const std::string_view line = rest.substr(at + 1, rest.find('\n', at + 1) - at - 1);
      if (trim(line) != mark) continue;
      at_ += std::min(rest.find('\n', at + 1), rest.size() - 1) + 1;
      return;
    }
  }
}

Markdown::Line Markdown::begin_line() const {
  Line line;
  line.at = at_;
  line.end = std::min(text_.find('\n', at_), text_.size());
  line.next = std::min(line.end + 1, text_.size());
  if (line.end != line.at && text_[line.end - 1] == '\r') --line.end;
  return line;
}

void Markdown::skip_blanks(Line& line) const {
  for (; line.at != line.end; ++line.at) {
    if (text_[line.at] == ' ') {
      ++line.column;
    } else if (text_[line.at] == '\t') {
      line.column += 4 - line.column % 4;
    } else {
      return;
    }
  }
}

bool Markdown::skip_quote(Line& line) const {
  if (line.at == line.end || text_[line.at] != '>') return false;
  ++line.at;
  ++line.column;
  ++line.quotes;
  if (line.at != line.end && text_[line.at] == ' ') {
    ++line.at;
    ++line.column;
  }
  return true;
}

// Returns the length of a list item's mark, or of a footnote's; 0 if there is none.
std::size_t Markdown::list_mark(Line& line) const {
  const std::string_view rest = line.rest(text_);
  if (rest.empty()) return 0;
  if (rest.starts_with("[^")) {
    const std::size_t end = rest.substr(0, 200).find(']');
    return end != kNone && end > 2 && end + 1 < rest.size() && rest[end + 1] == ':' ? end + 2 : 0;
  }
  std::size_t digits = 0;
  while (digits != rest.size() && digits < 10 && is_digit(rest[digits])) ++digits;
  const bool is_number = digits != 0 && digits < 10 && digits != rest.size() &&
                         (rest[digits] == '.' || rest[digits] == ')');
  const bool is_bullet = rest[0] == '-' || rest[0] == '+' || rest[0] == '*';
  if (!is_number && (!is_bullet || is_break(line))) return 0;
  const std::size_t length = is_number ? digits + 1 : 1;
  const bool is_empty = rest.find_first_not_of(" \t", length) == kNone;
  if (!is_empty && rest[length] != ' ' && rest[length] != '\t') return 0;
  // Such an item may not interrupt a paragraph.
  if (!leaf_.empty() && lists_.empty() &&
      (is_empty || (is_number && rest.substr(0, digits) != "1")))
    return 0;
  return length;
}

bool Markdown::enter_list(Line& line) {
  const std::size_t length = list_mark(line);
  if (length == 0 || lists_.size() == kMaxLists) return false;
  end_leaf();
  const bool is_note = text_[line.at] == '[';
  Line inner = line;
  inner.at += length;
  inner.column += length;
  const std::size_t least = inner.column + 1;
  skip_blanks(inner);
  const bool is_code = inner.column > least + 3;
  if (is_note) {
    lists_.push_back(line.column + 4);
  } else {
    lists_.push_back(inner.at == inner.end || is_code ? least : inner.column);
  }
  line = inner;
  return true;
}

// Scans a line only once, however many list marks it has.
bool Markdown::is_break(Line& line) const {
  const char mark = text_[line.at];
  if (mark != '-' && mark != '*' && mark != '_') return false;
  if (line.alike == kNone) {
    line.alike = line.end;
    char last = 0;
    for (; line.alike != line.at; --line.alike) {
      const char c = text_[line.alike - 1];
      if (c == ' ' || c == '\t') continue;
      if (last != 0 && c != last) break;
      last = c;
    }
  }
  const std::string_view rest = line.rest(text_);
  return line.at >= line.alike && std::count(rest.begin(), rest.end(), mark) >= 3;
}

// Whether `rest` is the underline of a setext heading.
bool Markdown::is_underline(std::string_view rest) const {
  rest = trim(rest);
  return !leaf_.empty() && !rest.empty() && (rest[0] == '=' || rest[0] == '-') &&
         rest.find_first_not_of(rest[0]) == kNone;
}

// --- which block a line belongs to ---

bool Markdown::in_fence(const Line& line) {
  if (fence_ == 0) return false;
  const std::string_view rest = line.rest(text_);
  const bool left = line.quotes < quotes_ || (!rest.empty() && line.column < container_column_);
  if (left) {
    fence_ = 0;
    return false;
  }
  const std::string_view mark = trim(rest);
  if (mark.size() >= fence_length_ && mark.find_first_not_of(fence_) == kNone) fence_ = 0;
  return true;
}

bool Markdown::in_html(const Line& line) {
  if (html_end_.empty()) return false;
  const std::string_view rest = line.rest(text_);
  const bool is_blank = html_end_ == kBlankLine && rest.empty();
  const bool left = line.quotes < quotes_ || (!rest.empty() && line.column < container_column_);
  if (is_blank || left) {
    html_end_ = {};
    return is_blank;
  }
  out_.add_html(text_, line.at, line.end);
  if (html_end_ != kBlankLine && contains_ignore_case(rest, html_end_)) html_end_ = {};
  return true;
}

bool Markdown::begins_fence(const Line& line) {
  const std::string_view rest = line.rest(text_);
  if (!rest.starts_with("```") && !rest.starts_with("~~~")) return false;
  const std::size_t length = std::min(rest.find_first_not_of(rest[0]), rest.size());
  if (rest[0] == '`' && rest.find('`', length) != kNone) return false;
  end_leaf();
  while (!lists_.empty() && line.column < lists_.back()) lists_.pop_back();
  fence_ = rest[0];
  fence_length_ = length;
  container_column_ = lists_.empty() ? 0 : lists_.back();
  quotes_ = line.quotes;
  return true;
}

bool Markdown::begins_html(const Line& line) {
  const std::string_view rest = line.rest(text_);
  if (!rest.starts_with('<')) return false;
  quotes_ = line.quotes;
  const std::size_t container = lists_.empty() ? 0 : lists_.back();
  std::string_view end;
  for (const HtmlBlock& each : kHtmlBlocks) {
    if (!starts_with_ignore_case(rest, each.begin)) continue;
    const std::string_view behind = rest.substr(each.begin.size());
    if (is_alpha(each.begin.back()) && !behind.empty() && !is_space(behind[0]) && behind[0] != '>')
      continue;
    end = each.end;
    break;
  }
  if (end.empty()) {
    std::string_view name = rest.substr(rest.starts_with("</") ? 2 : 1);
    name = name.substr(0, std::min(name.find_first_of(" \t>/"), name.size()));
    const std::string lower = name.size() <= 10 ? to_lower_copy(name) : std::string();
    std::array<bool, 8> in_vain{};
    const bool is_block =
        std::find(std::begin(kBlockTags), std::end(kBlockTags), lower) != std::end(kBlockTags);
    // Kind 7: any tag alone on its line, but not within a paragraph.
    if (!is_block && (!leaf_.empty() || rest.starts_with("<!") || rest.starts_with("<?")))
      return false;
    if (!is_block) {
      const std::size_t behind = markup_end(rest, 0, in_vain);
      if (behind == kNone || !trim(rest.substr(behind)).empty()) return false;
    }
    end = kBlankLine;
  }
  end_leaf();
  html_end_ = end;
  container_column_ = line.column < container ? 0 : container;
  return in_html(line);
}

// Ends a heading. Its text is searched for links, too.
void Markdown::heading(std::size_t from, std::string_view trailing) {
  std::string words;
  MarkdownInline(leaf_, out_).read(from, &words);
  leaf_.clear();
  std::string_view text = trim(words);
  if (const std::size_t hashes = text.find_last_not_of('#');
      !trailing.empty() && (hashes == kNone || text[hashes] == ' '))
    text = trim(text.substr(0, hashes == kNone ? 0 : hashes + 1));
  const std::size_t brace = text.rfind('{');
  if (text.ends_with('}') && brace != kNone) {
    std::string_view attributes = text.substr(brace + 1, text.size() - brace - 2);
    for (std::string_view word; !(word = cut_word(attributes)).empty();)
      if (word.starts_with('#')) out_.add_id(word.substr(1));
    if (brace != 0) out_.add_slug(heading_slug(text.substr(0, brace)), '-', 1);
  }
  out_.add_slug(heading_slug(text), '-', 1);
}

bool Markdown::is_heading(const Line& line) {
  const std::string_view rest = line.rest(text_);
  const std::size_t level = std::min(rest.find_first_not_of('#'), rest.size());
  if (level == 0 || level > 6 ||
      (level != rest.size() && rest[level] != ' ' && rest[level] != '\t'))
    return false;
  end_leaf();
  leaf_.add_line(line.at + level, line.end);
  heading(0, "#");
  return true;
}

void Markdown::end_leaf() {
  if (leaf_.empty()) return;
  MarkdownInline inlines(leaf_, out_);
  inlines.read(inlines.read_definitions());
  leaf_.clear();
}

void Markdown::read_line(Line line) {
  skip_blanks(line);
  while (skip_quote(line)) skip_blanks(line);
  if (in_fence(line) || in_html(line)) return;
  const bool is_blank = line.at == line.end;
  if (is_blank) return end_leaf();
  if (line.quotes > leaf_quotes_) end_leaf();
  // A paragraph may go on although its container has ended (lazy continuation).
  while (!lists_.empty() && line.column < lists_.back() && (leaf_.empty() || list_mark(line) != 0))
    lists_.pop_back();
  while (line.column < base(line) + 4 && (enter_list(line) || skip_quote(line))) skip_blanks(line);
  if (line.at == line.end) return;
  if (line.column >= base(line) + 4) {
    if (leaf_.empty()) return;  // indented code
  } else {
    if (begins_fence(line) || begins_html(line) || is_heading(line)) return;
    if (is_underline(line.rest(text_))) {
      MarkdownInline definitions(leaf_, out_);
      const std::size_t from = definitions.read_definitions();
      return heading(from, {});
    }
    if (is_break(line)) return end_leaf();
  }
  if (leaf_.empty()) leaf_quotes_ = line.quotes;
  leaf_.add_line(line.at, line.next);
}

void Markdown::read() {
  skip_front_matter();
  while (at_ < text_.size()) {
    const Line line = begin_line();
    at_ = line.next;
    read_line(line);
  }
  end_leaf();
}

}  // namespace

void read_markdown(std::string_view text, SourceText& out) { Markdown(text, out).read(); }

}  // namespace spinneret::check
