// SPDX-License-Identifier: Apache-2.0
#include "check/markdown_inline.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "html/entity.h"

namespace spinneret::check {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMaxLabel = 999;  // CommonMark 4.7
constexpr int kMaxParentheses = 32;     // nested parentheses in a URL, as in cmark

bool is_punctuation(char c) { return c > 0x20 && c < 0x7F && !is_alnum(c); }

// Ends that were searched for in vain: indexes into in_vain. Titles use 6 and 7.
enum : unsigned { kDouble, kSingle, kComment, kInstruction, kCdata, kDeclaration };

std::size_t find_end(std::string_view text, std::string_view what, std::size_t from,
                     std::array<bool, 8>& in_vain, unsigned which) {
  if (in_vain[which]) return kNone;
  const std::size_t found = text.find(what, from);
  if (found == kNone) in_vain[which] = true;
  return found;
}

std::size_t skip_blank(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// Returns the end of an attribute's value that begins after '='; kNone if there is no value.
std::size_t value_end(std::string_view text, std::size_t at, std::array<bool, 8>& in_vain) {
  if (at == text.size()) return kNone;
  const char quote = text[at];
  if (quote == '"' || quote == '\'') {
    const std::string_view what = text.substr(at, 1);
    const std::size_t end = find_end(text, what, at + 1, in_vain, quote == '"' ? kDouble : kSingle);
    return end == kNone ? kNone : end + 1;
  }
  const std::size_t begin = at;
  while (at < text.size() && !is_space(text[at]) &&
         std::string_view("\"'=<>`").find(text[at]) == kNone)
    ++at;
  return at == begin ? kNone : at;
}

// Returns the end of a tag, after its attributes; kNone if the tag is not valid.
std::size_t attributes_end(std::string_view text, std::size_t at, bool closing,
                           std::array<bool, 8>& in_vain) {
  while (true) {
    const std::size_t next = skip_blank(text, at);
    if (next >= text.size()) return kNone;
    if (text[next] == '>') return next + 1;
    if (text[next] == '/')
      return !closing && next + 1 < text.size() && text[next + 1] == '>' ? next + 2 : kNone;
    if (closing || next == at) return kNone;
    if (!is_alpha(text[next]) && text[next] != '_' && text[next] != ':') return kNone;
    at = next;
    while (at < text.size() &&
           (is_alnum(text[at]) || std::string_view("_.:-").find(text[at]) != kNone))
      ++at;
    const std::size_t equals = skip_blank(text, at);
    if (equals >= text.size() || text[equals] != '=') continue;
    at = value_end(text, skip_blank(text, equals + 1), in_vain);
    if (at == kNone) return kNone;
  }
}

}  // namespace

std::size_t markup_end(std::string_view text, std::size_t at, std::array<bool, 8>& in_vain) {
  const std::string_view rest = text.substr(at);
  if (rest.size() < 3) return kNone;
  const auto behind = [&](std::string_view end, std::size_t from, unsigned which) {
    const std::size_t found = find_end(text, end, at + from, in_vain, which);
    return found == kNone ? kNone : found + end.size();
  };
  if (rest.starts_with("<!-->")) return at + 5;
  if (rest.starts_with("<!--")) return behind("-->", 4, kComment);
  if (rest.starts_with("<?")) return behind("?>", 2, kInstruction);
  if (rest.starts_with("<![CDATA[")) return behind("]]>", 9, kCdata);
  if (rest[1] == '!') return is_alpha(rest[2]) ? behind(">", 3, kDeclaration) : kNone;
  const bool closing = rest[1] == '/';
  std::size_t end = at + 1 + (closing ? 1 : 0);
  if (!is_alpha(text[end])) return kNone;
  while (end < text.size() && (is_alnum(text[end]) || text[end] == '-')) ++end;
  return attributes_end(text, end, closing, in_vain);
}

// --- the text ---

void LeafText::clear() {
  lines_.clear();
  joined_.clear();
  size_ = end_ = 0;
  parted_ = false;
}

void LeafText::add_line(std::size_t begin, std::size_t end) {
  if (!lines_.empty() && !parted_ && begin != end_) {
    parted_ = true;
    joined_.assign(document_.substr(lines_.front().offset, size_));
  }
  if (lines_.empty() || begin != end_) lines_.push_back({size_, begin});
  if (parted_) joined_.append(document_.substr(begin, end - begin));
  size_ += end - begin;
  end_ = end;
}

std::string_view LeafText::text() const {
  if (lines_.empty()) return {};
  return parted_ ? std::string_view(joined_) : document_.substr(lines_.front().offset, size_);
}

std::size_t LeafText::offset(std::size_t at) const {
  const auto behind =
      std::upper_bound(lines_.begin(), lines_.end(), at,
                       [](std::size_t value, const Line& line) { return value < line.at; });
  const Line& line = *(behind - 1);
  return line.offset + (at - line.at);
}

// --- destinations ---

std::size_t MarkdownInline::skip_space(std::size_t at) const { return skip_blank(text_, at); }

bool MarkdownInline::find_url(std::size_t at, Destination& out) const {
  if (at < text_.size() && text_[at] == '<') {
    for (std::size_t end = at + 1; end < text_.size(); ++end) {
      if (text_[end] == '\n' || text_[end] == '<') return false;
      if (text_[end] == '\\') {
        ++end;
      } else if (text_[end] == '>') {
        out = {at + 1, end, end + 1};
        return true;
      }
    }
    return false;
  }
  int depth = 0;
  std::size_t end = at;
  for (; end < text_.size(); ++end) {
    const char c = text_[end];
    if (c == '\\' && end + 1 < text_.size() && is_punctuation(text_[end + 1])) {
      ++end;
    } else if (is_space(c) || is_control(c)) {
      break;
    } else if (c == '(') {
      if (++depth > kMaxParentheses) return false;
    } else if (c == ')' && depth-- == 0) {
      depth = 0;
      break;
    }
  }
  end = std::min(end, text_.size());
  if (depth != 0) return false;
  out = {at, end, end};
  return true;
}

// Returns the place after the title that begins at `at`; `at` if there is none, kNone if it does
// not end.
std::size_t MarkdownInline::skip_title(std::size_t at) {
  if (at >= text_.size()) return at;
  const char open = text_[at];
  if (open != '"' && open != '\'' && open != '(') return at;
  const char close = open == '(' ? ')' : open;
  const unsigned which = open == '"' ? 6 : 7;
  if (open != '(' && in_vain_[which]) return kNone;
  for (std::size_t end = at + 1; end < text_.size(); ++end) {
    if (text_[end] == '\\') {
      ++end;
    } else if (text_[end] == close) {
      return end + 1;
    } else if (text_[end] == '(' && open == '(') {
      return kNone;
    }
  }
  in_vain_[which] = open != '(' || in_vain_[which];
  return kNone;
}

// `at` is after the opening parenthesis, or after a definition's colon.
bool MarkdownInline::find_destination(std::size_t at, bool is_definition, Destination& out) {
  if (!find_url(skip_space(at), out)) return false;
  if (is_definition) {
    if (out.next == out.begin) return false;  // no URL
    const std::size_t line = std::min(text_.find('\n', out.next), text_.size());
    const std::size_t title = skip_space(out.next);
    const std::size_t end = title == out.next ? out.next : skip_title(title);
    // A title that does not end on its line does not count; the definition then ends before it.
    const std::size_t title_line = end == kNone ? kNone : text_.find_first_not_of(" \t\r", end);
    if (end != kNone && end != title && (title_line == kNone || text_[title_line] == '\n')) {
      out.next = title_line == kNone ? text_.size() : title_line + 1;
      return true;
    }
    if (trim(text_.substr(out.next, line - out.next)).empty()) {
      out.next = std::min(line + 1, text_.size());
      return true;
    }
    return false;
  }
  std::size_t end = skip_space(out.next);
  if (end != out.next) end = skip_title(end);
  if (end == kNone) return false;
  end = skip_space(end);
  if (end >= text_.size() || text_[end] != ')') return false;
  out.next = end + 1;
  return true;
}

void MarkdownInline::give(const Destination& found, std::string_view tag) {
  const std::string_view written = text_.substr(found.begin, found.end - found.begin);
  const std::size_t offset = leaf_.offset(found.begin);
  if (written.find_first_of("\\&") == kNone)
    return out_.add_link(offset, leaf_.document().substr(offset, written.size()), tag);
  std::string bare;
  for (std::size_t i = 0; i != written.size(); ++i) {
    if (written[i] == '\\' && i + 1 != written.size() && is_punctuation(written[i + 1])) {
      ++i;
      if (written[i] == '&') {  // an escaped & begins no character reference
        bare += "&amp;";
        continue;
      }
    }
    bare += written[i];
  }
  std::string meant;
  html::append_decoded(meant, bare, html::EntityRules::kAttribute);
  out_.add_meant(offset, std::move(meant), tag);
}

std::size_t MarkdownInline::read_definitions() {
  std::size_t at = 0;
  while (at < text_.size()) {
    std::size_t begin = at;
    while (begin < text_.size() && text_[begin] == ' ') ++begin;
    if (begin >= text_.size() || text_[begin] != '[') return at;
    const std::size_t end = label_end(begin);
    if (end == kNone || end + 1 == text_.size() || text_[end + 1] != ':') return at;
    if (trim(text_.substr(begin + 1, end - begin - 1)).empty()) return at;
    Destination found;
    if (!find_destination(end + 2, true, found)) return at;
    give(found, "md@definition");
    at = found.next;
  }
  return at;
}

// --- inlines ---

// Finds for each run of backticks where the next run of the same length begins.
void MarkdownInline::count_runs() {
  runs_known_ = true;
  std::unordered_map<std::size_t, std::size_t> last;  // by length of the run
  for (std::size_t end = text_.size(); end != 0;) {
    const std::size_t tick = text_.rfind('`', end - 1);
    if (tick == kNone) return;
    std::size_t begin = tick;
    while (begin != 0 && text_[begin - 1] == '`') --begin;
    const std::size_t length = tick + 1 - begin;
    const auto [known, is_new] = last.try_emplace(length, begin);
    if (!is_new) next_run_[begin] = std::exchange(known->second, begin);
    end = begin;
  }
}

std::size_t MarkdownInline::read_code(std::size_t at) {
  if (!runs_known_) count_runs();
  std::size_t end = at;
  while (end < text_.size() && text_[end] == '`') ++end;
  const auto next = next_run_.find(at);
  if (next == next_run_.end()) return end;
  say(text_.substr(end, next->second - end));
  return next->second + (end - at);
}

// Reads <https://...>, or raw HTML.
std::size_t MarkdownInline::read_angle(std::size_t at) {
  std::size_t colon = at + 1;
  while (colon < text_.size() &&
         (is_alnum(text_[colon]) || std::string_view("+.-").find(text_[colon]) != kNone))
    ++colon;
  const std::size_t length = colon - at - 1;
  if (colon < text_.size() && text_[colon] == ':' && length >= 2 && length <= 32 &&
      is_alpha(text_[at + 1])) {
    std::size_t end = colon;
    while (end < text_.size() && !is_space(text_[end]) && text_[end] != '<' && text_[end] != '>')
      ++end;
    if (end < text_.size() && text_[end] == '>') {
      const std::size_t offset = leaf_.offset(at + 1);
      out_.add_link(offset, leaf_.document().substr(offset, end - at - 1), "md@autolink");
      say(text_.substr(at + 1, end - at - 1));
      return end + 1;
    }
  }
  const std::size_t end = markup_end(text_, at, in_vain_);
  if (end == kNone) return at + 1;
  // Adds it line by line, since the container marks between lines are not HTML.
  for (std::size_t begin = at; begin < end;) {
    const std::size_t line = std::min(text_.find('\n', begin), end - 1) + 1;
    const std::size_t offset = leaf_.offset(begin);
    out_.add_html(leaf_.document(), offset, offset + (line - begin));
    begin = line;
  }
  return end;
}

std::size_t MarkdownInline::read_open(std::size_t at) {
  if (openers_.size() == kMaxOpeners) {
    openers_.erase(openers_.begin(), openers_.begin() + kMaxOpeners / 2);
    inactive_ -= std::min(inactive_, kMaxOpeners / 2);
  }
  const bool is_image = at != 0 && text_[at - 1] == '!' && (at < 2 || text_[at - 2] != '\\');
  openers_.push_back({is_image, bare_urls_.size(), words_ != nullptr ? words_->size() : 0});
  return at + 1;
}

// Returns where the bracket is that ends the label that begins at `at`; kNone if none ends it.
std::size_t MarkdownInline::label_end(std::size_t at) const {
  const std::size_t limit = std::min(text_.size(), at + kMaxLabel);
  for (std::size_t end = at + 1; end < limit; end += text_[end] == '\\' ? 2 : 1) {
    if (text_[end] == '[') return kNone;
    if (text_[end] == ']') return end;
  }
  return kNone;
}

// Whether the bracket at `end`, the end of a possible label, is followed by a link's address. If
// the label is not defined, as in [^1][text](URL), the address belongs to [text]; if it is defined,
// GitHub still finds the URL there. Definitions are not known here. A single word in parentheses
// may be a remark, so it is not taken for an address.
bool MarkdownInline::has_url(std::size_t end) {
  Destination found;
  return end + 1 < text_.size() && text_[end + 1] == '(' &&
         find_destination(end + 2, false, found) &&
         text_.substr(found.begin, found.end - found.begin).find_first_of("/:#") != kNone;
}

// Handles "]", which closes the innermost open bracket. With a destination after it this is a
// link.
std::size_t MarkdownInline::read_close(std::size_t at) {
  if (openers_.empty()) return at + 1;
  const Opener opener = openers_.back();
  openers_.pop_back();
  const bool is_active = opener.is_image || openers_.size() >= inactive_;
  inactive_ = std::min(inactive_, openers_.size());
  Destination found;
  if (!is_active || at + 1 >= text_.size() || text_[at + 1] != '(' ||
      !find_destination(at + 2, false, found)) {
    if (opener.is_image || at + 1 >= text_.size() || text_[at + 1] != '[') return at + 1;
    // [text][label]: the URL is reported at the label's definition.
    const std::size_t end = label_end(at + 1);
    return end == kNone || has_url(end) ? at + 1 : end + 1;
  }
  give(found, opener.is_image ? "md@image" : "md@link");
  bare_urls_.resize(opener.bare_urls);  // a bare URL within a link's text is not a link
  if (opener.is_image) {
    if (words_ != nullptr) words_->resize(opener.words);
  } else {
    inactive_ = openers_.size();
  }
  return found.next;
}

std::size_t MarkdownInline::read_bare(std::size_t at) {
  const std::size_t size = bare_url(text_, at);
  if (size == 0) {
    say(text_.substr(at, 1));
    return at + 1;
  }
  bare_urls_.push_back({at, at + size});
  say(text_.substr(at, size));
  return at + size;
}

// Handles underscores: within a word they are letters, elsewhere marks of emphasis.
std::size_t MarkdownInline::read_underscore(std::size_t at) {
  std::size_t end = at;
  while (end < text_.size() && text_[end] == '_') ++end;
  const auto is_letter = [this](std::size_t i) {
    return i < text_.size() && (is_alnum(text_[i]) || static_cast<unsigned char>(text_[i]) >= 0x80);
  };
  if (at != 0 && is_letter(at - 1) && is_letter(end)) say(text_.substr(at, end - at));
  return end;
}

std::size_t MarkdownInline::read_one(std::size_t at) {
  switch (text_[at]) {
    case '\\':
      if (at + 1 < text_.size() && is_punctuation(text_[at + 1])) ++at;
      say(text_.substr(at, 1));
      return at + 1;
    case '`': return read_code(at);
    case '<': return read_angle(at);
    case '[': return read_open(at);
    case ']': return read_close(at);
    case '_': return read_underscore(at);
    case 'h':
    case 'H': return read_bare(at);
    case '&': {
      std::string decoded;
      const std::size_t size =
          words_ == nullptr
              ? 0
              : html::decode_entity(text_.substr(at), html::EntityRules::kText, decoded);
      say(size == 0 ? std::string_view("&") : std::string_view(decoded));
      return at + std::max<std::size_t>(size, 1);
    }
    default: say(text_.substr(at, 1)); return at + 1;
  }
}

void MarkdownInline::give_bare_urls() {
  for (const BareUrl& each : bare_urls_) {
    const std::size_t offset = leaf_.offset(each.begin);
    out_.add_link(offset, leaf_.document().substr(offset, each.end - each.begin), "md@url");
  }
}

void MarkdownInline::read(std::size_t at, std::string* words) {
  words_ = words;
  constexpr std::string_view kMarks = "\\`<[]_hH";
  while (at < text_.size()) {
    // Most bytes do not matter for links.
    if (words == nullptr) at = std::min(text_.find_first_of(kMarks, at), text_.size());
    if (at < text_.size()) at = read_one(at);
  }
  give_bare_urls();
}

}  // namespace spinneret::check
