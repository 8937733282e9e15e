// SPDX-License-Identifier: Apache-2.0
#include "html/tag_run.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/ascii.h"
#include "html/name_table.h"

#if defined(SPINNERET_BYTES16) && defined(__x86_64__)
#define SPINNERET_TAG_X86 1
#include <immintrin.h>
#endif

namespace spinneret::html {

void TagTable::add(std::string_view name, Element element, Way way, Way flat) {
  const std::uint64_t key = name_key(name).first;
  std::size_t slot = slot_of(key);
  while (entries_[slot].name != 0) slot = (slot + 1) % entries_.size();
  entries_[slot] = {key, element, way, flat, mark_of(element)};
}

namespace {

// --- without 16 bytes at a time: no tag passes ---

TagRun pass_nothing(const TagTable&, const char* at, const char*, TagStops, TagMarks&) {
  return {at, TagRun::Stop::kTag, Element::kUnknown, nullptr};
}

const char* skip_nothing(const char*, const char*) { return nullptr; }

const char* sift_nothing(const char*, const char*, const NameSieve&) { return nullptr; }

const char* pass_no_raw(const char*, const char*, Element) { return nullptr; }

const char* pass_no_comment(const char*, const char*) { return nullptr; }

// --- 16 bytes at a time ---

#if defined(SPINNERET_BYTES16)
#define SPINNERET_TAG_TARGET
namespace by_16 {

inline const char* find_open(const char* at, const char* last) {
  while (at < last) {
    const unsigned mask = (Bytes16::load(at) == '<').mask();
    if (mask != 0) return at + std::countr_zero(mask);
    at += 16;
  }
  return at < last ? at : last;
}

// Returns the first "-->" or "--!" that begins in [at, last), or nullptr. 34 bytes from each
// position on must be readable.
inline const char* find_dashes(const char* at, const char* last) {
  for (; at < last; at += 16) {
    const Bytes16 third = Bytes16::load(at + 2);
    const unsigned mask = ((Bytes16::load(at) == '-') & (Bytes16::load(at + 1) == '-') &
                           ((third == '>') | (third == '!')))
                              .mask();
    if (mask == 0) continue;
    const char* const found = at + std::countr_zero(mask);
    return found < last ? found : nullptr;
  }
  return nullptr;
}

// Bit i is set if byte i of the 16 at `name` may end it.
inline unsigned name_ends(const char* name) {
  const Bytes16 block = Bytes16::load(name);
  return ((block <= 0x20) | (block == '>') | (block == '/')).mask();
}

// Masks over 64 bytes: bit i is about byte i.
struct Block64 {
  explicit Block64(const char* at) {
    for (int i = 0; i < 4; ++i) part[i] = Bytes16::load(at + 16 * i);
  }
  template <typename Test>
  std::uint64_t mask(Test test) const {
    const Bytes16 hits[4] = {test(part[0]), test(part[1]), test(part[2]), test(part[3])};
    return mask64(hits);
  }
  std::uint64_t equal(char c) const {
    return mask([c](Bytes16 bytes) { return bytes == c; });
  }
  // Bytes up to 0x20, and '/'.
  std::uint64_t blank_or_slash() const {
    return mask([](Bytes16 bytes) { return (bytes <= 0x20) | (bytes == '/'); });
  }
  Bytes16 part[4];
};

// Bit i of the result says whether an odd number of the bits 0 to i is set.
inline std::uint64_t parity(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

#include "html/tag_run_body.h"

}  // namespace by_16
#undef SPINNERET_TAG_TARGET
#endif

// --- 32 bytes at a time ---

#if defined(SPINNERET_TAG_X86)
#define SPINNERET_TAG_TARGET __attribute__((target("avx2,bmi,bmi2,lzcnt,pclmul")))
namespace by_32 {

SPINNERET_TAG_TARGET inline __m256i load(const char* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

SPINNERET_TAG_TARGET inline std::uint32_t bits(__m256i bytes) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

SPINNERET_TAG_TARGET inline std::uint32_t equal(__m256i bytes, char c) {
  return bits(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c)));
}

SPINNERET_TAG_TARGET inline const char* find_open(const char* at, const char* last) {
  while (at < last) {
    const std::uint32_t mask = equal(load(at), '<');
    if (mask != 0) return at + std::countr_zero(mask);
    at += 32;
  }
  return at < last ? at : last;
}

SPINNERET_TAG_TARGET inline const char* find_dashes(const char* at, const char* last) {
  const __m256i dash = _mm256_set1_epi8('-');
  for (; at < last; at += 32) {
    const __m256i third = load(at + 2);
    const __m256i behind = _mm256_or_si256(_mm256_cmpeq_epi8(third, _mm256_set1_epi8('>')),
                                           _mm256_cmpeq_epi8(third, _mm256_set1_epi8('!')));
    const __m256i dashes =
        _mm256_and_si256(_mm256_cmpeq_epi8(load(at), dash), _mm256_cmpeq_epi8(load(at + 1), dash));
    const std::uint32_t mask = bits(_mm256_and_si256(dashes, behind));
    if (mask == 0) continue;
    const char* const found = at + std::countr_zero(mask);
    return found < last ? found : nullptr;
  }
  return nullptr;
}

SPINNERET_TAG_TARGET inline unsigned name_ends(const char* name) {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(name));
  const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x20)), block);
  const __m128i close = _mm_cmpeq_epi8(block, _mm_set1_epi8('>'));
  const __m128i slash = _mm_cmpeq_epi8(block, _mm_set1_epi8('/'));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(low, _mm_or_si128(close, slash))));
}

