// SPDX-License-Identifier: Apache-2.0
#include "dedupe/sorted_run.h"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "dedupe/temporary_file.h"

namespace spinneret {
namespace {

Status cannot_read(int code) { return system_error("cannot read a temporary file", code); }

Status changed_file() {
  return Error{
      "a temporary file is not as it was written: something changed it, or the disk fails"};
}

}  // namespace

Status RunFile::open() {
  if (file_) return {};
  Result<Fd> made = open_temporary(folder_);
  if (!made.ok()) return made.error();
  file_ = made.take();
  return {};
}

void RunFile::give_back(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(bytes));
}

// Reads a run from its start, a block at a time, and asks for the next one while this one is used.
template <typename F>
class SortedRun<F>::Cursor {
 public:
  explicit Cursor(const SortedRun& run) : run_(&run) {}

  // False at the end and on errors.
  bool next(F& key) {
    if (at_ == buffer_.size() && !fill()) return false;
    key = buffer_[at_++];
    return true;
  }
  Status status() const { return error_code_ == 0 ? Status() : cannot_read(error_code_); }

 private:
  static constexpr std::uint64_t kBlockKeys = (std::uint64_t{256} << 10) / sizeof(F);

  bool fill() {
    const std::uint64_t count = std::min(kBlockKeys, run_->size_ - read_);
    buffer_.resize(count);
    at_ = 0;
    if (count != 0 && error_code_ == 0) {
      const std::uint64_t offset = run_->offset_ + read_ * sizeof(F);
      error_code_ = read_at(run_->fd_, buffer_.data(), count * sizeof(F), offset);
      posix_fadvise(run_->fd_, static_cast<off_t>(offset + count * sizeof(F)),
                    kBlockKeys * sizeof(F), POSIX_FADV_WILLNEED);
    }
    read_ += count;
    if (error_code_ != 0) buffer_.clear();
    return !buffer_.empty();
  }

  const SortedRun* run_;
  std::vector<F> buffer_;
  std::size_t at_ = 0;
  std::uint64_t read_ = 0;
  int error_code_ = 0;
};

template <typename F>
Result<SortedRun<F>> SortedRun<F>::write(RunFile& file, const Shape& shape,
                                         const std::function<Status(const Visit&)>& each) {
  if (Status opened = file.open(); !opened.ok()) return opened.error();
  SortedRun run;
  run.fd_ = file.fd();
  run.offset_ = file.end();
  run.prefix_ = shape.prefix;
  run.ranks_.assign(shape.expected / kStretchKeys + 2, 0);
  run.make_filter(shape.expected, shape.filter_bits);
  BufferedAppender out(file.fd());
  F last{};
  std::size_t stretch = 0;
  const Status read = each([&](const F& key) {
    if (same_key(key, last)) return;
    last = key;
    for (const std::size_t own = run.stretch_number(key); stretch < own;) {
      run.ranks_[++stretch] = static_cast<std::uint32_t>(run.size_);
    }
    ++run.size_;
    if (run.filter_) run.add_to_filter(key);
    out.append({reinterpret_cast<const char*>(&key), sizeof key});
  });
  if (!read.ok()) return read.error();
  if (const int code = out.finish(); code != 0) {
    return system_error("cannot write a temporary file in " + file.folder(), code);
  }
  file.extend(run.size_ * sizeof(F));
  while (stretch + 1 < run.ranks_.size()) {
    run.ranks_[++stretch] = static_cast<std::uint32_t>(run.size_);
  }
  return run;
}

template <typename F>
Result<SortedRun<F>> SortedRun<F>::merge(RunFile& file, const Shape& shape,
                                         std::vector<SortedRun>& runs) {
  Result<SortedRun> merged = write(file, shape, [&](const Visit& visit) -> Status {
    struct Head {
      F key;
      Cursor cursor;
    };
    std::vector<Head> heads;
    heads.reserve(runs.size());
    for (const SortedRun& run : runs) {
      heads.push_back({F{}, Cursor(run)});
      if (heads.back().cursor.next(heads.back().key)) continue;
      if (Status read = heads.back().cursor.status(); !read.ok()) return read;
      heads.pop_back();
    }
    const auto later = [](const Head& a, const Head& b) { return key_less(b.key, a.key); };
    std::make_heap(heads.begin(), heads.end(), later);
    while (!heads.empty()) {
      std::pop_heap(heads.begin(), heads.end(), later);
      visit(heads.back().key);
      if (heads.back().cursor.next(heads.back().key)) {
        std::push_heap(heads.begin(), heads.end(), later);
      } else if (const Status read = heads.back().cursor.status(); !read.ok()) {
        return read;
      } else {
        heads.pop_back();
      }
    }
    return {};
  });
  if (merged.ok()) {
    for (const SortedRun& run : runs) file.give_back(run.offset_, run.size_ * sizeof(F));
  }
  return merged;
}

