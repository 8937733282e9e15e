// SPDX-License-Identifier: Apache-2.0
// Any bytes as a store: opened, recovered and compacted without a crash; what is read is never more than
// what the file holds. Where the first byte says so, the bytes are a block's payload behind a good header:
// no fuzzer guesses checksums.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "dedupe/original_index.h"
#include "dedupe/seen_set.h"
#include "dedupe/store_tools.h"

using namespace spinneret;

namespace {

std::string wrapped(const std::string& path, std::string_view payload, bool named) {
  unlink(path.c_str());
  const LogHeader header{16, named, 1, named ? "content" : "url"};
  Result<SeenLog> log =
      SeenLog::open(path, SeenLog::Mode::kAppend, header, [](std::string_view, std::uint64_t) {});
  if (!log.ok() || !log->append(payload, payload.size() / 16, false).ok()) std::abort();
  return *read_file(path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/tmp/dedupe-store-fuzz-" + std::to_string(getpid());
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size != 0 && data[0] < 4) {
    bytes = wrapped(path, std::string_view(bytes).substr(1), data[0] % 2 == 1);
    if (data[0] >= 2) bytes.resize(bytes.size() - bytes.size() % 7);
  }
  if (!write_file_atomic(path, bytes).ok()) std::abort();
  const auto figures = store_figures(path);
  if (figures.ok() && figures->stats.file_bytes + figures->stats.torn_bytes != bytes.size())
    std::abort();
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