struct Block64 {
  SPINNERET_TAG_TARGET explicit Block64(const char* at) : low(load(at)), high(load(at + 32)) {}
  SPINNERET_TAG_TARGET std::uint64_t equal(char c) const {
    return by_32::equal(low, c) | std::uint64_t{by_32::equal(high, c)} << 32;
  }
  SPINNERET_TAG_TARGET static std::uint32_t blanks(__m256i bytes) {
    const __m256i blank = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x20)), bytes);
    return bits(_mm256_or_si256(blank, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('/'))));
  }
  SPINNERET_TAG_TARGET std::uint64_t blank_or_slash() const {
    return blanks(low) | std::uint64_t{blanks(high)} << 32;
  }
  __m256i low;
  __m256i high;
};

SPINNERET_TAG_TARGET inline std::uint64_t parity(std::uint64_t bits) {
  const __m128i word = _mm_cvtsi64_si128(static_cast<long long>(bits));
  return static_cast<std::uint64_t>(
      _mm_cvtsi128_si64(_mm_clmulepi64_si128(word, _mm_set1_epi8(-1), 0)));
}

#include "html/tag_run_body.h"

}  // namespace by_32
#undef SPINNERET_TAG_TARGET
#endif

struct Scans {
  std::array<TagScan, 3> list{
      {{"none", pass_nothing, skip_nothing, sift_nothing, pass_no_raw, pass_no_comment}, {}, {}}};
  std::size_t count = 1;
  Scans() {
#if defined(SPINNERET_BYTES16)
    list[count++] = {"16",
                     by_16::pass_tags,
                     by_16::skip_tag,
                     by_16::sift_tag,
                     by_16::pass_raw,
                     by_16::pass_comment};
#endif
#if defined(SPINNERET_TAG_X86)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("pclmul"))
      list[count++] = {"avx2",          by_32::pass_tags, by_32::skip_tag,
                       by_32::sift_tag, by_32::pass_raw,  by_32::pass_comment};
#endif
  }
};

}  // namespace

std::span<const TagScan> tag_scans() {
  static const Scans scans;
  return std::span(scans.list).first(scans.count);
}

}  // namespace spinneret::html
