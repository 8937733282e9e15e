// SPDX-License-Identifier: Apache-2.0
// Memory that runs out, for LD_PRELOAD. Of the allocations after those of the loader, the one whose
// number (from 1) is FAIL_MALLOC_AT fails; with FAIL_MALLOC_FOR=N the N - 1 that follow fail, too.
// FAIL_MALLOC_COUNT names a file that gets the number of allocations at the end.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

// glibc's own functions, which it exports for uses like this.
extern "C" {
void* __libc_malloc(std::size_t size);                     // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* old, std::size_t size);         // NOLINT(bugprone-reserved-identifier)
// NOLINTNEXTLINE(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<long> allocations;
long first_bad = 0;
long behind_bad = 0;
bool counting = false;

__attribute__((constructor)) void begin() {
  const char* const at = std::getenv("FAIL_MALLOC_AT");
  const char* const lasting = std::getenv("FAIL_MALLOC_FOR");
  if (at != nullptr) first_bad = std::atol(at);
  behind_bad = first_bad + (lasting == nullptr ? 1 : std::atol(lasting));
  counting = true;
}

__attribute__((destructor)) void end() {
  counting = false;
  const char* const path = std::getenv("FAIL_MALLOC_COUNT");
  const int file =
      path == nullptr ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  dprintf(file, "%ld\n", allocations.load());
  close(file);
}

bool fails() {
  if (!counting) return false;
  const long number = ++allocations;
  if (number < first_bad || number >= behind_bad) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) { return fails() ? nullptr : __libc_realloc(old, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  if (fails()) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}
