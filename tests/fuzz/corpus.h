// SPDX-License-Identifier: Apache-2.0
// A fuzz target's inputs in one file, since a file each (6,649 of 23 bytes) took 27 MB of disk for 154 KB:
//
//   spinneret-corpus 1 LF
//   LENGTH [SP NAME] LF          decimal, without leading zeros; the bytes that follow, without their LF
//   BYTES LF                     any bytes; the LF is for those who look at the file with less(1)
//   ...
//
// An input with a NAME was written by hand and says what it is for: a merge keeps it. The others were found by the
// fuzzer, which names its files by their SHA-1: as that says nothing that the bytes do not, it is left out.
// Order: those with names by name, then the others by length and bytes; so that a merge changes few places.
#ifndef TESTS_FUZZ_CORPUS_H_
#define TESTS_FUZZ_CORPUS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret {

struct CorpusInput {
  std::string name;  // [A-Za-z0-9._-]+, not beginning with a dot; empty: the fuzzer's
  std::string bytes;
  bool operator==(const CorpusInput&) const = default;
};

using Corpus = std::vector<CorpusInput>;

// In the order above; nothing is left out, not even what is there twice.
std::string pack_corpus(Corpus inputs);

// All inputs of a packed file, or an Error that names the byte at which it is none.
Result<Corpus> parse_corpus(std::string_view packed);

// The regular files of a folder, in no particular order. A name of forty hexadecimal digits is the fuzzer's;
// one that the format cannot hold is an Error.
Result<Corpus> read_corpus_folder(const std::string& folder);

// A file for each input into a folder that is there. Those without a name are numbered by forty digits, which
// read_corpus_folder() takes for the fuzzer's again.
Status write_corpus_folder(const Corpus& inputs, const std::string& folder);

}  // namespace spinneret

#endif  // TESTS_FUZZ_CORPUS_H_
