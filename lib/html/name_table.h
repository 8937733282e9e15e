// SPDX-License-Identifier: Apache-2.0
// A set of ASCII names that are known at compile time, found without regard to case: elements and
// attributes.
//
//   constexpr std::string_view kNames[] = {"", "a", "abbr"};   // index 0: none
//   constexpr NameTable<3> kTable(kNames);
//   kTable.find("ABBR");   // 2
//   kTable.find("zz");     // 0
//
// A look-up costs one multiplication, one or two probes, and a comparison of two words: about 3 ns.
// The table is built at compile time.
#ifndef SPINNERET_HTML_NAME_TABLE_H_
#define SPINNERET_HTML_NAME_TABLE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/ascii.h"

namespace spinneret::html {

// Up to 16 bytes of a name in lower case, as two words. The caller tells longer names apart by
// `size` and a full comparison.
struct NameKey {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

// Converts A-Z to lower case in eight bytes at once; other bytes, even those above 0x7F, stay.
constexpr std::uint64_t to_lower_word(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  const std::uint64_t seven = word & (kOnes * 0x7F);
  const std::uint64_t from_a = seven + kOnes * (0x80 - 'A');
  const std::uint64_t past_z = seven + kOnes * (0x80 - 'Z' - 1);
  const std::uint64_t upper = from_a & ~past_z & ~word & (kOnes * 0x80);
  return word | (upper >> 2);
}

constexpr std::uint64_t load_name_word(const char* at, std::size_t size) {
  std::uint64_t word = 0;
  if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
    // Two overlapping loads replace a loop over the bytes.
    if (size >= 8) {
      std::memcpy(&word, at, 8);
      return word;
    }
    if (size >= 4) {
      std::uint32_t low = 0;
      std::uint32_t high = 0;
      std::memcpy(&low, at, 4);
      std::memcpy(&high, at + size - 4, 4);
      return low | (std::uint64_t{high} << ((size - 4) * 8));
    }
  }
  for (std::size_t i = 0; i < size && i < 8; ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (i * 8);
  }
  return word;
}

constexpr NameKey name_key(std::string_view name) {
  NameKey key;
  key.first = to_lower_word(load_name_word(name.data(), name.size()));
  if (name.size() > 8) {
    key.second = to_lower_word(load_name_word(name.data() + 8, name.size() - 8));
  }
  return key;
}

constexpr std::uint64_t hash_name_key(const NameKey& key, std::size_t size) {
  // The high bits of a product are the well mixed ones.
  return ((key.first + size) * 0x9E3779B97F4A7C15u + key.second * 0xC2B2AE3D27D4EB4Fu) >> 48;
}

template <std::size_t kCount>
class NameTable {
 public:
  explicit constexpr NameTable(const std::string_view (&names)[kCount]) {
    for (std::size_t i = 1; i < kCount; ++i) {
      const NameKey key = name_key(names[i]);
      names_[i] = names[i];
      std::size_t slot = hash_name_key(key, names[i].size()) % kSlots;
      while (slots_[slot].index != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = {key, static_cast<std::uint16_t>(i),
                      static_cast<std::uint16_t>(names[i].size())};
    }
  }

  // Index of the name, or 0.
  constexpr std::size_t find(std::string_view name) const { return find(name, name_key(name)); }

  // Does the same where the key is known.
  [[gnu::always_inline]] constexpr std::size_t find(std::string_view name,
                                                    const NameKey& key) const {
    std::size_t slot = hash_name_key(key, name.size()) % kSlots;
    for (; slots_[slot].index != 0; slot = (slot + 1) % kSlots) {
      const Slot& entry = slots_[slot];
      if (entry.key.first != key.first || entry.key.second != key.second) continue;
      if (entry.size != name.size()) continue;
      if (name.size() <= 16 ||
          equals_ignore_case(name.substr(16), names_[entry.index].substr(16))) {
        return entry.index;
      }
    }
    return 0;
  }

  constexpr std::string_view name(std::size_t index) const { return names_[index]; }

 private:
  static constexpr std::size_t kSlots = std::bit_ceil(kCount * 4);
  struct Slot {
    NameKey key = {};
    std::uint16_t index = 0;
    std::uint16_t size = 0;
  };
  std::array<std::string_view, kCount> names_{};
  std::array<Slot, kSlots> slots_{};
};

// The key of a name behind which the bytes up to `end` are readable.
inline NameKey name_key_before(std::string_view name, const char* end) {
  const std::size_t size = name.size();
  if (std::endian::native != std::endian::little || end - name.data() < 16 || size - 1 >= 16) {
    return name_key(name);
  }
  const auto load = [](const char* at, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    return to_lower_word(word & (~std::uint64_t{0} >> (64 - 8 * bytes)));
  };
  if (size <= 8) return {load(name.data(), size), 0};
  NameKey key;
  std::memcpy(&key.first, name.data(), 8);
  return {to_lower_word(key.first), load(name.data() + 8, size - 8)};
}

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_NAME_TABLE_H_
