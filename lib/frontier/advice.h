// SPDX-License-Identifier: Apache-2.0
// What to do about a state that cannot be read or written, chosen by the words of RocksDB's error.
#ifndef SPINNERET_FRONTIER_ADVICE_H_
#define SPINNERET_FRONTIER_ADVICE_H_

#include <string_view>

namespace spinneret::frontier {

// Returns what to append to `error`; nothing where there is no general advice.
inline std::string_view advice_for(std::string_view error, bool damaged) {
  const auto says = [error](std::string_view words) { return error.find(words) != error.npos; };
  if (damaged || (says("MANIFEST") && says("No such file")))
    return "; go back to a copy of --checkpoint";
  const bool full = says("No space left") || says("Disk quota exceeded") || says("File too large");
  return full ? "; make room there, and run the same again: what was kept is whole" : "";
}

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_ADVICE_H_
