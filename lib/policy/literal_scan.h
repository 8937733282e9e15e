// SPDX-License-Identifier: Apache-2.0
// Finds which of many literals occur in a text, in one pass, whatever their number.
//
//   LiteralScan scan;
//   scan.add("/ads/", 0);
//   scan.add("sid=", 1);
//   scan.compile();
//   scan.find("http://h/?sid=1", [](std::uint32_t value) { ... });   // 1
//
// For each literal, the scan searches for one run of four bytes (three for a literal of three), the
// rarest in it, through a bitmap of hashes at each byte of the text. Where the bitmap has the hash,
// the literal itself is compared. Unlike in an automaton, no step waits for the one before, which
// makes a short text three times as fast (20 rules, real URLs: 40 ns, and 130 ns with
// Aho-Corasick).
//
// ASCII case is ignored, and the same folding confuses a few other characters ('@' and '`'): this
// is a prefilter, whose hits must be verified. Memory: 16 bytes a literal, its text, and 32 to 64
// bits of bitmap. Immutable and thread-safe once compiled.
#ifndef SPINNERET_POLICY_LITERAL_SCAN_H_
#define SPINNERET_POLICY_LITERAL_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::policy {

class LiteralScan {
 public:
  static constexpr std::size_t kMinLength = 3;

  // The literal must have at least kMinLength bytes; it may be added with several values.
  void add(std::string_view literal, std::uint32_t value);
  void compile();
  bool empty() const { return entries_.empty(); }

  // Calls `hit(value)` for each occurrence: a literal that occurs twice is reported twice.
  template <typename Hit>
  void find(std::string_view text, Hit&& hit) const {
    if (fours_.used && text.size() >= 4) {
      const std::size_t last = text.size() - 4;
      for (std::size_t i = 0; i <= last; ++i) {
        const std::uint32_t gram = fold(load4(text.data() + i));
        if (fours_.may_have(gram)) compare(fours_, gram, text, i, hit);
      }
    }
    if (!threes_.used || text.size() < 3) return;
    for (std::size_t i = 0; i + 3 <= text.size(); ++i) {
      const std::uint32_t gram = fold(load3(text.data() + i));
      if (threes_.may_have(gram)) compare(threes_, gram, text, i, hit);
    }
  }

 private:
  struct Entry {
    std::uint32_t begin;  // place of the literal in texts_
    std::uint32_t length;
    std::uint32_t offset;  // place of the gram in the literal
    std::uint32_t value;
  };
  // The literals whose gram has a given length, by gram.
  struct Grams {
    bool used = false;
    unsigned shift = 32;
    std::vector<std::uint64_t> bits;
    std::vector<std::uint32_t> table;  // open addressing: index + 1 of a gram's first entry, or 0
    std::size_t begin = 0;             // its entries, sorted by gram
    std::size_t end = 0;

    static std::uint32_t mix(std::uint32_t gram) { return gram * 0x9E3779B1U; }
    bool may_have(std::uint32_t gram) const {
      const std::uint32_t at = mix(gram) >> shift;
      return (bits[at >> 6] >> (at & 63) & 1) != 0;
    }
  };

  static std::uint32_t fold(std::uint32_t gram) { return gram | 0x20202020U; }
  static std::uint32_t load4(const char* at) {
    std::uint32_t out;
    std::memcpy(&out, at, 4);
    return out;
  }
  static std::uint32_t load3(const char* at) {
    std::uint16_t low;
    std::memcpy(&low, at, 2);
    return low | static_cast<std::uint32_t>(static_cast<unsigned char>(at[2])) << 16;
  }

  std::uint32_t gram_of(const Entry& entry, std::size_t length) const {
    const char* const at = texts_.data() + entry.begin + entry.offset;
    return fold(length == 4 ? load4(at) : load3(at));
  }

  template <typename Hit>
  void compare(const Grams& grams, std::uint32_t gram, std::string_view text, std::size_t at,
               Hit&& hit) const {
    for (std::size_t i = first_entry(grams, gram); i < grams.end; ++i) {
      if (grams_[i] != gram) return;
      const Entry& entry = entries_[i];
      if (entry.offset > at || text.size() - (at - entry.offset) < entry.length) continue;
      if (equals(entry, text.data() + at - entry.offset)) hit(entry.value);
    }
  }
  // Returns SIZE_MAX where there is none.
  std::size_t first_entry(const Grams& grams, std::uint32_t gram) const;
  bool equals(const Entry& entry, const char* text) const {
    const char* const own = texts_.data() + entry.begin;
    for (std::uint32_t i = 0; i < entry.length; ++i) {
      if (own[i] != (text[i] | 0x20)) return false;
    }
    return true;
  }
  void build(Grams& grams, std::size_t length);

  std::string texts_;  // folded
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> grams_;  // by entry
  Grams fours_;
  Grams threes_;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LITERAL_SCAN_H_
