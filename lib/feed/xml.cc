// SPDX-License-Identifier: Apache-2.0
#include "feed/xml.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"

namespace spinneret::feed {
namespace {

struct Entity {
  std::string_view reference;
  char character;
};
constexpr Entity kEntities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

// Decodes "&#38;" or "&#x26;" at the start of `raw`. Returns its length, or 0 if there is no
// reference.
std::size_t decode_character(std::string_view raw, std::string& out) {
  const bool hexadecimal = raw.starts_with("&#x") || raw.starts_with("&#X");
  std::size_t at = hexadecimal ? 3 : 2;
  const std::size_t digits = at;
  char32_t code = 0;
  for (; at < raw.size(); ++at) {
    const int digit = hex_value(raw[at]);
    if (digit < 0 || (!hexadecimal && digit > 9)) break;
    code =
        std::min<char32_t>(code * (hexadecimal ? 16 : 10) + static_cast<char32_t>(digit), 0x110000);
  }
  if (at == digits || at == raw.size() || raw[at] != ';') return 0;
  append_utf8(out, code == 0 ? 0xFFFD : code);
  return at + 1;
}

std::size_t decode_reference(std::string_view raw, std::string& out) {
  if (raw.starts_with("&#")) return decode_character(raw, out);
  for (const auto& [reference, character] : kEntities) {
    if (!raw.starts_with(reference)) continue;
    out += character;
    return reference.size();
  }
  return 0;
}

bool ends_name(char c) { return is_space(c) || c == '/' || c == '>' || c == '=' || c == '?'; }

// Appends `raw` with &lt; &gt; &amp; &quot; &apos; and character references undone; other
// references stay.
void append_xml_decoded(std::string& out, std::string_view raw) {
  while (!raw.empty()) {
    const std::size_t plain = std::min(raw.find('&'), raw.size());
    out.append(raw.substr(0, plain));
    raw.remove_prefix(plain);
    if (raw.empty()) return;
    std::size_t taken = decode_reference(raw, out);
    if (taken == 0) {
      out += '&';
      taken = 1;
    }
    raw.remove_prefix(taken);
  }
}

}  // namespace

XmlScanner::XmlScanner(std::string_view document) : document_(document) {
  if (document_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

std::string_view XmlScanner::local_name() const {
  const std::size_t colon = name_.find(':');
  return colon == std::string_view::npos ? name_ : name_.substr(colon + 1);
}

std::string_view XmlScanner::prefix() const {
  const std::size_t colon = name_.find(':');
  return colon == std::string_view::npos ? std::string_view() : name_.substr(0, colon);
}

void XmlScanner::text(std::string& out) const {
  out.clear();
  if (cdata_) {
    out = text_;
  } else {
    append_xml_decoded(out, text_);
  }
}

bool XmlScanner::attribute(std::string_view wanted, std::string& out) const {
  std::string_view rest = attributes_;
  while (true) {
    while (!rest.empty() && (is_space(rest.front()) || rest.front() == '/')) rest.remove_prefix(1);
    if (rest.empty()) return false;
    const auto end = std::find_if(rest.begin() + 1, rest.end(), ends_name);
    const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(name.size());
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    std::string_view value;
    if (rest.starts_with('=')) {
      rest.remove_prefix(1);
      while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
      const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
      const char quote = quoted ? rest.front() : ' ';
      if (quoted) rest.remove_prefix(1);
      value = rest.substr(0, rest.find(quote));
      rest.remove_prefix(std::min(rest.size(), value.size() + 1));
    }
    if (name != wanted) continue;
    out.clear();
    append_xml_decoded(out, value);
    return true;
  }
}

XmlEvent XmlScanner::next() {
  if (empty_element_) {
    empty_element_ = false;
    return event_ = XmlEvent::kClose;
  }
  while (at_ < document_.size()) {
    offset_ = at_;
    if (document_[at_] == '<') {
      event_ = markup();
      if (event_ != XmlEvent::kEnd) return event_;
      continue;  // a comment or declaration
    }
    const std::size_t end = std::min(document_.find('<', at_), document_.size());
    text_ = document_.substr(at_, end - at_);
    cdata_ = false;
    at_ = end;
    return event_ = XmlEvent::kText;
  }
  return event_ = XmlEvent::kEnd;
}

std::size_t XmlScanner::find(std::string_view what, std::size_t from, std::size_t& behind) const {
  const std::size_t found = document_.find(what, from);
  if (found == std::string_view::npos) return behind = document_.size();
  behind = found + what.size();
  return found;
}

// Reads markup, at its '<'. Returns kEnd if there is nothing to report.
XmlEvent XmlScanner::markup() {
  if (starts_with("<!")) return declaration();
  if (starts_with("<?")) return instruction();
  return tag();
}

XmlEvent XmlScanner::declaration() {
  if (starts_with("<!--")) {
    find("-->", at_ + 4, at_);
    return XmlEvent::kEnd;
  }
  constexpr std::string_view kCdata = "<![CDATA[";
  if (starts_with(kCdata)) {
    const std::size_t begin = at_ + kCdata.size();
    text_ = document_.substr(begin, find("]]>", begin, at_) - begin);
    cdata_ = true;
    return XmlEvent::kText;
  }
  skip_doctype();
  return XmlEvent::kEnd;
}

// Skips a doctype, perhaps with an internal subset in brackets, whose quoted values and comments
// may hold anything.
void XmlScanner::skip_doctype() {
  bool subset = false;
  for (++at_; at_ < document_.size(); ++at_) {
    const char c = document_[at_];
    if (c == '[') subset = true;
    if (c == ']') subset = false;
    if (c == '>' && !subset) {
      ++at_;
      return;
    }
    std::size_t behind = 0;
    if (c == '"' || c == '\'') {
      find({&c, 1}, at_ + 1, behind);
      at_ = behind - 1;
    } else if (subset && starts_with("<!--")) {
      find("-->", at_ + 4, behind);
      at_ = behind - 1;
    }
  }
}

XmlEvent XmlScanner::instruction() {
  const std::size_t begin = at_ + 2;
  const std::string_view content = document_.substr(begin, find("?>", begin, at_) - begin);
  const auto end = std::find_if(content.begin(), content.end(), ends_name);
  name_ = content.substr(0, static_cast<std::size_t>(end - content.begin()));
  attributes_ = content.substr(name_.size());
  return XmlEvent::kInstruction;
}

// Returns the '>' that ends a tag: one that is not in quotes.
std::size_t XmlScanner::find_tag_end(std::size_t at) const {
  while (at < document_.size() && document_[at] != '>') {
    const char c = document_[at];
    if (c == '"' || c == '\'') {
      std::size_t behind = 0;
      find({&c, 1}, at + 1, behind);
      at = behind;
    } else {
      ++at;
    }
  }
  return std::min(at, document_.size());
}

XmlEvent XmlScanner::tag() {
  const bool close = starts_with("</");
  const std::size_t begin = at_ + (close ? 2 : 1);
  const std::size_t end = find_tag_end(begin);
  std::string_view content = document_.substr(begin, end - std::min(begin, end));
  at_ = std::min(end + 1, document_.size());
  empty_element_ = !close && content.ends_with('/');
  if (empty_element_) content.remove_suffix(1);
  const auto name_end = std::find_if(content.begin(), content.end(), ends_name);
  name_ = content.substr(0, static_cast<std::size_t>(name_end - content.begin()));
  attributes_ = content.substr(name_.size());
  return close ? XmlEvent::kClose : XmlEvent::kOpen;
}

}  // namespace spinneret::feed
