// SPDX-License-Identifier: Apache-2.0
// Packs a fuzz target's inputs into one file, and unpacks them for libFuzzer, which wants folders.
//
//   fuzz-corpus pack FOLDER FILE      the files of FOLDER
//   fuzz-corpus unpack FILE FOLDER    FOLDER is there, and better empty
//   fuzz-corpus list FILE             for each input a line: its length, and its name if it has one
#include <cstdio>
#include <string>
#include <string_view>

#include "base/file.h"
#include "fuzz/corpus.h"

namespace {

using spinneret::Corpus;
using spinneret::Result;
using spinneret::Status;

Result<Corpus> read_packed(const std::string& path) {
  const auto packed = spinneret::read_file(path);
  if (!packed.ok()) return packed.error();
  auto inputs = spinneret::parse_corpus(*packed);
  if (!inputs.ok()) return spinneret::Error{path + ": " + inputs.message()};
  return inputs;
}

Status pack(const std::string& folder, const std::string& path) {
  auto inputs = spinneret::read_corpus_folder(folder);
  if (!inputs.ok()) return inputs.error();
  return spinneret::write_file_atomic(path, spinneret::pack_corpus(inputs.take()));
}

Status unpack(const std::string& path, const std::string& folder) {
  const auto inputs = read_packed(path);
  if (!inputs.ok()) return inputs.error();
  return spinneret::write_corpus_folder(*inputs, folder);
}

Status list(const std::string& path) {
  const auto inputs = read_packed(path);
  if (!inputs.ok()) return inputs.error();
  for (const auto& input : *inputs)
    std::printf("%zu\t%s\n", input.bytes.size(), input.name.c_str());
  if (std::fflush(stdout) != 0) return spinneret::Error{"cannot write the list"};
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  Status status = spinneret::Error{"pack FOLDER FILE, unpack FILE FOLDER, or list FILE"};
  if (argc == 4 && verb == "pack") status = pack(argv[2], argv[3]);
  if (argc == 4 && verb == "unpack") status = unpack(argv[2], argv[3]);
  if (argc == 3 && verb == "list") status = list(argv[2]);
  if (!status.ok()) std::fprintf(stderr, "fuzz-corpus: %s\n", status.message().c_str());
  return status.ok() ? 0 : 2;
}
