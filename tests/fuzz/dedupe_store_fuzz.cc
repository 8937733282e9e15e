// SPDX-License-Identifier: Apache-2.0
// Any bytes as a store: opened twice, recovered and compacted without a crash; no key is invented,
// no key that was put in is lost, and no more is read than the file holds. Where the first byte
// says so, the bytes are a block's payload behind a good header, because no fuzzer guesses
// checksums. Nearly all of the time is spent in system calls: for each input the fuzzer makes one
// of the three checks, and the replay of the corpus all.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/file.h"
#include "dedupe/original_index.h"
#include "dedupe/seen_set.h"
#include "dedupe/store_tools.h"

using namespace spinneret;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// The file is in memory where there is such a folder. On a disk the system calls that sync take
// nearly all of the time (34 executions a second on ext4, 1,900 here).
std::string store_path() {
  const std::string name = "/dedupe-store-fuzz-" + std::to_string(getpid());
  return (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + name;
}

void put_file(const std::string& path, std::string_view bytes) {
  const auto file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
  require(file.ok() && write_all(file->get(), bytes) == 0);
}

std::string wrapped(const std::string& path, std::string_view payload, bool named) {
  unlink(path.c_str());
  const dedupe::LogHeader header{16, named, 1, named ? "content" : "url"};
  Result<dedupe::SeenLog> log = dedupe::SeenLog::open(path, dedupe::SeenLog::Mode::kAppend, header,
                                                      [](const dedupe::LogBlock&) {});
  if (!log.ok() || !log->append({payload, payload.size() / 16}, false).ok()) std::abort();
  return *read_file(path);
}

void check_set(const std::string& path, std::uint64_t bytes) {
  const auto figures = dedupe::store_figures(path);
  require(!figures.ok() || figures->stats.file_bytes + figures->stats.torn_bytes == bytes);
  dedupe::SeenSetOptions options;
  options.store = path;
  options.key_description = "url";
  // The store is opened twice: no key is invented, and the key that was put in is there, with all
  // others.
  std::uint64_t keys = 0;
  for (const bool first : {true, false}) {
    auto set = dedupe::make_seen_set(options);
    if (!set.ok()) {
      require(first);
      break;
    }
    const std::string_view key = "key";
    bool fresh = !first;
    require((*set)->insert_batch({&key, 1}, &fresh).ok() && fresh == first);
    require(first || (*set)->size() == keys);
    keys = (*set)->size();
  }
}

void check_pages(const std::string& path) {
  dedupe::OriginalOptions pages;
  pages.store = path;
  pages.description = "content";
  (void)dedupe::make_original_index(pages);
}

// A recovered store opens, and one compacted does not change when compacted again.
void check_recovery(const std::string& path) {
  std::string kept;
  const bool recovered = dedupe::SeenLog::recover(path, kept).ok();
  unlink(kept.c_str());
  if (!recovered) return;
  require(dedupe::store_figures(path).ok());
  const auto once = dedupe::compact_store(path);
  const auto twice = dedupe::compact_store(path);
  require(once.ok() == twice.ok() && (!once.ok() || once->entries == twice->entries));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const struct Store {
    std::string path = store_path();
    ~Store() { unlink(path.c_str()); }
  } store;
  const std::string& path = store.path;
  std::string bytes(reinterpret_cast<const char*>(data), size);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  const std::size_t chosen = std::hash<std::string>{}(bytes) % 3;
#else
  constexpr std::size_t chosen = 3;  // all
#endif
  if (size != 0 && data[0] < 4) {
    bytes = wrapped(path, std::string_view(bytes).substr(1), data[0] % 2 == 1);
    if (data[0] >= 2) bytes.resize(bytes.size() - bytes.size() % 7);
  }
  put_file(path, bytes);
  if (chosen == 0 || chosen == 3) check_set(path, bytes.size());
  if (chosen == 1 || chosen == 3) check_pages(path);
  if (chosen == 2 || chosen == 3) check_recovery(path);
  unlink((path + ".damaged").c_str());
  return 0;
}
