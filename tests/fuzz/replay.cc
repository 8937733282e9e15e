// SPDX-License-Identifier: Apache-2.0
// main() of a fuzz target without a fuzzer: runs it over every file of a folder, and over each of them cut
// short, which is what a fuzzer would try first.
//
//   fuzz-NAME FOLDER
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& bytes, std::size_t size) {
  // On a heap block of exactly that size, so that a sanitizer sees a read beyond it.
  const std::string exact(bytes, 0, size);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(exact.data()), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::size_t files = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1], none)) {
    if (!entry.is_regular_file()) continue;
    const auto bytes = spinneret::read_file(entry.path());
    if (!bytes.ok()) return 2;
    ++files;
    const std::size_t step = bytes->size() / 64 + 1;
    for (std::size_t size = 0; size < bytes->size(); size += step) run(*bytes, size);
    run(*bytes, bytes->size());
  }
  std::printf("%zu inputs\n", files);
  return files != 0 ? 0 : 2;
}
