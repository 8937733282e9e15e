// SPDX-License-Identifier: Apache-2.0
#include "dedupe/page_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/ascii.h"

namespace spinneret::dedupe {
namespace {

enum class Kind : std::uint8_t { kBreak, kLetter, kDigit, kHigh, kIdeograph, kTag, kEntity };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (std::size_t c = 0; c < 256; ++c) {
    const char byte = static_cast<char>(c);
    kinds[c] = is_alpha(byte)   ? Kind::kLetter
               : is_digit(byte) ? Kind::kDigit
               : c >= 0x80      ? Kind::kHigh
                                : Kind::kBreak;
  }
  // Lead bytes of U+3000 to U+9FFF: kana and ideographs, which are written without spaces.
  for (std::size_t c = 0xE3; c <= 0xE9; ++c) kinds[c] = Kind::kIdeograph;
  kinds['<'] = Kind::kTag;
  kinds['&'] = Kind::kEntity;
  return kinds;
}();

// Sorted. "may" and "march" are words too, but are left out of both copies.
constexpr std::string_view kDateWords[] = {
    "apr",     "april",    "aug",      "august",  "dec",    "december",  "feb",      "february",
    "fri",     "friday",   "jan",      "january", "jul",    "july",      "jun",      "june",
    "mar",     "march",    "may",      "mon",     "monday", "nov",       "november", "oct",
    "october", "sat",      "saturday", "sep",     "sept",   "september", "sun",      "sunday",
    "thu",     "thursday", "tue",      "tuesday", "wed",    "wednesday"};

// The first three letters of words about dates; few other words begin with them.
class DateBeginnings {
 public:
  constexpr DateBeginnings() {
    for (const std::string_view word : kDateWords) bits_[index(word) / 64] |= bit(word);
  }
  // Is asked with three small letters; other letters give false.
  bool has(std::string_view word) const { return (bits_[index(word) / 64] & bit(word)) != 0; }

 private:
  static constexpr std::size_t index(std::string_view word) {
    return static_cast<std::size_t>(word[0] & 31) << 10 |
           static_cast<std::size_t>(word[1] & 31) << 5 | static_cast<std::size_t>(word[2] & 31);
  }
  static constexpr std::uint64_t bit(std::string_view word) {
    return std::uint64_t{1} << index(word) % 64;
  }
  std::array<std::uint64_t, (std::size_t{1} << 15) / 64> bits_{};
};
constexpr DateBeginnings kDateBeginnings;

bool is_date_word(std::string_view word) {
  return word.size() >= 3 && word.size() <= 9 && kDateBeginnings.has(word) &&
         std::binary_search(std::begin(kDateWords), std::end(kDateWords), word);
}

class Scanner {
 public:
  Scanner(std::string_view page, bool markup, std::string& out)
      : page_(page), markup_(markup), out_(out) {
    // Twice the size is enough: a word grows by one space only. Two words had a byte between them,
    // or the second is an ideograph; an incomplete ideograph is a single byte.
    out_.resize(page.size() * 2 + 1);
    word_ = next_ = out_.data();
  }

  void scan() {
    while (at_ < page_.size()) {
      switch (kKinds[static_cast<unsigned char>(page_[at_])]) {
        case Kind::kLetter: letters(); break;
        case Kind::kDigit:
          digit_ = true;
          *next_++ = page_[at_++];
          break;
        case Kind::kHigh: high(); break;
        case Kind::kIdeograph: ideograph(); break;
        case Kind::kBreak: separate(1); break;
        case Kind::kTag: markup_ ? tag() : separate(1); break;
        case Kind::kEntity: separate(markup_ ? entity_length() : 1); break;
      }
    }
    end_word();
    out_.resize(static_cast<std::size_t>(next_ - out_.data()));
  }

