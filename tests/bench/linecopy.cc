// SPDX-License-Identifier: Apache-2.0
// The baseline of every line benchmark: reads, finds each line's end, writes. 1 MiB buffers, one
// thread.
//
//   bench-linecopy < urls.txt > /dev/null
#include <unistd.h>

#include <cstring>
#include <vector>

#include "base/file.h"

int main() {
  constexpr std::size_t kBuffer = std::size_t{1} << 20;
  std::vector<char> in(kBuffer);
  std::vector<char> out(kBuffer);
  std::size_t used = 0;
  std::size_t kept = 0;
  const auto flush = [&] {
    const int code = spinneret::write_all(STDOUT_FILENO, {out.data(), used});
    used = 0;
    return code == 0;
  };
  while (true) {
    const ssize_t got = read(STDIN_FILENO, in.data() + kept, in.size() - kept);
    if (got < 0) return 2;
    if (got == 0) break;
    const char* at = in.data();
    const char* const end = at + kept + static_cast<std::size_t>(got);
    while (const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at))) {
      const char* const next = static_cast<const char*>(found) + 1;
      const auto size = static_cast<std::size_t>(next - at);
      if (size > out.size() - used && !flush()) return 2;
      std::memcpy(out.data() + used, at, size);
      used += size;
      at = next;
    }
    kept = static_cast<std::size_t>(end - at);
    if (kept == in.size()) return 1;  // a line of over 1 MiB, which no benchmark has
    std::memmove(in.data(), at, kept);
  }
  return flush() && spinneret::write_all(STDOUT_FILENO, {in.data(), kept}) == 0 ? 0 : 2;
}
