// SPDX-License-Identifier: Apache-2.0
// Percent-encoding (URL Standard, section 1.3): the bytes that each part of a URL escapes, and the
// escapes themselves. These are pure functions over bytes; a byte above 0x7F is in every set.
#ifndef SPINNERET_URL_PERCENT_H_
#define SPINNERET_URL_PERCENT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace spinneret {

// The percent-encode sets, as bits.
enum EncodeSet : std::uint8_t {
  kC0ControlSet = 1,
  kFragmentSet = 2,
  kQuerySet = 4,
  kSpecialQuerySet = 8,
  kPathSet = 16,
  kUserinfoSet = 32,
};

namespace percent_internal {
constexpr std::array<std::uint8_t, 256> make_sets() {
  std::array<std::uint8_t, 256> sets{};
  const auto add = [&sets](std::string_view bytes, int bits) {
    for (const char c : bytes) {
      auto& set = sets[static_cast<unsigned char>(c)];
      set = static_cast<std::uint8_t>(set | bits);
    }
  };
  for (int c = 0; c < 256; ++c) {
    if (c < 0x20 || c > 0x7E) sets[static_cast<std::size_t>(c)] = 0x3F;
  }
  add(" \"<>`", kFragmentSet);
  add(" \"#<>", kQuerySet | kSpecialQuerySet | kPathSet | kUserinfoSet);
  add("'", kSpecialQuerySet);
  add("?^`{}", kPathSet | kUserinfoSet);
  add("/:;=@[\\]|", kUserinfoSet);
  return sets;
}
}  // namespace percent_internal

// For each byte, the sets that contain it.
inline constexpr std::array<std::uint8_t, 256> kEncodeSets = percent_internal::make_sets();

constexpr bool in_set(char c, EncodeSet set) {
  return (kEncodeSets[static_cast<unsigned char>(c)] & set) != 0;
}

// Returns whether no path, query or fragment escapes this byte and the parser does not replace it
// by another one. Some of these bytes, '?', '/', '.' and '%', have a meaning of their own; '#',
// which ends a query, does not count as plain.
constexpr bool is_plain_byte(char c) {
  constexpr auto kSets = static_cast<EncodeSet>(kFragmentSet | kSpecialQuerySet | kPathSet);
  return c == '?' || (c != '\\' && !in_set(c, kSets));
}

// Returns whether the byte means the same escaped and unescaped (RFC 3986, section 2.3).
constexpr bool is_unreserved(char c) {
  return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// Appends "%XX" for one byte.
inline void append_escape(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  const char escape[3] = {'%', kHexUpper[byte >> 4], kHexUpper[byte & 15]};
  out.append(escape, 3);
}

// Appends `text` with the bytes of `set` escaped. An existing escape stays as it is.
void append_percent_encoded(std::string& out, std::string_view text, EncodeSet set);

// Returns whether there is a well-formed escape, "%" and two hexadecimal digits, at `at`.
constexpr bool is_escape(std::string_view text, std::size_t at) {
  return at + 2 < text.size() && text[at] == '%' && is_hex(text[at + 1]) && is_hex(text[at + 2]);
}

// Returns the byte that the escape at `at` stands for.
constexpr char escape_value(std::string_view text, std::size_t at) {
  return static_cast<char>(hex_value(text[at + 1]) * 16 + hex_value(text[at + 2]));
}

// Appends `text` with well-formed escapes undone; any other '%' stays.
void append_percent_decoded(std::string& out, std::string_view text);

// Appends decoded text for people and records. Controls that act on a terminal, and bytes that are
// not UTF-8, are escaped again. Tab, CR, LF and NUL stay, since a record has its own escapes for
// them.
void append_without_controls(std::string& out, std::string_view decoded);

}  // namespace spinneret

#endif  // SPINNERET_URL_PERCENT_H_
