// SPDX-License-Identifier: Apache-2.0
#include "dedupe/store_index.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"

namespace spinneret::dedupe {
namespace {

// The end of a run file. Numbers are little-endian.
struct IndexFooter {
  char magic[8];
  std::uint64_t entry_bytes;
  std::uint64_t seed;
  LogMark from, to;
  SavedRun saved;
  std::uint64_t sum;  // of all fields before it
};
constexpr char kMagic[9] = "SPNRUN02";
constexpr std::string_view kEnding = ".run";
constexpr std::string_view kUnfinished = ".new";

std::uint64_t footer_sum(const IndexFooter& footer) {
  return hash64({reinterpret_cast<const char*>(&footer), offsetof(IndexFooter, sum)}, footer.seed);
}

std::string run_name(const LogMark& from, const LogMark& to) {
  char name[40];
  std::snprintf(name, sizeof name, "%016llx-%016llx", static_cast<unsigned long long>(from.end),
                static_cast<unsigned long long>(to.end));
  return name + std::string(kEnding);
}

// Returns whether such a file, complete or not, has the name: no other file is ever removed.
bool is_run_name(std::string_view name) {
  if (name.ends_with(kUnfinished)) name.remove_suffix(kUnfinished.size());
  if (!name.ends_with(kEnding)) return false;
  name.remove_suffix(kEnding.size());
  return name.size() == 33 && name[16] == '-' &&
         name.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (std::filesystem::directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code)) {
    std::string name = at->path().filename().string();
    if (is_run_name(name)) names.push_back(std::move(name));
  }
  // Of the runs that begin at the same place the longest comes first.
  std::sort(names.rbegin(), names.rend());
  return names;
}

// Returns whether a file of that size is as the footer says, so that a forged footer cannot ask for
// memory that the file does not have.
template <typename F>
bool has_room(const SavedRun& saved, std::uint64_t size) {
  constexpr std::uint64_t kMost = UINT32_MAX;
  return saved.keys <= kMost && saved.stretches <= kMost && saved.filter_bytes <= size &&
         saved.keys * sizeof(F) + (saved.stretches * 2 + 1) * sizeof(std::uint32_t) +
                 saved.filter_bytes + sizeof(IndexFooter) ==
             size;
}

RunFile run_file(Fd file, const std::string& path, FaultCheck fault) {
  return RunFile(std::move(file), path, ": remove it, and it is made anew", std::move(fault));
}

}  // namespace

