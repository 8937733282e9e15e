// SPDX-License-Identifier: Apache-2.0
// A bus in memory, for tests, with all the faults that a bus may have, chosen by a seed: it loses
// messages, gives them twice, late or in another order, and forgets everything. Without faults, a
// bus for one process.
#ifndef SPINNERET_BUS_MEMORY_BUS_H_
#define SPINNERET_BUS_MEMORY_BUS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bus/bus.h"

namespace spinneret::bus {

class MemoryBus : public Bus {
 public:
  // Probabilities from 0 to 1: of `fail` and `forget` for each call, of the others for each
  // message.
  struct Faults {
    double lose = 0, repeat = 0, reorder = 0, delay = 0;
    // publish() and read() fail as if the engine were away; half of what was published is appended
    // all the same.
    double fail = 0;
    double forget = 0;  // all streams are lost
  };
  explicit MemoryBus(std::uint64_t budget = std::uint64_t{1} << 20) : budget_(budget) {}
  MemoryBus(std::uint64_t budget, const Faults& faults, std::uint64_t seed)
      : budget_(budget), faults_(faults), random_(seed) {}

  Status publish(std::span<const Item> items, std::vector<Appended>& outcomes) override;
  Status read(std::span<Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
              std::vector<Message>& messages) override;
  Status trim_each(std::span<const Trim> all, std::vector<bool>& trimmed) override;

  void forget() { streams_.clear(); }
  void set_faults(const Faults& faults) { faults_ = faults; }
  std::uint64_t unread(std::string_view stream) const;

 private:
  struct Entry {
    std::uint64_t number;
    std::string bytes;
  };
  struct Stream {
    std::uint64_t last = 0;
    std::uint64_t bytes = 0;
    std::deque<Entry> entries;
    std::vector<std::string> late;
  };
  bool chance(double share) {
    return share > 0 && std::generate_canonical<double, 32>(random_) < share;
  }
  void append(Stream& stream, std::string_view bytes);

  std::uint64_t budget_;
  Faults faults_;
  std::minstd_rand random_;
  std::map<std::string, Stream, std::less<>> streams_;
  // Numbers are never used twice, so that a cursor of a forgotten stream is told from others.
  std::uint64_t last_ = 0;
};

}  // namespace spinneret::bus

#endif  // SPINNERET_BUS_MEMORY_BUS_H_
