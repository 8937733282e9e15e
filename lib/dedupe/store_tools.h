// SPDX-License-Identifier: Apache-2.0
// Work on whole stores: add one to another, make one small again.
#ifndef SPINNERET_DEDUPE_STORE_TOOLS_H_
#define SPINNERET_DEDUPE_STORE_TOOLS_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "dedupe/seen_log.h"

namespace spinneret::dedupe {

// Adds to `path` what `from` has and it has not; returns how many that were. Both must have the same seed
// (made with `like`), or their fingerprints mean different things, and hold the same kind of keys.
Result<std::uint64_t> merge_stores(const std::string& path, const std::string& from);

// Rewrites the store in large blocks, without entries that occur twice (of a store with times the last stays), and, where
// `oldest` is not 0, without what came before it; returns its figures after that.
Result<LogStats> compact_store(const std::string& path, std::uint64_t oldest = 0);

// Figures and header of a store, which is only read.
struct StoreFigures {
  LogHeader header;
  LogStats stats;
};
Result<StoreFigures> store_figures(const std::string& path);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_STORE_TOOLS_H_
