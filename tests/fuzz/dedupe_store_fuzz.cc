// SPDX-License-Identifier: Apache-2.0
// Any bytes as a store: opened, recovered and compacted without a crash; what is read is never more than
// what the file holds.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "dedupe/original_index.h"
#include "dedupe/seen_set.h"
#include "dedupe/store_tools.h"

using namespace spinneret;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/tmp/dedupe-store-fuzz-" + std::to_string(getpid());
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!write_file_atomic(path, bytes).ok()) std::abort();
  const auto figures = store_figures(path);
  if (figures.ok() && figures->stats.file_bytes + figures->stats.torn_bytes != size) std::abort();
  SeenSetOptions options;
  options.store = path;
  options.key_description = "url";
  if (auto set = make_seen_set(options); set.ok()) {
    const std::string_view key = "key";
    bool fresh = false;
    if (!(*set)->insert_batch({&key, 1}, &fresh).ok()) std::abort();
  }
  OriginalOptions pages;
  pages.store = path;
  pages.description = "content";
  (void)make_original_index(pages);
  unlink((path + ".damaged").c_str());
  (void)SeenLog::recover(path);
  (void)compact_store(path);
  unlink((path + ".damaged").c_str());
  return 0;
}
