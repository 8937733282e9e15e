// SPDX-License-Identifier: Apache-2.0
#include "html/encoding_multibyte.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "html/encoding_table.h"

namespace spinneret::html {
namespace {

constexpr char32_t kBad = 0xFFFD;
constexpr unsigned kNoPointer = 0xFFFF;

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0x100u;
}
constexpr bool in(unsigned value, unsigned low, unsigned high) {
  return value >= low && value <= high;
}

// Maps code points to pointers. It is made from an index when first needed: 128 KiB, some 30 us.
class ReverseIndex {
 public:
  // The first pointer of a character counts, or the last if `last_of` has the character. Pointers
  // in [skip_begin, skip_end) are left out.
  ReverseIndex(const char16_t* index, std::size_t size, std::size_t skip_begin,
               std::size_t skip_end, std::u16string_view last_of = {})
      : pointers_(new std::uint16_t[0x10000]) {
    std::fill_n(pointers_.get(), 0x10000, kNoPointer);
    for (std::size_t at = size; at-- > 0;) {
      if (at < skip_end && at >= skip_begin) continue;
      std::uint16_t& pointer = pointers_[index[at]];
      if (pointer != kNoPointer && last_of.find(index[at]) != std::u16string_view::npos) continue;
      pointer = static_cast<std::uint16_t>(at);
    }
    pointers_[kBad] = kNoPointer;
  }
  unsigned find(char32_t code) const { return code < 0x10000 ? pointers_[code] : kNoPointer; }

 private:
  std::unique_ptr<std::uint16_t[]> pointers_;
};

// The common part of all multi-byte encodings: runs of ASCII are copied, the rest is decoded
// character by character.
class MultiByte : public Encoding {
 public:
  void decode(std::string_view bytes, std::string& out) const override {
    while (!bytes.empty()) {
      const auto end =
          std::find_if(bytes.begin(), bytes.end(), [](char c) { return (c & 0x80) != 0; });
      const auto plain = static_cast<std::size_t>(end - bytes.begin());
      out.append(bytes.substr(0, plain));
      bytes.remove_prefix(plain);
      if (!bytes.empty()) bytes.remove_prefix(decode_one(bytes, out));
    }
  }
  void encode(std::string_view text, std::string& out) const override {
    while (!text.empty()) {
      char32_t code = kBad;
      const std::size_t size = std::max<std::size_t>(1, utf8_sequence(text, &code));
      text.remove_prefix(size);
      if (code < 0x80) {
        out += static_cast<char>(code);
      } else if (!encode_one(code, out)) {
        append_reference(out, code);
      }
    }
  }

 protected:
  // Decodes one character from `bytes`, which begin with a byte above 0x7F; returns how many bytes
  // it took.
  virtual std::size_t decode_one(std::string_view bytes, std::string& out) const = 0;
  virtual bool encode_one(char32_t code, std::string& out) const = 0;

  // Appends the character of a lead byte and what follows it. An ASCII byte that makes no character
  // with the lead byte stands for itself, and is not taken.
  static std::size_t put(char32_t code, std::string_view bytes, std::size_t size,
                         std::string& out) {
    append_utf8(out, code);
    if (code != kBad || size < 2) return size;
    return byte_at(bytes, size - 1) < 0x80 ? size - 1 : size;
  }
  static void put_two(unsigned first, unsigned second, std::string& out) {
    out += static_cast<char>(first);
    out += static_cast<char>(second);
  }
};

// --- gbk and gb18030 (section 10) ---

// Returns 0 if there is no such code point.
char32_t gb18030_range(std::uint32_t pointer) {
  if ((pointer > 39419 && pointer < 189000) || pointer > 1237575) return 0;
  if (pointer == 7457) return 0xE7C7;
  const RangeEntry* const end = kGb18030Ranges + kGb18030RangeCount;
  const RangeEntry* const above =
      std::upper_bound(kGb18030Ranges, end, pointer,
                       [](std::uint32_t p, const RangeEntry& entry) { return p < entry.pointer; });
  return above[-1].code_point + (pointer - above[-1].pointer);
}

std::uint32_t gb18030_range_pointer(char32_t code) {
  if (code == 0xE7C7) return 7457;
  const RangeEntry* const end = kGb18030Ranges + kGb18030RangeCount;
  const RangeEntry* const above =
      std::upper_bound(kGb18030Ranges, end, code,
                       [](char32_t c, const RangeEntry& entry) { return c < entry.code_point; });
  return above[-1].pointer + (code - above[-1].code_point);
}

class Gb18030 : public MultiByte {
 public:
  explicit constexpr Gb18030(bool gbk) : gbk_(gbk) {}
  std::string_view name() const override { return gbk_ ? "gbk" : "gb18030"; }