 private:
  // Works on local variables: for all that the compiler knows, the bytes written could else be at_.
  void letters() {
    const char* from = page_.data() + at_;
    const char* const end = page_.data() + page_.size();
    char* to = next_;
    do {
      *to++ = static_cast<char>(*from++ | 0x20);
    } while (from != end && kKinds[static_cast<unsigned char>(*from)] == Kind::kLetter);
    at_ = static_cast<std::size_t>(from - page_.data());
    next_ = to;
  }

  void separate(std::size_t bytes) {
    end_word();
    at_ += bytes;
  }

  void end_word() {
    if (next_ == word_) return;
    if (digit_ || is_date_word({word_, static_cast<std::size_t>(next_ - word_)})) {
      next_ = word_;
      digit_ = false;
      return;
    }
    *next_++ = ' ';
    word_ = next_;
  }

  unsigned char byte(std::size_t ahead) const {
    return at_ + ahead < page_.size() ? static_cast<unsigned char>(page_[at_ + ahead]) : 0;
  }

  // Returns whether the byte can only continue a UTF-8 character.
  bool is_continuation(std::size_t ahead) const { return (byte(ahead) & 0xC0) == 0x80; }

  void high() {
    // U+00A0, and U+2000 to U+207F: spaces, dashes, quotation marks.
    if (byte(0) == 0xC2 && byte(1) == 0xA0) return separate(2);
    if (byte(0) == 0xE2 && (byte(1) == 0x80 || byte(1) == 0x81)) {
      return separate(is_continuation(2) ? 3 : 2);
    }
    *next_++ = page_[at_++];
  }

  void ideograph() {
    end_word();
    *next_++ = page_[at_++];
    for (int i = 0; i < 2 && is_continuation(0); ++i) *next_++ = page_[at_++];
    end_word();
  }

  std::size_t entity_length() const {
    std::size_t length = 1;
    while (length < 34 && (is_alnum(static_cast<char>(byte(length))) || byte(length) == '#')) {
      ++length;
    }
    return byte(length) == ';' ? length + 1 : 1;
  }

  // Called where at_ is at a <.
  void tag() {
    end_word();
    const std::string_view rest = page_.substr(at_);
    if (rest.starts_with("<!--")) return skip_past("-->", 4);
    const auto second = static_cast<char>(byte(1));
    if (!is_alpha(second) && second != '/' && second != '!' && second != '?') {
      ++at_;
      return;
    }
    const bool script = starts_with_ignore_case(rest, "<script");
    const bool style = starts_with_ignore_case(rest, "<style");
    skip_tag();
    if (script) skip_element("</script");
    if (style) skip_element("</style");
  }

  void skip_past(std::string_view end, std::size_t from) {
    const std::size_t found = page_.find(end, at_ + from);
    at_ = found == std::string_view::npos ? page_.size() : found + end.size();
  }

  // Goes to behind the >. A quoted value, which begins right behind a =, may contain a >.
  void skip_tag() {
    while (at_ < page_.size() && page_[at_] != '>') {
      const char c = page_[at_++];
      if (c != '=') continue;
      const auto quote = static_cast<char>(byte(0));
      if (quote != '"' && quote != '\'') continue;
      const std::size_t end = page_.find(quote, at_ + 1);
      if (end != std::string_view::npos) at_ = end + 1;
    }
    at_ = std::min(at_ + 1, page_.size());
  }

  void skip_element(std::string_view end) {
    while (at_ < page_.size()) {
      const std::size_t found = page_.find("</", at_);
      if (found == std::string_view::npos) break;
      at_ = found;
      if (starts_with_ignore_case(page_.substr(at_), end)) return skip_tag();
      at_ += 2;
    }
    at_ = page_.size();
  }

  std::string_view page_;
  bool markup_;
  std::string& out_;
  std::size_t at_ = 0;
  char* word_;  // where the present word begins
  char* next_;
  bool digit_ = false;
};

}  // namespace

void page_text(std::string_view page, bool markup, std::string& out) {
  Scanner(page, markup, out).scan();
}

}  // namespace spinneret::dedupe
