// SPDX-License-Identifier: Apache-2.0
// Sixteen bytes as one value: the building block of the scanners of lines, URLs and markup. It uses
// SSE2, which every x86-64 has, or NEON, which every aarch64 has. SPINNERET_BYTES16 is defined
// where one of the two is there and SPINNERET_PORTABLE is not. Each user keeps a portable twin for
// other machines, and a test that runs both.
//
//   const Bytes16 block = Bytes16::load(at);
//   const unsigned hits = ((block == '<') | (block <= 0x20)).mask();
//   if (hits != 0) return at + std::countr_zero(hits);
//
// Comparisons are of unsigned bytes and give 0xFF or 0. No operation is a function call. Only
// mask() is expensive on NEON, which takes five instructions where SSE2 takes one; a caller that
// needs four masks should use mask64().
#ifndef SPINNERET_BASE_BYTES16_H_
#define SPINNERET_BASE_BYTES16_H_

#include <cstdint>

#if !defined(SPINNERET_PORTABLE) && defined(__x86_64__)
#include <emmintrin.h>
#define SPINNERET_BYTES16 1
#elif !defined(SPINNERET_PORTABLE) && defined(__aarch64__) && defined(__AARCH64EL__)
#include <arm_neon.h>
#define SPINNERET_BYTES16 1
#endif

#ifdef SPINNERET_BYTES16

namespace spinneret {

#ifdef __x86_64__

struct Bytes16 {
  static Bytes16 load(const void* at) { return {_mm_loadu_si128(static_cast<const __m128i*>(at))}; }
  static Bytes16 all(char c) { return {_mm_set1_epi8(c)}; }
  void store(void* at) const { _mm_storeu_si128(static_cast<__m128i*>(at), v); }

  Bytes16 operator|(Bytes16 other) const { return {_mm_or_si128(v, other.v)}; }
  Bytes16 operator&(Bytes16 other) const { return {_mm_and_si128(v, other.v)}; }
  Bytes16 operator-(char c) const { return {_mm_sub_epi8(v, _mm_set1_epi8(c))}; }
  Bytes16 operator==(char c) const { return {_mm_cmpeq_epi8(v, _mm_set1_epi8(c))}; }
  Bytes16 operator<=(char c) const {
    return {_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(c)), v)};
  }

  // The result of a comparison as a mask: bit i belongs to byte i.
  unsigned mask() const { return static_cast<unsigned>(_mm_movemask_epi8(v)); }
  // A mask of the bytes above 0x7F.
  unsigned high_mask() const { return mask(); }
  bool any() const { return mask() != 0; }

  __m128i v;
};

// The results of four comparisons as one mask: bit 16 * k + i belongs to byte i of part[k].
inline std::uint64_t mask64(const Bytes16 (&part)[4]) {
  return part[0].mask() | std::uint64_t{part[1].mask()} << 16 |
         std::uint64_t{part[2].mask()} << 32 | std::uint64_t{part[3].mask()} << 48;
}

#else

struct Bytes16 {
  static Bytes16 load(const void* at) { return {vld1q_u8(static_cast<const std::uint8_t*>(at))}; }
  static Bytes16 all(char c) { return {vdupq_n_u8(static_cast<std::uint8_t>(c))}; }
  void store(void* at) const { vst1q_u8(static_cast<std::uint8_t*>(at), v); }

  Bytes16 operator|(Bytes16 other) const { return {vorrq_u8(v, other.v)}; }
  Bytes16 operator&(Bytes16 other) const { return {vandq_u8(v, other.v)}; }
  Bytes16 operator-(char c) const { return {vsubq_u8(v, all(c).v)}; }
  Bytes16 operator==(char c) const { return {vceqq_u8(v, all(c).v)}; }
  Bytes16 operator<=(char c) const { return {vcleq_u8(v, all(c).v)}; }

  // Keeps of each byte that is 0xFF one bit, by its position: 1, 2, 4 ... 128, for each half.
  uint8x16_t weighed() const {
    return vandq_u8(v, vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201)));
  }
  unsigned mask() const {
    const uint8x16_t bits = weighed();
    return vaddv_u8(vget_low_u8(bits)) | static_cast<unsigned>(vaddv_u8(vget_high_u8(bits))) << 8;
  }
  unsigned high_mask() const { return Bytes16{vcltzq_s8(vreinterpretq_s8_u8(v))}.mask(); }
  bool any() const { return vmaxvq_u8(v) != 0; }

  uint8x16_t v;
};

// Adding neighbours three times combines the bits of each eight bytes into one byte.
inline std::uint64_t mask64(const Bytes16 (&part)[4]) {
  const uint8x16_t low = vpaddq_u8(part[0].weighed(), part[1].weighed());
  const uint8x16_t sums = vpaddq_u8(low, vpaddq_u8(part[2].weighed(), part[3].weighed()));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

#endif

}  // namespace spinneret

#endif  // SPINNERET_BYTES16

#endif  // SPINNERET_BASE_BYTES16_H_
