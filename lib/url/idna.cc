// SPDX-License-Identifier: Apache-2.0
#include "url/idna.h"

#include <algorithm>
#include <cstdio>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/utf8.h"
#include "url/punycode.h"
#include "url/unicode.h"

namespace spinneret {
namespace {

using idna::Bidi;
using idna::Joining;

Bidi bidi_of(char32_t c) { return static_cast<Bidi>(idna::properties_of(c).bidi); }
Joining joining_of(char32_t c) { return static_cast<Joining>(idna::properties_of(c).joining); }

bool is_right_to_left(Bidi bidi) {
  return bidi == Bidi::kR || bidi == Bidi::kAL || bidi == Bidi::kAN;
}

template <typename... Classes>
bool one_of(Bidi bidi, Classes... classes) {
  return ((bidi == classes) || ...);
}

std::string code_point_name(char32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(c));
  return text;
}

constexpr char32_t kZwnj = 0x200C, kZwj = 0x200D;

// Maps and normalises the domain (UTS #46, section 4, steps 1 and 2). Returns false where it is not
// UTF-8.
bool map_and_normalize(std::string_view domain, std::u32string& out) {
  while (!domain.empty()) {
    char32_t c = 0;
    const std::size_t size = utf8_sequence(domain, &c);
    if (size == 0) return false;
    domain.remove_prefix(size);
    idna::append_mapped(c, out);
  }
  idna::normalize_nfc(out);
  return true;
}

// Returns whether the joiner at `at` is allowed there (RFC 5892, appendices A.1 and A.2).
bool joiner_in_context(std::u32string_view label, std::size_t at) {
  if (at > 0 && (idna::properties_of(label[at - 1]).flags & idna::kVirama) != 0) return true;
  if (label[at] == kZwj) return false;
  std::size_t before = at;
  while (before > 0 && joining_of(label[before - 1]) == Joining::kTransparent) --before;
  if (before == 0) return false;
  const Joining left = joining_of(label[before - 1]);
  std::size_t after = at + 1;
  while (after < label.size() && joining_of(label[after]) == Joining::kTransparent) ++after;
  if (after == label.size()) return false;
  const Joining right = joining_of(label[after]);
  return (left == Joining::kLeft || left == Joining::kDual) &&
         (right == Joining::kRight || right == Joining::kDual);
}

// The Bidi rule (RFC 5893, section 2) for a label in a domain that has a right-to-left label.
bool follows_bidi_rule(std::u32string_view label) {
  const Bidi first = bidi_of(label.front());
  const bool rtl = first == Bidi::kR || first == Bidi::kAL;
  if (!rtl && first != Bidi::kL) return false;
  bool european = false;
  bool arabic = false;
  Bidi last = first;  // non-spacing marks do not count
  for (const char32_t c : label) {
    const Bidi bidi = bidi_of(c);
    const bool either =
        one_of(bidi, Bidi::kEN, Bidi::kES, Bidi::kCS, Bidi::kET, Bidi::kON, Bidi::kBN, Bidi::kNSM);
    if (!either && !(rtl ? is_right_to_left(bidi) : bidi == Bidi::kL)) return false;
    european |= bidi == Bidi::kEN;
    arabic |= bidi == Bidi::kAN;
    if (bidi != Bidi::kNSM) last = bidi;
  }
  if (european && arabic && rtl) return false;
  return rtl ? one_of(last, Bidi::kR, Bidi::kAL, Bidi::kEN, Bidi::kAN)
             : one_of(last, Bidi::kL, Bidi::kEN);
}

// One label, as it is in the domain and as people read it.
struct Label {
  std::u32string_view mapped;
  std::u32string decoded;  // the text of an "xn--" label; otherwise empty
  std::u32string_view text() const {
    return decoded.empty() ? mapped : std::u32string_view(decoded);
  }
};

bool is_ascii_text(std::u32string_view text) {
  return std::all_of(text.begin(), text.end(), [](char32_t c) { return c < 0x80; });
}

class DomainToAscii {
 public:
  DomainToAscii(std::string& out, std::string* reason) : out_(out), reason_(reason) {}

