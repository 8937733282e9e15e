// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <ctime>

namespace spinneret {
namespace {

class SystemClock : public Clock {
 public:
  std::int64_t monotonic_ns() const override { return now_ns(CLOCK_MONOTONIC); }
  std::int64_t unix_ms() const override { return now_ns(CLOCK_REALTIME) / 1'000'000; }
  std::int64_t boot_ns() const override { return now_ns(CLOCK_BOOTTIME); }
  std::string boot_id() const override {
    char id[36];
    const int fd = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    const ssize_t size = ::read(fd, id, sizeof id);
    ::close(fd);
    return size == sizeof id ? std::string(id, sizeof id) : std::string();
  }

 private:
  static std::int64_t now_ns(clockid_t id) {
    timespec now{};
    clock_gettime(id, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace spinneret
