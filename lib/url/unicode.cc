// SPDX-License-Identifier: Apache-2.0
#include "url/unicode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace spinneret::idna {
namespace {

struct MapEntry {
  char32_t start;
  MapKind kind;
  std::size_t length;
  std::int32_t payload;
};

// Most characters of a domain are ASCII, whatever else it has: for ASCII the results of the
// searches below are cached in a table.
constexpr std::size_t kAscii = 0x80;
template <typename Value>
std::array<Value, kAscii> of_ascii(Value (*search)(char32_t)) {
  std::array<Value, kAscii> values{};
  for (char32_t c = 0; c < kAscii; ++c) values[c] = search(c);
  return values;
}

MapEntry search_map_entry(char32_t c) {
  const std::uint32_t key = static_cast<std::uint32_t>(c) << 11 | 0x7FF;
  const std::uint32_t* const after = std::upper_bound(kMapStarts, kMapStarts + kMapCount, key);
  const auto index = static_cast<std::size_t>(after - kMapStarts) - 1;
  const std::uint32_t entry = kMapStarts[index];
  return {entry >> 11, static_cast<MapKind>(entry >> 8 & 7), entry & 0xFF, kMapPayloads[index]};
}

MapEntry find_map_entry(char32_t c) {
  static const std::array<MapEntry, kAscii> known = of_ascii(search_map_entry);
  return c < kAscii ? known[c] : search_map_entry(c);
}

const Properties* search_properties(char32_t c) {
  const std::uint32_t key = static_cast<std::uint32_t>(c) << 8 | 0xFF;
  const auto* const after =
      std::upper_bound(kPropertyStarts, kPropertyStarts + kPropertyCount, key);
  return &kProperties[after[-1] & 0xFF];
}

void append_pool(std::size_t at, std::size_t length, std::u32string& out) {
  for (const std::size_t end = at + length; at < end; ++at) {
    const char16_t unit = kMapPool[at];
    if (unit >= 0xD800 && unit < 0xDC00) {
      const char32_t high = unit - 0xD800U;
      out += 0x10000 + (high << 10) + (kMapPool[++at] - 0xDC00U);
    } else {
      out += unit;
    }
  }
}

// Hangul syllables (Unicode Standard, section 3.12).
constexpr char32_t kSBase = 0xAC00, kLBase = 0x1100, kVBase = 0x1161, kTBase = 0x11A7;
constexpr char32_t kLCount = 19, kVCount = 21, kTCount = 28, kSCount = kLCount * kVCount * kTCount;
// An unsigned difference is below the count only within the block.
constexpr bool in_block(char32_t c, char32_t base, char32_t count) { return c - base < count; }

const Composite* find_composite(char32_t c) {
  const auto* const end = kByComposite + kCompositeCount;
  const auto* const at = std::lower_bound(
      kByComposite, end, c,
      [](std::uint16_t index, char32_t value) { return kComposites[index].composite < value; });
  return at != end && kComposites[*at].composite == c ? &kComposites[*at] : nullptr;
}

void append_decomposed(char32_t c, std::u32string& out) {
  if (in_block(c, kSBase, kSCount)) {
    const char32_t index = c - kSBase;
    out += kLBase + index / (kVCount * kTCount);
    out += kVBase + index / kTCount % kVCount;
    if (index % kTCount != 0) out += kTBase + index % kTCount;
  } else if (const Composite* const found = find_composite(c)) {
    append_decomposed(found->first, out);
    append_decomposed(found->second, out);
  } else {
    out += c;
  }
}

// Returns the primary composite of the pair, or 0.
char32_t compose(char32_t first, char32_t second) {
  if (in_block(first, kLBase, kLCount) && in_block(second, kVBase, kVCount)) {
    return kSBase + ((first - kLBase) * kVCount + (second - kVBase)) * kTCount;
  }
  if (in_block(first, kSBase, kSCount) && (first - kSBase) % kTCount == 0 &&
      in_block(second, kTBase + 1, kTCount - 1)) {
    return first + (second - kTBase);
  }
  const auto* const end = kComposites + kCompositeCount;
  const auto* const at = std::lower_bound(
      kComposites, end, std::tuple(first, second),
      [](const Composite& c, const auto& pair) { return std::tuple(c.first, c.second) < pair; });
  return at != end && at->first == first && at->second == second ? at->composite : 0;
}

int combining_class(char32_t c) { return properties_of(c).combining_class; }

// The canonical ordering algorithm.
void reorder(std::u32string& text) {
  // Classes are looked up once, and stored above the 21 bits of a code point.
  constexpr int kShift = 24;
  constexpr char32_t kCodePoint = (char32_t{1} << kShift) - 1;
  for (char32_t& c : text) c |= static_cast<char32_t>(combining_class(c)) << kShift;
  const auto is_starter = [](char32_t c) { return c >> kShift == 0; };
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if_not(at, text.end(), is_starter);
    at = std::find_if(begin, text.end(), is_starter);
    std::stable_sort(begin, at, [](char32_t a, char32_t b) { return a >> kShift < b >> kShift; });
  }
  for (char32_t& c : text) c &= kCodePoint;
}

// The canonical composition algorithm, in place.
void compose_all(std::u32string& text) {
  std::size_t used = 0;
  std::size_t starter = 0;
  bool has_starter = false;
  int last_class = 0;  // class of the last character kept after the starter
  for (const char32_t c : text) {
    const int c_class = combining_class(c);
    const bool adjacent = has_starter && used == starter + 1;
    if (has_starter && (adjacent || (last_class != 0 && last_class < c_class))) {
      if (const char32_t composite = compose(text[starter], c); composite != 0) {
        text[starter] = composite;
        continue;
      }
    }
    if (c_class == 0) {
      starter = used;
      has_starter = true;
    }
    last_class = c_class;
    text[used++] = c;
  }
  text.resize(used);
}

}  // namespace

void append_mapped(char32_t c, std::u32string& out) {
  const MapEntry entry = find_map_entry(c);
  switch (entry.kind) {
    case kValid:
    case kDisallowed: out += c; break;
    case kIgnored: break;
    case kShift: out += static_cast<char32_t>(static_cast<std::int32_t>(c) + entry.payload); break;
    case kAlternate: out += c + ((c - entry.start) % 2 == 0 ? 1 : 0); break;
    case kString: append_pool(static_cast<std::size_t>(entry.payload), entry.length, out); break;
  }
}

bool is_valid(char32_t c) {
  const MapEntry entry = find_map_entry(c);
  return entry.kind == kValid || (entry.kind == kAlternate && (c - entry.start) % 2 != 0);
}

const Properties& properties_of(char32_t c) {
  static const std::array<const Properties*, kAscii> known = of_ascii(search_properties);
  return c < kAscii ? *known[c] : *search_properties(c);
}

void normalize_nfc(std::u32string& text) {
  // Below U+0300 all mapped characters are in NFC, and none is a combining character.
  if (std::all_of(text.begin(), text.end(), [](char32_t c) { return c < 0x300; })) return;
  std::u32string decomposed;
  decomposed.reserve(text.size());
  for (const char32_t c : text) append_decomposed(c, decomposed);
  reorder(decomposed);
  compose_all(decomposed);
  text = std::move(decomposed);
}

}  // namespace spinneret::idna