  bool run(std::string_view domain) {
    std::u32string text;
    if (!map_and_normalize(domain, text)) return fail("is not valid UTF-8");
    std::u32string_view rest = text;
    // Two passes are needed: the first finds out whether the bidi rule applies to the labels of the
    // second.
    for (bool more = true; more;) {
      more = next_label(rest);
      if (!decode(label_)) return false;
      for (const char32_t c : label_.text()) bidi_ |= is_right_to_left(bidi_of(c));
    }
    rest = text;
    for (bool more = true; more;) {
      more = next_label(rest);
      decode(label_);
      if (!label_.text().empty() && !validate(label_.text())) return false;
      append(label_);
      if (more) out_ += '.';
    }
    return true;
  }

 private:
  bool fail(std::string reason) {
    if (reason_ != nullptr) *reason_ = std::move(reason);
    return false;
  }

  // Takes the next label off `rest`. Returns true where another one follows.
  bool next_label(std::u32string_view& rest) {
    const std::size_t dot = rest.find(U'.');
    label_.mapped = rest.substr(0, dot);
    label_.decoded.clear();
    const bool more = dot != std::u32string_view::npos;
    if (more) rest.remove_prefix(dot + 1);
    return more;
  }

  bool decode(Label& label) {
    if (!label.mapped.starts_with(U"xn--")) return true;
    if (!is_ascii_text(label.mapped)) return fail("a label of \"xn--\" and non-ASCII characters");
    const std::string code(label.mapped.begin() + 4, label.mapped.end());
    if (!idna::decode_punycode(code, label.decoded) || is_ascii_text(label.decoded)) {
      return fail("\"xn--" + excerpt(code, 40).substr(1) + " is not valid Punycode");
    }
    return true;
  }

  // The validity criteria (UTS #46, section 4.1).
  bool validate(std::u32string_view label) {
    if (label_.decoded.size() == label.size()) {
      std::u32string normal(label);
      idna::normalize_nfc(normal);
      if (normal != label) return fail("an \"xn--\" label that is not normalised");
      if (label.starts_with(U"xn--")) return fail("an \"xn--\" label within an \"xn--\" label");
    }
    for (const char32_t c : label) {
      if (!idna::is_valid(c) || c == U'.') return fail(code_point_name(c) + " is not allowed");
    }
    if ((idna::properties_of(label.front()).flags & idna::kMark) != 0) {
      return fail("a label begins with the combining mark " + code_point_name(label.front()));
    }
    for (std::size_t i = 0; i < label.size(); ++i) {
      if ((label[i] == kZwnj || label[i] == kZwj) && !joiner_in_context(label, i)) {
        return fail("the joiner " + code_point_name(label[i]) + " joins nothing");
      }
    }
    if (bidi_ && !follows_bidi_rule(label))
      return fail("a label breaks the rule for bidirectional text");
    return true;
  }

  void append(const Label& label) {
    if (is_ascii_text(label.mapped)) {
      for (const char32_t c : label.mapped) out_ += static_cast<char>(c);
    } else {
      out_ += "xn--";
      idna::append_punycode(label.mapped, out_);
    }
  }

  std::string& out_;
  std::string* reason_;
  Label label_;
  bool bidi_ = false;
};

}  // namespace

bool domain_to_ascii(std::string_view domain, std::string& out, std::string* reason) {
  if (std::all_of(domain.begin(), domain.end(), [](char c) { return (c & 0x80) == 0; })) {
    out += to_lower_copy(domain);
    return true;
  }
  return DomainToAscii(out, reason).run(domain);
}

void append_unicode_domain(std::string& out, std::string_view domain) {
  bool first = true;
  while (first || !domain.empty()) {
    const std::size_t dot = domain.find('.');
    const std::string_view label = domain.substr(0, dot);
    std::u32string decoded;
    std::string text;
    std::string again;
    if (label.starts_with("xn--") && idna::decode_punycode(label.substr(4), decoded)) {
      for (const char32_t c : decoded) append_utf8(text, c);
    }
    const bool same = !text.empty() && domain_to_ascii(text, again) && again == label;
    out += same ? std::string_view(text) : label;
    if (dot == std::string_view::npos) return;
    out += '.';
    domain.remove_prefix(dot + 1);
    first = false;
  }
}

}  // namespace spinneret
