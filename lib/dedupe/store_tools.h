// SPDX-License-Identifier: Apache-2.0
// Operations on whole stores: adding one to another, and compacting.
#ifndef SPINNERET_DEDUPE_STORE_TOOLS_H_
#define SPINNERET_DEDUPE_STORE_TOOLS_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "dedupe/seen_log.h"

namespace spinneret::dedupe {

// Adds to `path` the entries that only `from` has, and returns their number. Both stores must have
// the same kind of keys and the same seed (made with `like`), without which their fingerprints mean
// different things.
Result<std::uint64_t> merge_stores(const std::string& path, const std::string& from);

// Rewrites the store in large blocks, without entries that occur twice (in a store with times the
// last one stays) and, where `oldest` is not 0, without entries from before that time. Returns the
// figures of the new store.
Result<LogStats> compact_store(const std::string& path, std::uint64_t oldest = 0);

// The figures and header of a store. The store is only read.
struct StoreFigures {
  LogHeader header;
  LogStats stats;
};
Result<StoreFigures> store_figures(const std::string& path);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_STORE_TOOLS_H_