template <typename F>
bool StoreIndex<F>::may_write() const {
  const std::filesystem::path folder(folder_);
  std::error_code code;
  const bool is_there =
      std::filesystem::symlink_status(folder, code).type() != std::filesystem::file_type::not_found;
  if (is_there && !std::filesystem::is_directory(folder, code)) return false;
  const std::filesystem::path place =
      is_there ? folder : (folder.has_parent_path() ? folder.parent_path() : ".");
  return faccessat(AT_FDCWD, place.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

template <typename F>
std::shared_ptr<IndexRun<F>> StoreIndex<F>::open_run(const std::string& name, const SeenLog& log,
                                                     const LogMark& from) const {
  const std::string path = folder_ + "/" + name;
  Result<Fd> file = open_file(path, O_RDONLY | O_NONBLOCK);  // a FIFO may have no writer
  struct stat info {};
  if (!file.ok() || fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) return nullptr;
  IndexFooter footer;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size < sizeof footer ||
      read_at(file->get(), &footer, sizeof footer, size - sizeof footer) != 0 ||
      std::memcmp(footer.magic, kMagic, sizeof footer.magic) != 0 ||
      footer.sum != footer_sum(footer) || footer.entry_bytes != sizeof(F) ||
      !has_room<F>(footer.saved, size) || footer.seed != log.header().seed ||
      !(footer.from == from) || !log.holds(footer.to)) {
    return nullptr;
  }
  auto run = std::make_shared<IndexRun<F>>(run_file(file.take(), path, {}));
  Result<SortedRun<F>> loaded = SortedRun<F>::load(run->file, footer.saved);
  if (!loaded.ok()) return nullptr;
  run->run = loaded.take();
  run->saved = footer.saved;
  run->from = footer.from;
  run->to = footer.to;
  run->path = path;
  return run;
}

template <typename F>
std::vector<std::shared_ptr<IndexRun<F>>> StoreIndex<F>::open_chain(
    const SeenLog& log, const std::vector<std::string>& names) const {
  std::vector<std::shared_ptr<IndexRun<F>>> runs;
  for (LogMark at = SeenLog::start();;) {
    char begin[18];
    std::snprintf(begin, sizeof begin, "%016llx-", static_cast<unsigned long long>(at.end));
    std::shared_ptr<IndexRun<F>> next;
    for (const std::string& name : names) {
      if (name.starts_with(begin) && name.ends_with(kEnding)) next = open_run(name, log, at);
      if (next != nullptr) break;
    }
    if (next == nullptr || next->to.end <= at.end) return runs;
    at = next->to;
    runs.push_back(std::move(next));
  }
}

template <typename F>
std::vector<typename StoreIndex<F>::Run> StoreIndex<F>::open(const SeenLog& log,
                                                             std::uint64_t filter_bytes) const {
  std::vector<std::string> names = names_in(folder_);
  std::vector<std::shared_ptr<IndexRun<F>>> runs = open_chain(log, names);
  // The writer may have replaced several runs by one while this process read.
  for (int tries = 0; tries < 3 && names != names_in(folder_); ++tries) {
    names = names_in(folder_);
    runs = open_chain(log, names);
  }
  std::vector<Run> opened(runs.size());
  for (std::size_t i = runs.size(); i-- > 0;) {
    const std::uint64_t bytes = runs[i]->saved.filter_bytes;
    if (bytes <= filter_bytes) {
      // Runs that follow a damaged one are of no use without it.
      if (Status read = runs[i]->run.load_filter(runs[i]->saved); !read.ok()) opened.resize(i);
      filter_bytes -= bytes;
    }
    if (holds_) runs[i]->run.hold_stretches();
    if (i < opened.size()) opened[i] = runs[i];
  }
  return opened;
}

template <typename F>
void StoreIndex<F>::remove_others(const std::vector<Run>& runs) const {
  std::set<std::string> kept;
  for (const Run& run : runs) kept.insert(run->path);
  for (const std::string& name : names_in(folder_)) {
    const std::string path = folder_ + "/" + name;
    if (!kept.contains(path) && fault() == 0) unlink(path.c_str());
  }
}

template <typename F>
void StoreIndex<F>::remove(const IndexRun<F>& run) const {
  if (fault() == 0) unlink(run.path.c_str());
}

template <typename F>
Status StoreIndex<F>::finish(IndexRun<F>& run, std::uint64_t seed) const {
  const Result<SavedRun> saved = run.run.save(run.file);
  if (!saved.ok()) return saved.error();
  IndexFooter footer{};
  std::memcpy(footer.magic, kMagic, sizeof footer.magic);
  footer.entry_bytes = sizeof(F);
  footer.seed = seed;
  footer.from = run.from;
  footer.to = run.to;
  footer.saved = *saved;
  footer.sum = footer_sum(footer);
  int code = run.file.write({reinterpret_cast<const char*>(&footer), sizeof footer});
  if (code != 0) return run.file.cannot("write", code);
  if ((code = fault()) == 0 && fsync(run.file.fd()) != 0) code = errno;
  if (code != 0) return run.file.cannot("sync", code);
  const std::string unfinished = run.path + std::string(kUnfinished);
  if ((code = fault()) == 0 && std::rename(unfinished.c_str(), run.path.c_str()) != 0) code = errno;
  if (code != 0) return run.file.cannot("rename", code);
  if ((code = fault()) != 0) return run.file.cannot("sync", code);
  return sync_parent(run.path);
}

template <typename F>
Result<typename StoreIndex<F>::Run> StoreIndex<F>::write(std::uint64_t seed, const LogMark& from,
                                                         const LogMark& to,
                                                         const Fill& fill) const {
  if (Status made = make_directories(folder_); !made.ok()) return made.error();
  const std::string path = folder_ + "/" + run_name(from, to);
  const std::string unfinished = path + std::string(kUnfinished);
  int code = fault();
  Result<Fd> file = code == 0 ? open_file(unfinished, O_RDWR | O_CREAT | O_TRUNC)
                              : Result<Fd>(system_error("cannot open " + unfinished, code));
  if (!file.ok()) return file.error();
  auto run = std::make_shared<IndexRun<F>>(run_file(file.take(), path, fault_));
  run->from = from;
  run->to = to;
  run->path = path;
  Result<SortedRun<F>> filled = fill(run->file);
  Status done = filled.ok() ? Status() : Status(filled.error());
  if (done.ok()) {
    run->run = filled.take();
    done = finish(*run, seed);
  }
  if (done.ok() && holds_) run->run.hold_stretches();
  if (done.ok()) return Run(std::move(run));
  unlink(unfinished.c_str());
  return done.error();
}

template class StoreIndex<Fingerprint64>;
template class StoreIndex<Fingerprint128>;

}  // namespace spinneret::dedupe
