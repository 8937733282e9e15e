// SPDX-License-Identifier: Apache-2.0
// Deadlines that one process puts off and others go by, in memory that they share by a descriptor.
//
//   Result<Deadlines> ours = Deadlines::make(16);                // programs that are started inherit ours->fd()
//   const std::uint64_t name = ours->begin(3);                   // of what goes by deadline 3 from now on
//   ours->put_off(3, boot_ms);
//   Result<Deadlines> theirs = Deadlines::open(fd);              // in one of those programs
//   theirs->of(name);                                            // boot_ms
//
// What went by a deadline before it was begun again hears of it no more. Whoever reads asks nobody for anything: where the one who
// puts deadlines off is stopped or dead, they stay as they are. For any thread, but each index is begun by one at a time.
#ifndef SPINNERET_BASE_DEADLINES_H_
#define SPINNERET_BASE_DEADLINES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace spinneret {

class Deadlines {
 public:
  static Result<Deadlines> make(std::size_t count);
  // Of another process, to be read. An Error where the descriptor is not what make() has made.
  static Result<Deadlines> open(int fd);

  // It stays open in programs that are started.
  int fd() const { return fd_.get(); }

  // A name, which is never 0, and never given twice.
  std::uint64_t begin(std::size_t index);
  void put_off(std::size_t index, std::int64_t at) { slots_[index].at = at; }
  // 0: that name is not, or no longer, a deadline's.
  std::int64_t of(std::uint64_t name) const;

 private:
  // Both are 0 at first.
  struct Slot {
    std::atomic<std::uint64_t> name;
    std::atomic<std::int64_t> at;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(Slot* slots) const;
  };

  static Result<Deadlines> map(Fd fd, std::size_t count, int protection);
  Deadlines(Fd fd, Slot* slots, std::size_t count)
      : fd_(std::move(fd)), memory_(slots, Unmap{count * sizeof(Slot)}), slots_(slots, count) {}

  Fd fd_;
  std::unique_ptr<Slot, Unmap> memory_;
  std::span<Slot> slots_;
};

}  // namespace spinneret

#endif  // SPINNERET_BASE_DEADLINES_H_
