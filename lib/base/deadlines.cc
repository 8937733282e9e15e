// SPDX-License-Identifier: Apache-2.0
#include "base/deadlines.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace spinneret {
namespace {

constexpr int kLowestFd = 64;  // above the numbers that shells use
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

bool is_sealed(int fd) {
  const int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & kSeals) == kSeals;
}

}  // namespace

void Deadlines::Unmap::operator()(Slot* slots) const { munmap(slots, bytes); }

Result<Deadlines> Deadlines::map(Fd fd, std::size_t count, int protection) {
  void* const memory =
      mmap(nullptr, count * sizeof(Slot), protection, MAP_SHARED, fd.get(), /*offset=*/0);
  if (memory == MAP_FAILED) return system_error("cannot share memory", errno);
  return Deadlines(std::move(fd), static_cast<Slot*>(memory), count);
}

Result<Deadlines> Deadlines::make(std::size_t count) {
  Fd fd(memfd_create("deadlines", MFD_ALLOW_SEALING));
  // Where the limit allows no number so high (ulimit -n 64), the first descriptor stays in use.
  if (fd) {
    Fd high(fcntl(fd.get(), F_DUPFD, kLowestFd));
    if (high) fd = std::move(high);
  }
  // The seals keep anybody from truncating memory that a reader has mapped.
  if (!fd || ftruncate(fd.get(), static_cast<off_t>(count * sizeof(Slot))) != 0 ||
      fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0)
    return system_error("cannot share memory", errno);
  return map(std::move(fd), count, PROT_READ | PROT_WRITE);
}

Result<Deadlines> Deadlines::open(int fd) {
  struct stat info {};
  Fd own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!own || !is_sealed(own.get()) || fstat(own.get(), &info) != 0 || info.st_size == 0 ||
      static_cast<std::size_t>(info.st_size) % sizeof(Slot) != 0)
    return Error{"descriptor " + std::to_string(fd) + " is none of deadlines"};
  return map(std::move(own), static_cast<std::size_t>(info.st_size) / sizeof(Slot), PROT_READ);
}

std::uint64_t Deadlines::begin(std::size_t index) {
  std::atomic<std::uint64_t>& name = slots_[index].name;
  const std::uint64_t before = name;
  name = before == 0 ? slots_.size() + index : before + slots_.size();
  return name;
}

// The name is read after the deadline. Where it still equals `name`, no later begin() has happened
// yet, so the deadline was put off for `name` or for a name before it.
std::int64_t Deadlines::of(std::uint64_t name) const {
  const Slot& slot = slots_[name % slots_.size()];
  const std::int64_t at = slot.at;
  return name != 0 && slot.name == name ? at : 0;
}

}  // namespace spinneret
