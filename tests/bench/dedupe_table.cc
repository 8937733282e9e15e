// SPDX-License-Identifier: Apache-2.0
// Measures the fingerprint table alone: time and memory of a key, and the longest pause, over
// growing sizes.
//
//   bench-dedupe_table [KEYS] [BITS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "../support/random.h"
#include "base/clock.h"
#include "dedupe/fingerprint_table.h"

namespace {
using namespace spinneret;

template <typename Slot>
void run(std::uint64_t keys) {
  dedupe::FingerprintTable<Slot> table;
  constexpr std::size_t kBatch = 1024;
  std::vector<Slot> batch(kBatch);
  const auto fresh = std::make_unique<bool[]>(kBatch);
  const Clock& clock = system_clock();
  std::int64_t total = 0;
  std::int64_t longest = 0;
  double most_bytes = 0;
  for (std::uint64_t i = 0; i < keys;) {
    for (Slot& slot : batch) {
      slot = dedupe::fingerprint_of<Slot>({support::mixed(i * 2), support::mixed(i * 2 + 1)});
      ++i;
    }
    const std::int64_t start = clock.monotonic_ns();
    table.insert_batch(batch, fresh.get());
    const std::int64_t spent = clock.monotonic_ns() - start;
    total += spent;
    longest = std::max(longest, spent);
    if (i > 1'000'000) {
      most_bytes =
          std::max(most_bytes, static_cast<double>(table.bytes()) / static_cast<double>(i));
    }
  }
  std::printf("%zu bits\t%llu keys\t%.1f ns/key\t%.2f B/key\t(most %.2f)\tlongest batch %.3f ms\n",
              8 * sizeof(Slot), static_cast<unsigned long long>(table.size()),
              static_cast<double>(total) / static_cast<double>(keys),
              static_cast<double>(table.bytes()) / static_cast<double>(table.size()), most_bytes,
              static_cast<double>(longest) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t keys = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const bool narrow = argc > 2 && std::atoi(argv[2]) == 64;
  narrow ? run<dedupe::Fingerprint64>(keys) : run<dedupe::Fingerprint128>(keys);
}
