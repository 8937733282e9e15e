// SPDX-License-Identifier: Apache-2.0
// Deadlines that one process postpones and other processes obey, in memory shared through a
// descriptor.
//
//   Result<Deadlines> ours = Deadlines::make(16);   // child processes inherit ours->fd()
//   const std::uint64_t name = ours->begin(3);      // names the holder of deadline 3 from now on
//   ours->put_off(3, boot_ms);
//   Result<Deadlines> theirs = Deadlines::open(fd); // in a child process
//   theirs->of(name);                               // boot_ms
//
// begin() replaces the name of its deadline: for an older name of() returns 0 from then on. A
// reader needs no answer from the writer: where the writer is stopped or dead, the deadlines stay
// as they are. All calls are safe in any thread, but no two threads may begin() the same index at
// once.
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
  // Maps the deadlines of another process, for reading only. Returns an Error if the descriptor
  // is not one that make() has made.
  static Result<Deadlines> open(int fd);

  // The descriptor of the shared memory. It is not close-on-exec, so child processes inherit it.
  int fd() const { return fd_.get(); }

  // Gives deadline `index` a new name, which is never 0 and never given twice.
  std::uint64_t begin(std::size_t index);
  void put_off(std::size_t index, std::int64_t at) { slots_[index].at = at; }
  // Returns what was last put_off() for `name`; 0 if no deadline has that name (any longer).
  std::int64_t of(std::uint64_t name) const;

 private:
  // Both members are 0 at first.
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