 protected:
  std::size_t decode_one(std::string_view bytes, std::string& out) const override {
    const unsigned first = byte_at(bytes, 0);
    const unsigned second = byte_at(bytes, 1);
    if (first == 0x80) return put(0x20AC, bytes, 1, out);
    if (first == 0xFF || second == 0x100) return put(kBad, bytes, 1, out);
    if (in(second, 0x30, 0x39)) return decode_four(bytes, out);
    if (!in(second, 0x40, 0x7E) && !in(second, 0x80, 0xFE)) return put(kBad, bytes, 2, out);
    const unsigned pointer = (first - 0x81) * 190 + second - (second < 0x7F ? 0x40 : 0x41);
    return put(kGb18030[pointer], bytes, 2, out);
  }
  bool encode_one(char32_t code, std::string& out) const override {
    if (code == 0xE5E5) return false;
    if (gbk_ && code == 0x20AC) {
      out += '\x80';
      return true;
    }
    static const ReverseIndex reverse(kGb18030, kGb18030Size, 0, 0);
    const unsigned pointer = reverse.find(code);
    if (pointer != kNoPointer) {
      const unsigned trail = pointer % 190;
      put_two(pointer / 190 + 0x81, trail + (trail < 0x3F ? 0x40 : 0x41), out);
      return true;
    }
    if (gbk_) return false;
    const std::uint32_t range = gb18030_range_pointer(code);
    put_two(range / 12600 + 0x81, range / 1260 % 10 + 0x30, out);
    put_two(range / 10 % 126 + 0x81, range % 10 + 0x30, out);
    return true;
  }

 private:
  static std::size_t decode_four(std::string_view bytes, std::string& out) {
    const unsigned third = byte_at(bytes, 2);
    const unsigned fourth = byte_at(bytes, 3);
    if (in(third, 0x81, 0xFE) && in(fourth, 0x30, 0x39)) {
      const std::uint32_t pointer = (byte_at(bytes, 0) - 0x81) * 12600 +
                                    (byte_at(bytes, 1) - 0x30) * 1260 + (third - 0x81) * 10 +
                                    fourth - 0x30;
      const char32_t code = gb18030_range(pointer);
      append_utf8(out, code == 0 ? kBad : code);
      return code == 0 ? 1 : 4;  // the bytes behind the lead byte are read again
    }
    append_utf8(out, kBad);
    return fourth == 0x100 && (third == 0x100 || in(third, 0x81, 0xFE)) ? bytes.size() : 1;
  }
  bool gbk_;
};

// --- Big5 (section 11) ---

class Big5 : public MultiByte {
 public:
  std::string_view name() const override { return "big5"; }

 protected:
  std::size_t decode_one(std::string_view bytes, std::string& out) const override {
    const unsigned first = byte_at(bytes, 0);
    const unsigned second = byte_at(bytes, 1);
    if (!in(first, 0x81, 0xFE) || second == 0x100) return put(kBad, bytes, 1, out);
    if (!in(second, 0x40, 0x7E) && !in(second, 0xA1, 0xFE)) return put(kBad, bytes, 2, out);
    const unsigned pointer = (first - 0x81) * 157 + second - (second < 0x7F ? 0x40 : 0x62);
    if (const char* const pair = pair_of(pointer)) {
      out += pair;
      return 2;
    }
    if (pointer >= kBig5Size) return put(kBad, bytes, 2, out);
    return put(kBig5[pointer] == kBad ? astral(pointer) : kBig5[pointer], bytes, 2, out);
  }
  bool encode_one(char32_t code, std::string& out) const override {
    constexpr std::size_t kHongKong = (0xA1 - 0x81) * 157;
    static const ReverseIndex reverse(kBig5, kBig5Size, 0, kHongKong,
                                      u"\u2550\u255E\u2561\u256A\u5341\u5345");
    unsigned pointer = reverse.find(code);
    if (code > 0xFFFF) {
      const auto* const found = std::find_if(
          kBig5Astral, kBig5Astral + kBig5AstralCount,
          [code](const AstralEntry& e) { return e.code_point == code && e.pointer >= kHongKong; });
      if (found != kBig5Astral + kBig5AstralCount) pointer = found->pointer;
    }
    if (pointer == kNoPointer) return false;
    const unsigned trail = pointer % 157;
    put_two(pointer / 157 + 0x81, trail + (trail < 0x3F ? 0x40 : 0x62), out);
    return true;
  }

