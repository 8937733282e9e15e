// SPDX-License-Identifier: Apache-2.0
// main() of a fuzz target without a fuzzer: runs the target over every input of a packed corpus,
// and over each of them cut short, which is what a fuzzer would try first. Given a folder
// (build-fuzz/found), it runs over the folder's files.
//
//   fuzz-NAME FILE|FOLDER
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/file.h"
#include "fuzz/corpus.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& bytes, std::size_t size) {
  // The copy is a heap block of exactly that size, so that a sanitizer sees a read beyond it.
  const std::string exact(bytes, 0, size);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(exact.data()), exact.size());
}

spinneret::Result<spinneret::Corpus> read_inputs(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return spinneret::read_corpus_folder(path);
  const auto packed = spinneret::read_file(path);
  if (!packed.ok()) return packed.error();
  return spinneret::parse_corpus(*packed);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto inputs = read_inputs(argv[1]);
  if (!inputs.ok()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], inputs.message().c_str());
    return 2;
  }
  for (const auto& [name, bytes] : *inputs) {
    const std::size_t step = bytes.size() / 64 + 1;
    for (std::size_t size = 0; size < bytes.size(); size += step) run(bytes, size);
    run(bytes, bytes.size());
  }
  std::printf("%zu inputs\n", inputs->size());
  return inputs->empty() ? 2 : 0;
}
