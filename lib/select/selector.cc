// SPDX-License-Identifier: Apache-2.0
#include "select/selector.h"

#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/utf8.h"

namespace spinneret::select {
namespace {

constexpr int kMaxNesting = 32;
constexpr int kMaxNth = 1 << 24;

bool is_name_start(char c) {
  return is_alpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_char(char c) { return is_name_start(c) || is_digit(c) || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Names that CSS knows, but that cannot be answered about a page without a browser around it.
constexpr std::string_view kOfBrowsers[] = {
    "active",       "autofill",  "checked",    "default",       "defined",      "dir",
    "disabled",     "enabled",   "focus",      "focus-visible", "focus-within", "fullscreen",
    "host",         "hover",     "in-range",   "indeterminate", "invalid",      "lang",
    "local-link",   "modal",     "open",       "optional",      "out-of-range", "placeholder-shown",
    "popover-open", "read-only", "read-write", "required",      "target",       "user-invalid",
    "user-valid",   "valid",     "visited"};

class Parser {
 public:
  Parser(std::string_view text, SelectorError& why) : text_(text), why_(why) {}

  bool list(SelectorList& out, bool relative, bool nested);
  bool at_end() const { return at_ == text_.size(); }
  bool fail(std::size_t at, std::string message) {
    why_.at = at;
    why_.message = std::move(message);
    return false;
  }
  // Reports the token at the present place as the error.
  bool unexpected() {
    if (at_end()) return fail(at_, "ends where a selector should be");
    return fail(at_, "unexpected " + excerpt(text_.substr(at_, token_size())));
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  // Returns the size of a token that begins with `signs` bytes which belong to no name.
  std::size_t token_size(std::size_t signs = 1) const {
    std::size_t size = signs;
    while (at_ + size < text_.size() && is_name_char(text_[at_ + size])) ++size;
    return size;
  }
  bool skip_blanks();
  bool starts_name(std::size_t ahead = 0) const;
  bool name(std::string& out);
  void escape(std::string& out);
  bool string(std::string& out);
  bool complex(Complex& out, bool relative);
  Combinator combinator();
  bool compound(Compound& out);
  bool type(Compound& out, bool& found);
  bool attribute(Compound& out);
  bool attribute_value(Simple& simple);
  bool pseudo(Compound& out);
  bool function(std::string_view name, Simple& simple);
  bool plain_pseudo(std::string_view name, Simple& simple);
  bool nth(Simple& simple);
  bool an_plus_b(Nth& out);
  bool number(int& out);

  std::string_view text_;
  SelectorError& why_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_has_ = false;
};

// Skips white space and comments.
bool Parser::skip_blanks() {
  const std::size_t before = at_;
  for (;;) {
    while (!at_end() && is_blank(peek())) ++at_;
    if (peek() != '/' || peek(1) != '*') break;
    const std::size_t end = text_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
  }
  return at_ != before;
}

bool Parser::starts_name(std::size_t ahead) const {
  const char c = peek(ahead);
  if (c == '-') return peek(ahead + 1) == '-' || starts_name(ahead + 1);
  if (c == '\\') return at_ + ahead + 1 < text_.size() && peek(ahead + 1) != '\n';
  return is_name_start(c);
}

void Parser::escape(std::string& out) {
  ++at_;
  if (at_end()) return append_utf8(out, 0xFFFD);
  if (!is_hex(peek())) {
    out += text_[at_++];
    return;
  }
  std::uint32_t code = 0;
  for (int digits = 0; digits < 6 && is_hex(peek()); ++digits)
    code = code * 16 + static_cast<std::uint32_t>(hex_value(text_[at_++]));
  if (peek() == '\r' && peek(1) == '\n') ++at_;
  if (!at_end() && is_blank(peek())) ++at_;
  const bool bad = code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000);
  append_utf8(out, bad ? 0xFFFD : code);
}

bool Parser::name(std::string& out) {
  const std::size_t before = at_;
  while (!at_end()) {
    if (is_name_char(peek())) {
      out += text_[at_++];
    } else if (peek() == '\\' && peek(1) != '\n' && at_ + 1 < text_.size()) {
      escape(out);
    } else {
      break;
    }
  }
  return at_ != before;
}

bool Parser::string(std::string& out) {
  const char quote = text_[at_];
  const std::size_t begin = at_++;
  while (!at_end() && peek() != quote) {
    if (peek() == '\n') break;
    if (peek() != '\\') {
      out += text_[at_++];
    } else if (peek(1) == '\n') {
      at_ += 2;
    } else {
      escape(out);
    }
  }
  if (peek() != quote) return fail(begin, "string without its end");
  ++at_;
  return true;
}

bool Parser::list(SelectorList& out, bool relative, bool nested) {
  if (++depth_ > kMaxNesting) return fail(at_, "nested more than 32 deep");
  do {
    if (peek() == ',') ++at_;
    skip_blanks();
    out.emplace_back();
    if (!complex(out.back(), relative)) return false;
    skip_blanks();
  } while (peek() == ',');
  --depth_;
  if (nested ? peek() != ')' : !at_end()) return unexpected();
  return true;
}

Combinator Parser::combinator() {
  const bool blank = skip_blanks();
  Combinator out = blank ? Combinator::kDescendant : Combinator::kNone;
  switch (peek()) {
    case '>': out = Combinator::kChild; break;
    case '+': out = Combinator::kNext; break;
    case '~': out = Combinator::kSubsequent; break;
    default: return out;
  }
  ++at_;
  skip_blanks();
  return out;
}

bool Parser::complex(Complex& out, bool relative) {
  Combinator before = Combinator::kNone;
  if (relative) before = combinator();
  for (;;) {
    out.compounds.emplace_back();
    out.compounds.back().before = before;
    if (!compound(out.compounds.back())) return false;
    const std::size_t here = at_;
    before = combinator();
    if (before == Combinator::kNone) return true;
    if (before == Combinator::kDescendant && (at_end() || peek() == ',' || peek() == ')')) {
      at_ = here;
      return true;
    }
  }
}

// Reads `*` or a name, with a namespace's `*|` before it.
bool Parser::type(Compound& out, bool& found) {
  if (peek() == '*' && peek(1) == '|' && peek(2) != '=') at_ += 2;
  if (peek() == '*') {
    ++at_;
    found = true;
  } else if (starts_name()) {
    Simple simple;
    simple.at = at_;
    name(simple.name);
    out.simples.push_back(std::move(simple));
    found = true;
  }
  if (peek() == '|' && peek(1) != '=')
    return fail(at_, "unexpected \"|\": namespaces have no names in HTML");
  return true;
}

bool Parser::compound(Compound& out) {
  const std::size_t begin = at_;
  bool found = false;
  if (!type(out, found)) return false;
  for (;;) {
    Simple simple;
    simple.at = at_;
    switch (peek()) {
      case '#':
      case '.': {
        const bool is_id = peek() == '#';
        if (!starts_name(1)) {
          return fail(at_, (is_id ? "\"#\" without an id: " : "\".\" without a class: ") +
                               excerpt(text_.substr(at_, 16)) +
                               (is_digit(peek(1)) ? " (a digit at the start is written \\3" +
                                                        std::string(1, peek(1)) + " and a blank)"
                                                  : ""));
        }
        ++at_;
        simple.kind = is_id ? SimpleKind::kId : SimpleKind::kClass;
        name(simple.name);
        out.simples.push_back(std::move(simple));
        break;
      }
      case '[':
        if (!attribute(out)) return false;
        break;
      case ':':
        if (!pseudo(out)) return false;
        break;
      default: return found || at_ != begin ? true : unexpected();
    }
  }
}

bool Parser::attribute_value(Simple& simple) {
  constexpr std::pair<char, AttributeTest> kTests[] = {
      {'=', AttributeTest::kEquals}, {'~', AttributeTest::kIncludes},
      {'|', AttributeTest::kDash},   {'^', AttributeTest::kPrefix},
      {'$', AttributeTest::kSuffix}, {'*', AttributeTest::kSubstring}};
  for (const auto& [sign, test] : kTests) {
    if (peek() == sign) simple.test = test;
  }
  if (simple.test == AttributeTest::kPresent) return unexpected();
  if (simple.test != AttributeTest::kEquals && peek(1) != '=') return unexpected();
  at_ += simple.test == AttributeTest::kEquals ? 1 : 2;
  skip_blanks();
  if (peek() == '"' || peek() == '\'') {
    if (!string(simple.value)) return false;
  } else if (starts_name()) {
    name(simple.value);
  } else {
    return fail(at_, "value " + excerpt(text_.substr(at_, token_size())) +
                         " is not a name: put it in quotes");
  }
  skip_blanks();
  if (!starts_name()) return true;
  const std::size_t flag_at = at_;
  std::string flag;
  name(flag);
  simple.case_flag = to_lower(flag[0]);
  if (flag.size() != 1 || (simple.case_flag != 'i' && simple.case_flag != 's'))
    return fail(flag_at, "flag " + excerpt(flag) + " is neither i nor s");
  skip_blanks();
  return true;
}

bool Parser::attribute(Compound& out) {
  Simple simple;
  simple.kind = SimpleKind::kAttribute;
  simple.at = at_++;
  skip_blanks();
  simple.any_space = peek() == '*' && peek(1) == '|';
  if (simple.any_space) at_ += 2;
  if (peek() == '|' && peek(1) != '=') ++at_;
  if (!starts_name()) return unexpected();
  name(simple.name);
  if (peek() == '|' && peek(1) != '=')
    return fail(at_, "unexpected \"|\": namespaces have no names in HTML");
  skip_blanks();
  if (peek() != ']' && !at_end() && !attribute_value(simple)) return false;
  if (at_end()) return fail(simple.at, "\"[\" without its \"]\"");
  if (peek() != ']') return unexpected();
  ++at_;
  out.simples.push_back(std::move(simple));
  return true;
}

bool Parser::pseudo(Compound& out) {
  Simple simple;
  simple.at = at_;
  if (peek(1) == ':') {
    return fail(at_, "pseudo-element " + excerpt(text_.substr(at_, token_size(2))) +
                         " selects no element (a value is NAME=SELECTOR@ATTR)");
  }
  ++at_;
  std::string word;
  if (!starts_name()) return fail(at_ - 1, "\":\" without a name");
  name(word);
  word = to_lower_copy(word);
  const bool known = peek() == '(' ? function(word, simple) : plain_pseudo(word, simple);
  if (!known) return false;
  out.simples.push_back(std::move(simple));
  return true;
}

bool Parser::plain_pseudo(std::string_view word, Simple& simple) {
  struct Position {
    std::string_view name;
    bool first, last, of_type;
  };
  constexpr Position kPositions[] = {
      {"first-child", true, false, false}, {"last-child", false, true, false},
      {"only-child", true, true, false},   {"first-of-type", true, false, true},
      {"last-of-type", false, true, true}, {"only-of-type", true, true, true}};
  constexpr std::pair<std::string_view, SimpleKind> kPlain[] = {{"empty", SimpleKind::kEmpty},
                                                                {"root", SimpleKind::kRoot},
                                                                {"scope", SimpleKind::kScope},
                                                                {"link", SimpleKind::kLink},
                                                                {"any-link", SimpleKind::kLink}};
  for (const auto& [plain, kind] : kPlain) {
    if (plain != word) continue;
    simple.kind = kind;
    return true;
  }
  for (const Position& position : kPositions) {
    if (position.name != word) continue;
    simple.kind = SimpleKind::kNth;
    simple.nth = {0, 1, !position.first, position.of_type};
    if (!position.first || !position.last) return true;
    // Both at once: a list of one compound that has the two.
    Simple last = simple;
    last.nth.from_end = true;
    Compound both;
    both.simples = {simple, last};
    simple.kind = SimpleKind::kIs;
    simple.list.push_back({{both}});
    return true;
  }
  for (const std::string_view browser : kOfBrowsers) {
    if (browser == word)
      return fail(simple.at,
                  ":" + std::string(word) + " is of a browser's state, and not supported");
  }
  return fail(simple.at, "unknown pseudo-class " + excerpt(":" + std::string(word)));
}

bool Parser::function(std::string_view word, Simple& simple) {
  const std::size_t open = at_++;
  const bool is_has = word == "has";
  if (word.substr(0, 4) == "nth-") {
    simple.kind = SimpleKind::kNth;
    simple.nth.from_end = word == "nth-last-child" || word == "nth-last-of-type";
    simple.nth.of_type = word == "nth-of-type" || word == "nth-last-of-type";
    if (!simple.nth.from_end && !simple.nth.of_type && word != "nth-child")
      return fail(simple.at, "unknown pseudo-class " + excerpt(":" + std::string(word) + "("));
    if (!nth(simple)) return false;
  } else if (is_has || word == "is" || word == "where" || word == "not" || word == "matches" ||
             word == "-webkit-any") {
    if (is_has && in_has_) return fail(simple.at, ":has( within :has(");
    simple.kind = is_has ? SimpleKind::kHas : word == "not" ? SimpleKind::kNot : SimpleKind::kIs;
    in_has_ = in_has_ || is_has;
    skip_blanks();
    if (!list(simple.list, is_has, true)) {
      if (at_end() && why_.at == at_) why_ = {"\"(\" without its \")\"", open};
      return false;
    }
    if (is_has) in_has_ = false;
  } else {
    at_ = open;
    for (const std::string_view browser : kOfBrowsers) {
      if (browser == word)
        return fail(simple.at,
                    ":" + std::string(word) + "( is of a browser's state, and not supported");
    }
    return fail(simple.at, "unknown pseudo-class " + excerpt(":" + std::string(word) + "("));
  }
  if (peek() != ')') return fail(open, "\"(\" without its \")\"");
  ++at_;
  return true;
}

bool Parser::number(int& out) {
  const std::size_t before = at_;
  out = 0;
  while (is_digit(peek()) && out < kMaxNth) out = out * 10 + (text_[at_++] - '0');
  return at_ != before && !is_digit(peek());
}

// Reads an+b: even, odd, 3, -n+3, 2n + 1, +n.
bool Parser::an_plus_b(Nth& out) {
  for (const auto& [word, offset] : {std::pair<std::string_view, int>{"even", 0}, {"odd", 1}}) {
    if (!equals_ignore_case(text_.substr(at_, word.size()), word)) continue;
    out.step = 2;
    out.offset = offset;
    at_ += word.size();
    return !is_name_char(peek());
  }
  int sign = 1;
  if (peek() == '+' || peek() == '-') sign = text_[at_++] == '-' ? -1 : 1;
  int value = 1;
  const bool digits = is_digit(peek());
  if (digits && !number(value)) return false;
  if (to_lower(peek()) != 'n') {
    out.offset = sign * value;
    return digits;
  }
  ++at_;
  out.step = sign * value;
  const std::size_t here = at_;
  skip_blanks();
  if (peek() != '+' && peek() != '-') {
    at_ = here;
    return true;
  }
  sign = text_[at_++] == '-' ? -1 : 1;
  skip_blanks();
  if (!number(value)) return false;
  out.offset = sign * value;
  return true;
}

bool Parser::nth(Simple& simple) {
  skip_blanks();
  const std::size_t begin = at_;
  if (!an_plus_b(simple.nth)) {
    const std::size_t end = text_.find(')', begin);
    return fail(begin, excerpt(text_.substr(begin, end - begin)) + " is not an+b");
  }
  skip_blanks();
  if (!equals_ignore_case(text_.substr(at_, 2), "of") || is_name_char(peek(2))) {
    return peek() == ')' || unexpected();
  }
  if (simple.nth.from_end || simple.nth.of_type)
    return fail(at_, "\"of\" is only in :nth-child() here");
  at_ += 2;
  skip_blanks();
  return list(simple.list, false, true);
}

}  // namespace

bool parse_selectors(std::string_view text, SelectorList& out, SelectorError& why, bool relative) {
  out.clear();
  Parser parser(text, why);
  return parser.list(out, relative, false);
}

}  // namespace spinneret::select