template <typename F>
bool SortedRun<F>::is_stretch(const F& key, std::span<const F> keys) const {
  const std::size_t stretch = stretch_number(key);
  return keys.empty() ||
         (stretch_number(keys.front()) == stretch && stretch_number(keys.back()) == stretch);
}

template <typename F>
Status SortedRun<F>::contains(const F& key, bool& found) const {
  found = false;
  if (!may_contain(key)) return {};
  RunSearches<F> searches;
  searches.add(*this, key, 0);
  return searches.search([&](std::size_t) { found = true; });
}

template <typename F>
Status SortedRun<F>::for_each(const Visit& visit) const {
  Cursor cursor(*this);
  for (F key; cursor.next(key);) visit(key);
  return cursor.status();
}

template <typename F>
void SortedRun<F>::make_filter(std::uint64_t keys, double bits) {
  filter_.reset();
  if (bits < 1 || keys == 0) return;
  const auto probes = static_cast<unsigned>(std::lround(bits * 0.6));
  filter_ = std::make_unique<BlockedFilter>(
      static_cast<std::uint64_t>(static_cast<double>(keys) * bits / 8), std::max(probes, 1U));
}

template <typename F>
Status SortedRun<F>::set_filter(double bits) {
  make_filter(size_, bits);
  if (!filter_) return {};
  return for_each([this](const F& key) { add_to_filter(key); });
}

template <typename F>
double SortedRun<F>::filter_bits() const {
  return filter_ ? static_cast<double>(filter_->bytes()) * 8 / static_cast<double>(size_) : 0;
}

template <typename F>
std::uint64_t SortedRun<F>::memory() const {
  constexpr std::uint64_t kPage = 4096;  // a filter takes whole ones
  const std::uint64_t filter = filter_ ? (filter_->bytes() + kPage - 1) / kPage * kPage : 0;
  return sizeof(SortedRun) + ranks_.capacity() * sizeof(std::uint32_t) + filter;
}

template <typename F>
Status RunSearches<F>::search(const std::function<void(std::size_t)>& found) {
  // So many keys are read at once: 1 MiB, or the longest stretch, which is long only of keys that are not uniform.
  constexpr std::uint64_t kKeys = (std::uint64_t{1} << 20) / sizeof(F);
  for (std::size_t first = 0; first < searches_.size();) {
    std::uint64_t keys = 0;
    std::size_t end = first;
    while (end < searches_.size() &&
           (end == first || keys + searches_[end].stretch.count <= kKeys)) {
      searches_[end].at = keys;
      keys += searches_[end++].stretch.count;
    }
    if (buffer_.size() < keys) buffer_.resize(keys);
    const auto some = std::span(searches_).subspan(first, end - first);
    if (Status done = search_some(some, found); !done.ok()) return done;
    first = end;
  }
  if (buffer_.size() > kKeys) buffer_ = {};
  return {};
}

template <typename F>
Status RunSearches<F>::search_some(std::span<Search> searches,
                                   const std::function<void(std::size_t)>& found) {
  // What the page cache has is read at once; the rest is asked for, all of it, before any is waited for.
  for (Search& search : searches) {
    const auto offset = static_cast<off_t>(search.run->offset_of(search.stretch));
    const std::size_t size = search.stretch.count * sizeof(F);
    iovec into{buffer_.data() + search.at, size};
    search.read =
        preadv2(search.run->fd(), &into, 1, offset, RWF_NOWAIT) == static_cast<ssize_t>(size);
    if (!search.read) {
      posix_fadvise(search.run->fd(), offset, static_cast<off_t>(size), POSIX_FADV_WILLNEED);
    }
  }
  for (const Search& search : searches) {
    const std::span<F> keys(buffer_.data() + search.at, search.stretch.count);
    if (!search.read) {
      const int code = read_at(search.run->fd(), keys.data(), keys.size_bytes(),
                               search.run->offset_of(search.stretch));
      if (code != 0) return cannot_read(code);
    }
    if (!search.run->is_stretch(search.key, keys)) return changed_file();
    if (std::binary_search(keys.begin(), keys.end(), search.key, key_less<F>)) found(search.index);
  }
  return {};
}

template class SortedRun<Fingerprint64>;
template class SortedRun<Fingerprint128>;
template class RunSearches<Fingerprint64>;
template class RunSearches<Fingerprint128>;

}  // namespace spinneret
