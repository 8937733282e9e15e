// SPDX-License-Identifier: Apache-2.0
// The slow twin of xml_root() and XmlElements: the productions of XML 1.0 and Namespaces in XML,
// one function each, over a rest that only shrinks, with a map of each element's prefixes. It
// shares with ours the bounds, the table of XHTML's entities, and what ours leaves out: a doctype's
// subset is skipped, an instruction is not parsed, letters beyond ASCII count as letters.
#ifndef SPINNERET_TESTS_HTML_SLOW_XML_H_
#define SPINNERET_TESTS_HTML_SLOW_XML_H_

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "html/entity.h"
#include "html/xml_tokens.h"

namespace spinneret::html {

using XmlEvents = std::optional<std::vector<std::string>>;

class SlowXml {
 public:
  explicit SlowXml(std::string_view document) : rest_(document) {}

  // Returns a line for each start tag and end tag, or nothing if the document is not well-formed.
  XmlEvents run() {
    for (const char c : rest_) {
      if (static_cast<unsigned char>(c) < ' ' && !is_blank(c)) return {};
    }
    // [23]
    if (equals_ignore_case(rest_.substr(0, 5), "<?xml") && !past("?>")) return {};
    if (!miscellaneous()) return {};
    if (begins("<!DOCTYPE") && (!doctype() || !miscellaneous())) return {};
    if (!content({{"", "other"}, {"xml", "other"}, {"xmlns", "other"}})) return {};
    return miscellaneous() && rest_.empty() ? XmlEvents(events_) : XmlEvents();
  }

