// SPDX-License-Identifier: Apache-2.0
// XXH3 (xxHash) behind one header. The hash is not cryptographic: where an opponent chooses the
// input, use a seed that he does not know (random_seed). All functions are pure and thread-safe,
// and cost 0.1 to 0.3 ns a byte.
#ifndef SPINNERET_BASE_HASH_H_
#define SPINNERET_BASE_HASH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace spinneret {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);
Hash128 hash128(std::string_view bytes, std::uint64_t seed = 0);

// Returns 32 lower-case hexadecimal digits, the high half first, as xxh128sum prints them.
std::string to_hex(const Hash128& hash);

// Computes hash128() with seed 0 of a text that comes in pieces.
class Hasher128 {
 public:
  Hasher128();
  ~Hasher128();
  Hasher128(Hasher128&&) noexcept;
  Hasher128& operator=(Hasher128&&) noexcept;
  void reset();
  void update(std::string_view bytes);
  Hash128 digest() const;

 private:
  struct State;
  std::unique_ptr<State, void (*)(State*)> state_;
};

// Returns 64 bits from the kernel's random source.
std::uint64_t random_seed();

}  // namespace spinneret

#endif  // SPINNERET_BASE_HASH_H_