 private:
  static const char* pair_of(unsigned pointer) {
    switch (pointer) {
      case 1133: return "\u00CA\u0304";
      case 1135: return "\u00CA\u030C";
      case 1164: return "\u00EA\u0304";
      case 1166: return "\u00EA\u030C";
      default: return nullptr;
    }
  }
  static char32_t astral(unsigned pointer) {
    const auto* const end = kBig5Astral + kBig5AstralCount;
    const auto* const found =
        std::lower_bound(kBig5Astral, end, pointer,
                         [](const AstralEntry& entry, unsigned p) { return entry.pointer < p; });
    return found != end && found->pointer == pointer ? found->code_point : kBad;
  }
};

// --- Japanese (section 12) ---

// Returns what the Japanese encoders write in place of a character; mostly the character itself.
char32_t japanese_substitute(char32_t code) { return code == 0x2212 ? 0xFF0D : code; }

class EucJp : public MultiByte {
 public:
  std::string_view name() const override { return "euc-jp"; }

 protected:
  std::size_t decode_one(std::string_view bytes, std::string& out) const override {
    const unsigned first = byte_at(bytes, 0);
    const unsigned second = byte_at(bytes, 1);
    if (first == 0x8E && in(second, 0xA1, 0xDF)) return put(0xFF61 - 0xA1 + second, bytes, 2, out);
    const bool three = first == 0x8F && in(second, 0xA1, 0xFE);
    const unsigned lead = three ? second : first;
    const std::size_t size = three ? 3 : 2;
    const unsigned trail = byte_at(bytes, size - 1);
    if (first != 0x8E && first != 0x8F && !in(first, 0xA1, 0xFE)) return put(kBad, bytes, 1, out);
    if (trail == 0x100) return put(kBad, bytes, size - 1, out);
    char32_t code = kBad;
    if (in(lead, 0xA1, 0xFE) && in(trail, 0xA1, 0xFE)) {
      const unsigned pointer = (lead - 0xA1) * 94 + trail - 0xA1;
      code = three ? kJis0212[pointer] : kJis0208[pointer];
    }
    return put(code, bytes, size, out);
  }
  bool encode_one(char32_t code, std::string& out) const override {
    if (code == 0xA5 || code == 0x203E) {
      out += code == 0xA5 ? '\\' : '~';
      return true;
    }
    if (in(static_cast<unsigned>(code), 0xFF61, 0xFF9F)) {
      put_two(0x8E, static_cast<unsigned>(code) - 0xFF61 + 0xA1, out);
      return true;
    }
    static const ReverseIndex reverse(kJis0208, kJis0208Size, 0, 0);
    const unsigned pointer = reverse.find(japanese_substitute(code));
    if (pointer >= 94 * 94) return false;
    put_two(pointer / 94 + 0xA1, pointer % 94 + 0xA1, out);
    return true;
  }
};

class ShiftJis : public MultiByte {
 public:
  std::string_view name() const override { return "shift_jis"; }