 private:
  using Prefixes = std::map<std::string, std::string>;
  struct Open {
    std::string name;
    Prefixes prefixes;
    // The number of bindings of this element and those around it.
    std::size_t declared;
  };

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool starts(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' ||
           (c & 0x80) != 0;
  }
  static bool continues(char c) {
    return starts(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  }
  static bool has_capital(const std::string& name) {
    for (const char c : name) {
      if (c >= 'A' && c <= 'Z') return true;
    }
    return false;
  }
  static std::string space_of(const std::string& uri) {
    if (uri == "http://www.w3.org/1999/xhtml") return "html";
    if (uri == "http://www.w3.org/2000/svg") return "svg";
    if (uri == "http://www.w3.org/1998/Math/MathML") return "math";
    return uri == "http://www.w3.org/1999/xlink" ? "xlink" : "other";
  }
  static std::string prefix(const std::string& name) {
    return name.find(':') == std::string::npos ? "" : name.substr(0, name.find(':'));
  }

  bool begins(std::string_view what) const { return rest_.starts_with(what); }
  bool take(std::string_view what) {
    if (!begins(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  bool blanks() {
    const bool any = !rest_.empty() && is_blank(rest_[0]);
    while (!rest_.empty() && is_blank(rest_[0])) rest_.remove_prefix(1);
    return any;
  }
  bool past(std::string_view what) {
    while (!rest_.empty() && !begins(what)) rest_.remove_prefix(1);
    return take(what);
  }
  std::string name() {
    std::string out;
    while (!rest_.empty() && (out.empty() ? starts(rest_[0]) : continues(rest_[0]))) {
      out += rest_[0];
      rest_.remove_prefix(1);
    }
    return out;
  }

  // [15], [16]. False: the text is broken, or is no such thing.
  bool comment() { return take("<!--") && past("--") && take(">"); }
  bool instruction() {
    if (!take("<?")) return false;
    const std::string target = name();
    // "xml" is reserved for the declaration; ours also lets "xml%" pass.
    const bool ends = rest_.empty() || is_blank(rest_[0]) || begins("?>");
    return !target.empty() && !(equals_ignore_case(target, "xml") && ends) && past("?>");
  }
  // [27]*
  bool miscellaneous() {
    while (blanks() || begins("<!--") || begins("<?")) {
      if (begins("<!--") ? !comment() : begins("<?") && !instruction()) return false;
    }
    return true;
  }
  bool doctype() {
    rest_.remove_prefix(2);
    declares_ = true;
    for (bool subset = false; !rest_.empty();) {
      if (!subset && take(">")) return true;
      if (begins("\"") || begins("'")) {
        const std::string quote(1, rest_[0]);
        rest_.remove_prefix(1);
        if (!past(quote)) return false;
      } else if (subset && take("<!--")) {
        if (!past("-->")) return false;
      } else if (subset && take("<?")) {
        if (!past("?>")) return false;
      } else {
        if (rest_[0] == '[') subset = true;
        if (rest_[0] == ']') subset = false;
        rest_.remove_prefix(1);
      }
    }
    return false;
  }
  // [67], in a text or a value.
  bool references(const std::string& text) const {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '&') continue;
      const std::string whole = text.substr(at, text.find(';', at) - at + 1);
      if (text.find(';', at) == std::string::npos || whole.size() > 64 || whole.size() < 3)
        return false;
      const std::string inner = whole.substr(1, whole.size() - 2);
      if (inner[0] == '#' ? !is_character(inner.substr(1)) : !is_entity(inner, whole)) return false;
    }
    return true;
  }
  static bool is_character(std::string digits) {
    const bool hex = digits.starts_with('x');
    if (hex) digits.erase(0, 1);
    const std::string_view known = hex ? "0123456789abcdefABCDEF" : "0123456789";
    if (digits.empty() || digits.find_first_not_of(known) != std::string::npos) return false;
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.size() > 8) return false;
    const unsigned long code = std::strtoul(("0" + digits).c_str(), nullptr, hex ? 16 : 10);
    return code == 9 || code == 10 || code == 13 || (code >= 0x20 && code < 0xD800) ||
           (code >= 0xE000 && code <= 0x10FFFF);
  }
  bool is_entity(const std::string& inner, const std::string& whole) const {
    for (std::size_t i = 0; i < inner.size(); ++i) {
      if (i == 0 ? !starts(inner[0]) : !continues(inner[i])) return false;
    }
    std::string out;
    return declares_ || decode_entity(whole, EntityRules::kText, out) == whole.size();
  }
  // [41]
  bool attribute(std::vector<std::pair<std::string, std::string>>& out) {
    const std::string key = name();
    blanks();
    if (key.empty() || !take("=")) return false;
    blanks();
    if (!begins("\"") && !begins("'")) return false;
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    std::string value;
    for (; !rest_.empty() && rest_[0] != quote; rest_.remove_prefix(1)) value += rest_[0];
    if (rest_.empty() || value.find('<') != std::string::npos || !references(value)) return false;
    rest_.remove_prefix(1);
    for (const auto& [other, unused] : out) {
      if (other == key) return false;
    }
    out.emplace_back(key, value);
    return true;
  }
  // [40], [44]
  bool start(const Prefixes& around) {
    constexpr std::size_t kMaxBindings = 64;
    Open open{name(), around, open_.empty() ? 0 : open_.back().declared};
    if (open.name.empty()) return false;
    std::vector<std::pair<std::string, std::string>> attributes;
    while (!begins(">") && !begins("/>")) {
      if (!blanks()) return false;
      if (!begins(">") && !begins("/>") && !attribute(attributes)) return false;
    }
    for (const auto& [key, value] : attributes) {
      if (key != "xmlns" && !key.starts_with("xmlns:")) continue;
      if (++open.declared > kMaxBindings) return false;
      open.prefixes[key == "xmlns" ? "" : key.substr(6)] = space_of(value);
    }
    if (!open.prefixes.contains(prefix(open.name))) return false;
    const std::string space = open.prefixes[prefix(open.name)];
    std::string event = space + ":" + open.name.substr(open.name.find(':') + 1);
    for (const auto& [key, value] : attributes) {
      const std::string of = prefix(key);
      if (!of.empty() && !open.prefixes.contains(of)) return false;
      if (space == "html" && has_capital(key)) continue;
      const bool xlink = !of.empty() && open.prefixes[of] == "xlink";
      const std::string local = key.substr(key.find(':') + 1);
      if (xlink && local == "href") {
        event += " xlink:href=" + value;
      } else if (of != "xlink") {
        event += " " + key + "=" + value;
      }
    }
    events_.push_back(event);
    if (take("/>")) {
      events_.emplace_back(">");
    } else {
      rest_.remove_prefix(1);
      open_.push_back(open);
    }
    return true;
  }
  // [39], [43]: the root and everything in it.
  bool content(const Prefixes& outermost) {
    if (!take("<") || !start(outermost)) return false;
    while (!open_.empty()) {
      if (begins("<!--")) {
        if (!comment()) return false;
      } else if (take("<![CDATA[")) {
        if (!past("]]>")) return false;
      } else if (begins("<?")) {
        if (!instruction()) return false;
      } else if (take("</")) {
        if (name() != open_.back().name) return false;
        blanks();
        if (!take(">")) return false;
        open_.pop_back();
        events_.emplace_back(">");
      } else if (take("<")) {
        if (!start(open_.back().prefixes)) return false;
      } else {
        std::string text;
        for (; !rest_.empty() && rest_[0] != '<'; rest_.remove_prefix(1)) text += rest_[0];
        if (text.empty() || text.find("]]>") != std::string::npos || !references(text))
          return false;
      }
    }
    return true;
  }

  std::string_view rest_;
  bool declares_ = false;
  std::vector<Open> open_;
  std::vector<std::string> events_;
};

// Returns the events of our own XmlElements, in the same form.
inline XmlEvents xml_events(std::string_view document) {
  if (xml_root(document) == XmlSpace::kNone) return {};
  constexpr std::string_view kSpaces[] = {"none", "html", "svg", "math", "xlink", "other"};
  XmlEvents out(std::in_place);
  XmlElements elements(document);
  Token token;
  while (elements.next(token) != TokenType::kEnd) {
    if (token.type == TokenType::kEndTag) out->emplace_back(">");
    if (token.type != TokenType::kStartTag) continue;
    std::string event(kSpaces[static_cast<std::size_t>(elements.space())]);
    event += ":" + std::string(token.name);
    for (const Attribute& attribute : token.attributes)
      event += " " + std::string(attribute.name) + "=" + std::string(attribute.value);
    out->push_back(event);
  }
  return out;
}

}  // namespace spinneret::html

#endif  // SPINNERET_TESTS_HTML_SLOW_XML_H_
