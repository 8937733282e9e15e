// SPDX-License-Identifier: Apache-2.0
// A fuzz target's inputs in one file. As one file each, 6,649 inputs of 23 bytes took 27 MB of disk
// for 154 KB:
//
//   spinneret-corpus 1 LF
//   LENGTH [SP NAME] LF    decimal, without leading zeros: the length of BYTES, without their LF
//   BYTES LF               any bytes; the LF is for people who look at the file with less(1)
//   ...
//
// An input with a NAME was written by hand, and its name says what it is for: a merge keeps it. The
// others were found by the fuzzer, which names its files by their SHA-1; as this says nothing that
// the bytes do not, it is left out. Order: first the inputs with names, by name, then the others,
// by length and bytes, so that a merge changes few places.
#ifndef TESTS_FUZZ_CORPUS_H_
#define TESTS_FUZZ_CORPUS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret {

struct CorpusInput {
  // [A-Za-z0-9._-]+, not beginning with a dot. Empty: the fuzzer found it.
  std::string name;
  std::string bytes;
  bool operator==(const CorpusInput&) const = default;
};

using Corpus = std::vector<CorpusInput>;

// Packs all inputs, even repeated ones, in the order above.
std::string pack_corpus(Corpus inputs);

// Returns all inputs of a packed file, or an Error that names the byte where the format is broken.
Result<Corpus> parse_corpus(std::string_view packed);

// Reads the regular files of a folder, in no particular order. A name of forty hexadecimal digits
// is the fuzzer's. A name that the format cannot hold is an Error.
Result<Corpus> read_corpus_folder(const std::string& folder);

// Writes a file for each input into an existing folder. Inputs without a name are numbered by forty
// digits, which read_corpus_folder() takes for the fuzzer's again.
Status write_corpus_folder(const Corpus& inputs, const std::string& folder);

}  // namespace spinneret

#endif  // TESTS_FUZZ_CORPUS_H_