 protected:
  std::size_t decode_one(std::string_view bytes, std::string& out) const override {
    const unsigned first = byte_at(bytes, 0);
    const unsigned second = byte_at(bytes, 1);
    if (first == 0x80) return put(0x80, bytes, 1, out);
    if (in(first, 0xA1, 0xDF)) return put(0xFF61 - 0xA1 + first, bytes, 1, out);
    if (first == 0xA0 || first > 0xFC || second == 0x100) return put(kBad, bytes, 1, out);
    if (!in(second, 0x40, 0x7E) && !in(second, 0x80, 0xFC)) return put(kBad, bytes, 2, out);
    const unsigned pointer =
        (first - (first < 0xA0 ? 0x81 : 0xC1)) * 188 + second - (second < 0x7F ? 0x40 : 0x41);
    if (in(pointer, 8836, 10715)) return put(0xE000 - 8836 + pointer, bytes, 2, out);
    return put(pointer < kJis0208Size ? kJis0208[pointer] : kBad, bytes, 2, out);
  }
  bool encode_one(char32_t code, std::string& out) const override {
    if (code == 0x80 || code == 0xA5 || code == 0x203E) {
      out += code == 0x80 ? '\x80' : code == 0xA5 ? '\\' : '~';
      return true;
    }
    if (in(static_cast<unsigned>(code), 0xFF61, 0xFF9F)) {
      out += static_cast<char>(code - 0xFF61 + 0xA1);
      return true;
    }
    static const ReverseIndex reverse(kJis0208, kJis0208Size, 8272, 8836);
    const unsigned pointer = reverse.find(japanese_substitute(code));
    if (pointer == kNoPointer) return false;
    const unsigned lead = pointer / 188;
    const unsigned trail = pointer % 188;
    put_two(lead + (lead < 0x1F ? 0x81 : 0xC1), trail + (trail < 0x3F ? 0x40 : 0x41), out);
    return true;
  }
};

// Stateful: escape sequences choose the character set. Not ASCII-compatible.
class Iso2022Jp : public Encoding {
 public:
  std::string_view name() const override { return "iso-2022-jp"; }
  bool ascii_compatible() const override { return false; }
  bool is_stateful() const override { return true; }
  void decode(std::string_view bytes, std::string& out) const override {
    Set set = Set::kAscii;
    for (std::size_t at = 0; at < bytes.size();) {
      const unsigned first = byte_at(bytes, at);
      if (first == 0x1B) {
        if (const auto chosen = escape(bytes.substr(at + 1, 2))) {
          set = *chosen;
          at += 3;
          continue;
        }
        append_utf8(out, kBad);
        ++at;
        continue;
      }
      if (set == Set::kJis0208 && in(first, 0x21, 0x7E)) {
        const unsigned second = byte_at(bytes, at + 1);
        const bool pair = in(second, 0x21, 0x7E);
        append_utf8(out, pair ? kJis0208[(first - 0x21) * 94 + second - 0x21] : kBad);
        at += pair || second == 0x100 || second == 0x1B ? 1u + pair : 2u;
        continue;
      }
      append_utf8(out, single(set, first));
      ++at;
    }
  }
  void encode(std::string_view text, std::string& out) const override {
    static const ReverseIndex reverse(kJis0208, kJis0208Size, 0, 0);
    Set set = Set::kAscii;
    const auto switch_to = [&](Set wanted) {
      if (set == wanted) return;
      set = wanted;
      out += wanted == Set::kAscii ? "\x1B(B" : wanted == Set::kRoman ? "\x1B(J" : "\x1B$B";
    };
    while (!text.empty()) {
      char32_t code = kBad;
      text.remove_prefix(std::max<std::size_t>(1, utf8_sequence(text, &code)));
      const bool roman = code == 0xA5 || code == 0x203E;
      if (roman) {
        switch_to(Set::kRoman);
        out += code == 0xA5 ? '\\' : '~';
        continue;
      }
      if (code < 0x80 && code != 0x0E && code != 0x0F && code != 0x1B) {
        // All of ASCII but these two is the same in Roman, which therefore stays.
        if (set != Set::kRoman || code == '\\' || code == '~') switch_to(Set::kAscii);
        out += static_cast<char>(code);
        continue;
      }
      if (code < 0x80) code = kBad;  // these bytes would change the set
      if (in(static_cast<unsigned>(code), 0xFF61, 0xFF9F)) code = full_width(code);
      const unsigned pointer = reverse.find(japanese_substitute(code));
      if (pointer >= 94 * 94) {
        // A reference is written in ASCII. Its characters are the same in Roman, which may stay.
        if (set == Set::kJis0208) switch_to(Set::kAscii);
        append_reference(out, code);
        continue;
      }
      switch_to(Set::kJis0208);
      out += static_cast<char>(pointer / 94 + 0x21);
      out += static_cast<char>(pointer % 94 + 0x21);
    }
    switch_to(Set::kAscii);
  }

