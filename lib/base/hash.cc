// SPDX-License-Identifier: Apache-2.0
// On x86-64 this file is compiled twice. The second time, with SPINNERET_HASH_LOOP, compiles for
// AVX2 and only the loop for long input, which takes half of SSE2's time (29 KB: 1.7 and 3.2 µs,
// g++ 12). That part may use nothing inline of the C++ library: a linker could choose its AVX2
// instance for the whole program.
#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spinneret::hash_internal {

// `state` is an XXH3_state_t; `out` takes two values.
void update_avx2(void* state, const char* bytes, std::size_t size);
void hash_avx2(const char* bytes, std::size_t size, std::uint64_t seed, std::uint64_t* out);

}  // namespace spinneret::hash_internal

#ifdef SPINNERET_HASH_LOOP

namespace spinneret::hash_internal {

void update_avx2(void* state, const char* bytes, std::size_t size) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state), bytes, size);
}

void hash_avx2(const char* bytes, std::size_t size, std::uint64_t seed, std::uint64_t* out) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, seed);
  out[0] = hash.low64;
  out[1] = hash.high64;
}

}  // namespace spinneret::hash_internal

#else

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/ascii.h"
#include "base/hash.h"

namespace spinneret {

#ifdef SPINNERET_HASH_AVX2
// AVX2 pays for long input only, and not every machine has it.
static bool is_for_avx2(std::string_view bytes) {
  return bytes.size() >= 1024 && __builtin_cpu_supports("avx2");
}
#endif

struct Hasher128::State {
  XXH3_state_t xxh;
};

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 hash128(std::string_view bytes, std::uint64_t seed) {
#ifdef SPINNERET_HASH_AVX2
  if (is_for_avx2(bytes)) {
    std::uint64_t halves[2];
    hash_internal::hash_avx2(bytes.data(), bytes.size(), seed, halves);
    return {halves[0], halves[1]};
  }
#endif
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

std::string to_hex(const Hash128& hash) {
  std::string out(32, '0');
  for (int i = 0; i < 16; ++i) {
    out[static_cast<std::size_t>(15 - i)] = kHexLower[(hash.high >> (4 * i)) & 15];
    out[static_cast<std::size_t>(31 - i)] = kHexLower[(hash.low >> (4 * i)) & 15];
  }
  return out;
}

// The state needs 64-byte alignment, which make_unique would also give. The deleter is named so
// that the header need not know the type.
Hasher128::Hasher128() : state_(new State, [](State* state) { delete state; }) { reset(); }
Hasher128::~Hasher128() = default;
Hasher128::Hasher128(Hasher128&&) noexcept = default;
Hasher128& Hasher128::operator=(Hasher128&&) noexcept = default;

void Hasher128::reset() { XXH3_128bits_reset(&state_->xxh); }

void Hasher128::update(std::string_view bytes) {
#ifdef SPINNERET_HASH_AVX2
  if (is_for_avx2(bytes)) {
    return hash_internal::update_avx2(&state_->xxh, bytes.data(), bytes.size());
  }
#endif
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

Hash128 Hasher128::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {hash.low64, hash.high64};
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  // A read of 8 bytes is never cut short once the pool is ready. Before that the call waits, and a
  // signal may end the wait.
  while (getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    if (errno != EINTR) std::abort();
  }
  return seed;
}

}  // namespace spinneret

#endif  // SPINNERET_HASH_LOOP
