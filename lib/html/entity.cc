// SPDX-License-Identifier: Apache-2.0
#include "html/entity.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/entity_table.h"
#include "html/scan.h"

namespace spinneret::html {
namespace {

constexpr std::size_t kCount = std::size(kNamedEntities);
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The names that begin with the byte c have the indexes from kFirst[c] up to kFirst[c + 1].
constexpr auto kFirst = [] {
  std::array<std::uint16_t, 129> first{};
  std::size_t at = 0;
  for (std::size_t c = 0; c != first.size(); ++c) {
    while (at < kCount && static_cast<unsigned char>(kNamedEntities[at].name[0]) < c) ++at;
    first[c] = static_cast<std::uint16_t>(at);
  }
  return first;
}();

// Finds the longest name that `text` (behind the '&') begins with, and returns its length; 0 if
// there is none. The sorted range is narrowed by one byte after another; names are at most 32 bytes
// long.
std::size_t longest_name(std::string_view text, const NamedEntity*& found) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead >= 128) return 0;
  std::size_t low = kFirst[lead];
  std::size_t high = kFirst[lead + 1];
  std::size_t longest = 0;
  for (std::size_t i = 1; low < high; ++i) {
    // Among names that share i bytes, one that ends there sorts first.
    if (kNamedEntities[low].name[i] == '\0') {
      longest = i;
      found = &kNamedEntities[low];
    }
    if (i == text.size()) break;
    const char c = text[i];
    const auto by_byte = [i](const NamedEntity& entity, char byte) {
      return entity.name[i] < byte;
    };
    const auto past_byte = [i](char byte, const NamedEntity& entity) {
      return byte < entity.name[i];
    };
    if (!is_alnum(c) && c != ';') break;
    low = static_cast<std::size_t>(
        std::lower_bound(kNamedEntities + low, kNamedEntities + high, c, by_byte) - kNamedEntities);
    high = static_cast<std::size_t>(
        std::upper_bound(kNamedEntities + low, kNamedEntities + high, c, past_byte) -
        kNamedEntities);
  }
  return longest;
}

std::size_t decode_named(std::string_view text, EntityRules rules, std::string& out) {
  const NamedEntity* found = nullptr;
  const std::size_t size = longest_name(text.substr(1), found);
  if (size == 0) return 0;
  if (rules == EntityRules::kAttribute && text[size] != ';' && size + 1 < text.size()) {
    const char next = text[size + 1];
    if (next == '=' || is_alnum(next)) return 0;
  }
  out += found->utf8;
  return size + 1;
}

// 13.2.5.80: references to the C1 range mean the characters that windows-1252 has there.
constexpr char16_t kC1[32] = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                              0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                              0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                              0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

char32_t numeric_value(std::uint32_t code) {
  if (code == 0) return 0xFFFD;
  if (code >= 0x80 && code <= 0x9F) return kC1[code - 0x80];
  return code;
}

std::size_t decode_numeric(std::string_view text, std::string& out) {
  std::size_t at = 2;
  const bool hexadecimal = at < text.size() && (text[at] == 'x' || text[at] == 'X');
  if (hexadecimal) ++at;
  const std::size_t digits = at;
  std::uint32_t code = 0;
  for (; at < text.size(); ++at) {
    const int digit = hex_value(text[at]);
    if (digit < 0 || (!hexadecimal && digit > 9)) break;
    code = code * (hexadecimal ? 16 : 10) + static_cast<std::uint32_t>(digit);
    code = std::min<std::uint32_t>(code, 0x110000);  // any number of digits without overflow
  }
  if (at == digits) return 0;
  append_utf8(out, numeric_value(code));
  return at < text.size() && text[at] == ';' ? at + 1 : at;
}

ValueBytes value_bytes_words(std::string_view raw) {
  std::uint64_t special = 0;
  std::uint64_t high = 0;
  const auto look = [&](std::uint64_t word) {
    constexpr std::uint64_t kOnes = 0x0101010101010101u;
    const auto zero_bytes = [](std::uint64_t w) { return (w - kOnes) & ~w; };
    special |= zero_bytes(word) | zero_bytes(word ^ kOnes * '&') | zero_bytes(word ^ kOnes * '\r');
    high |= word;
  };
  const std::size_t size = raw.size();
  std::uint64_t word = 0;
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 <= size; at += 8) {
      std::memcpy(&word, raw.data() + at, 8);
      look(word);
    }
    std::memcpy(&word, raw.data() + size - 8, 8);  // the rest, overlapping the word before
  } else {
    word = 0x2020202020202020u;
    for (const char c : raw) word = word << 8 | static_cast<unsigned char>(c);
  }
  look(word);
  constexpr std::uint64_t kHigh = 0x8080808080808080u;
  return {(special & kHigh) != 0, (high & kHigh) != 0};
}

#if defined(SPINNERET_BYTES16)
ValueBytes value_bytes_vector(std::string_view raw) {
  Bytes16 special = Bytes16::all(0);
  Bytes16 high = special;
  const auto look = [&](const char* at) {
    const Bytes16 bytes = Bytes16::load(at);
    special = special | (bytes == '&') | (bytes == '\r') | (bytes == '\0');
    high = high | bytes;
  };
  for (std::size_t at = 0; at + 16 <= raw.size(); at += 16) look(raw.data() + at);
  look(raw.data() + raw.size() - 16);  // the rest, overlapping the block before
  return {special.any(), high.high_mask() != 0};
}
#endif

}  // namespace

std::size_t decode_entity(std::string_view text, EntityRules rules, std::string& out) {
  if (text.size() < 2) return 0;
  if (text[1] == '#') return decode_numeric(text, out);
  if (!is_alpha(text[1])) return 0;
  if (text.starts_with("&amp;")) {  // nine references in ten
    out += '&';
    return 5;
  }
  return decode_named(text, rules, out);
}

ValueBytes value_bytes(std::string_view raw) {
#if defined(SPINNERET_BYTES16)
  if (raw.size() >= 16) return value_bytes_vector(raw);
#endif
  return value_bytes_words(raw);
}

void append_decoded(std::string& out, std::string_view raw, EntityRules rules) {
  while (!raw.empty()) {
    const char* const special = find_any(raw.data(), raw.data() + raw.size(), '&', '\r', '\0');
    const auto plain = static_cast<std::size_t>(special - raw.data());
    out.append(raw.substr(0, plain));
    raw.remove_prefix(plain);
    if (raw.empty()) return;
    std::size_t taken = 1;
    if (raw.front() == '&') {
      taken = decode_entity(raw, rules, out);
      if (taken == 0) {
        out += '&';
        taken = 1;
      }
    } else if (raw.front() == '\r') {
      out += '\n';
      if (raw.size() > 1 && raw[1] == '\n') taken = 2;
    } else if (rules == EntityRules::kAttribute) {
      out += kReplacement;
    } else {
      out += '\0';
    }
    raw.remove_prefix(taken);
  }
}

}  // namespace spinneret::html