 private:
  enum class Set { kAscii, kRoman, kKatakana, kJis0208 };
  static std::optional<Set> escape(std::string_view two) {
    if (two == "(B") return Set::kAscii;
    if (two == "(J") return Set::kRoman;
    if (two == "(I") return Set::kKatakana;
    if (two == "$@" || two == "$B") return Set::kJis0208;
    return std::nullopt;
  }
  static char32_t single(Set set, unsigned byte) {
    if (byte >= 0x80 || byte == 0x0E || byte == 0x0F) return kBad;
    if (set == Set::kKatakana) return in(byte, 0x21, 0x5F) ? 0xFF61 - 0x21 + byte : kBad;
    if (set == Set::kJis0208 && byte != '\n' && byte != '\r') return kBad;
    if (set == Set::kRoman && byte == 0x5C) return 0xA5;
    if (set == Set::kRoman && byte == 0x7E) return 0x203E;
    return byte;
  }
  // The standard's index ISO-2022-JP katakana.
  static char32_t full_width(char32_t code) {
    static constexpr char16_t kWide[] =
        u"。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフ"
        u"ヘホマミムメモヤユヨラリルレロワン゛゜";
    return kWide[code - 0xFF61];
  }
};

// --- EUC-KR (section 13) ---

class EucKr : public MultiByte {
 public:
  std::string_view name() const override { return "euc-kr"; }

 protected:
  std::size_t decode_one(std::string_view bytes, std::string& out) const override {
    const unsigned first = byte_at(bytes, 0);
    const unsigned second = byte_at(bytes, 1);
    if (!in(first, 0x81, 0xFE) || second == 0x100) return put(kBad, bytes, 1, out);
    const bool known = in(second, 0x41, 0xFE);
    return put(known ? kEucKr[(first - 0x81) * 190 + second - 0x41] : kBad, bytes, 2, out);
  }
  bool encode_one(char32_t code, std::string& out) const override {
    static const ReverseIndex reverse(kEucKr, kEucKrSize, 0, 0);
    const unsigned pointer = reverse.find(code);
    if (pointer == kNoPointer) return false;
    put_two(pointer / 190 + 0x81, pointer % 190 + 0x41, out);
    return true;
  }
};

// --- UTF-16 and "replacement" (section 14): their queries are encoded as UTF-8 ---

class Utf16 : public Encoding {
 public:
  explicit constexpr Utf16(bool big_endian) : big_endian_(big_endian) {}
  std::string_view name() const override { return big_endian_ ? "utf-16be" : "utf-16le"; }
  bool ascii_compatible() const override { return false; }
  void decode(std::string_view bytes, std::string& out) const override {
    std::size_t at = 0;
    for (; at + 1 < bytes.size(); at += 2) {
      char32_t code = unit(bytes, at);
      if (in(static_cast<unsigned>(code), 0xD800, 0xDBFF) && at + 3 < bytes.size() &&
          in(static_cast<unsigned>(unit(bytes, at + 2)), 0xDC00, 0xDFFF)) {
        code = 0x10000 + ((code - 0xD800) << 10) + (unit(bytes, at + 2) - 0xDC00);
        at += 2;
      } else if (in(static_cast<unsigned>(code), 0xD800, 0xDFFF)) {
        code = kBad;
      }
      append_utf8(out, code);
    }
    if (at < bytes.size()) append_utf8(out, kBad);
  }
  void encode(std::string_view text, std::string& out) const override { out += text; }

 private:
  char32_t unit(std::string_view bytes, std::size_t at) const {
    const unsigned first = byte_at(bytes, at);
    const unsigned second = byte_at(bytes, at + 1);
    return big_endian_ ? first << 8 | second : second << 8 | first;
  }
  bool big_endian_;
};

class Replacement : public Encoding {
 public:
  std::string_view name() const override { return "replacement"; }
  bool ascii_compatible() const override { return false; }
  void decode(std::string_view bytes, std::string& out) const override {
    if (!bytes.empty()) append_utf8(out, kBad);
  }
  void encode(std::string_view text, std::string& out) const override { out += text; }
};

}  // namespace

void append_reference(std::string& out, char32_t code_point) {
  out += "&#" + std::to_string(static_cast<unsigned>(code_point)) + ";";
}

const Encoding* find_multibyte(std::string_view name) {
  static const Gb18030 gbk(true);
  static const Gb18030 gb18030(false);
  static const Big5 big5;
  static const EucJp euc_jp;
  static const Iso2022Jp iso_2022_jp;
  static const ShiftJis shift_jis;
  static const EucKr euc_kr;
  static const Utf16 utf16le(false);
  static const Utf16 utf16be(true);
  static const Replacement replacement;
  static const Encoding* const kAll[] = {&gbk,       &gb18030, &big5,    &euc_jp,  &iso_2022_jp,
                                         &shift_jis, &euc_kr,  &utf16le, &utf16be, &replacement};
  for (const Encoding* const encoding : kAll) {
    if (encoding->name() == name) return encoding;
  }
  return nullptr;
}

}  // namespace spinneret::html
