// SPDX-License-Identifier: Apache-2.0
#include "dedupe/sorted_run.h"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string_view>
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
  explicit Cursor(const SortedRun& run) : run_(&run) { fill(); }

  // Past the end, and on errors. Else key() is there.
  bool ended() const { return at_ == end_; }
  const F& key() const { return *at_; }
  void advance() {
    if (++at_ == end_) fill();
  }
  Status status() const { return error_code_ == 0 ? Status() : cannot_read(error_code_); }

 private:
  static constexpr std::uint64_t kBlockKeys = (std::uint64_t{256} << 10) / sizeof(F);

  void fill() {
    const std::uint64_t count = std::min(kBlockKeys, run_->size_ - read_);
    buffer_.resize(count);
    if (count != 0 && error_code_ == 0) {
      const std::uint64_t offset = run_->offset_ + read_ * sizeof(F);
      error_code_ = read_at(run_->fd_, buffer_.data(), count * sizeof(F), offset);
      posix_fadvise(run_->fd_, static_cast<off_t>(offset + count * sizeof(F)),
                    kBlockKeys * sizeof(F), POSIX_FADV_WILLNEED);
    }
    read_ += count;
    if (error_code_ != 0) buffer_.clear();
    at_ = buffer_.data();
    end_ = at_ + buffer_.size();
  }

  const SortedRun* run_;
  std::vector<F> buffer_;  // moved with its bytes in their place
  const F* at_ = nullptr;
  const F* end_ = nullptr;
  std::uint64_t read_ = 0;
  int error_code_ = 0;
};

// Appends a run's keys to its file, and makes its ranks and filter.
template <typename F>
class SortedRun<F>::Writer {
 public:
  Writer(SortedRun& run, int fd) : run_(run), fd_(fd) { block_.reserve(kBlockKeys); }

  void add(const F& key) {
    if (same_key(key, last_)) return;
    last_ = key;
    if (const std::size_t own = run_.stretch_number(key); stretch_ < own) start_stretch(own);
    ++run_.size_;
    if (run_.filter_) run_.add_to_filter(key);
    block_.push_back(key);
    if (block_.size() == kBlockKeys) flush();
  }
  // 0 or an errno.
  int finish() {
    flush();
    start_stretch(run_.ranks_.size() - 1);
    return error_code_;
  }

 private:
  static constexpr std::size_t kBlockKeys = (std::size_t{256} << 10) / sizeof(F);
  void start_stretch(std::size_t own) {
    while (stretch_ < own) run_.ranks_[++stretch_] = static_cast<std::uint32_t>(run_.size_);
  }
  void flush() {
    const std::string_view bytes(reinterpret_cast<const char*>(block_.data()),
                                 block_.size() * sizeof(F));
    if (error_code_ == 0 && !bytes.empty()) error_code_ = write_all(fd_, bytes);
    block_.clear();
  }

  SortedRun& run_;
  int fd_;
  std::vector<F> block_;
  F last_{};
  std::size_t stretch_ = 0;
  int error_code_ = 0;
};

template <typename F>
template <typename Each>
Result<SortedRun<F>> SortedRun<F>::write_each(RunFile& file, const Shape& shape, const Each& each) {
  if (Status opened = file.open(); !opened.ok()) return opened.error();
  SortedRun run;
  run.fd_ = file.fd();
  run.offset_ = file.end();
  run.prefix_ = shape.prefix;
  run.ranks_.assign(shape.expected / kStretchKeys + 2, 0);
  run.make_filter(shape.expected, shape.filter_bits);
  Writer writer(run, file.fd());
  if (const Status read = each(writer); !read.ok()) return read.error();
  if (const int code = writer.finish(); code != 0) {
    return system_error("cannot write a temporary file in " + file.folder(), code);
  }
  file.extend(run.size_ * sizeof(F));
  return run;
}

template <typename F>
Result<SortedRun<F>> SortedRun<F>::write(RunFile& file, const Shape& shape,
                                         const std::function<Status(const Visit&)>& each) {
  return write_each(file, shape, [&](Writer& writer) {
    return each([&writer](const F& key) { writer.add(key); });
  });
}

// Of the few runs that are merged the least key is looked for among all: a heap of four took a third more time.
template <typename F>
Result<SortedRun<F>> SortedRun<F>::merge(RunFile& file, const Shape& shape,
                                         std::vector<SortedRun>& runs) {
  Result<SortedRun> merged = write_each(file, shape, [&](Writer& writer) -> Status {
    std::vector<Cursor> cursors;
    cursors.reserve(runs.size());
    for (const SortedRun& run : runs) cursors.emplace_back(run);
    while (true) {
      for (std::size_t i = 0; i < cursors.size();) {
        if (!cursors[i].ended()) {
          ++i;
        } else if (Status read = cursors[i].status(); !read.ok()) {
          return read;
        } else {
          if (i + 1 != cursors.size()) cursors[i] = std::move(cursors.back());
          cursors.pop_back();
        }
      }
      if (cursors.empty()) return {};
      for (bool ended = false; !ended;) {
        Cursor* least = &cursors[0];
        for (std::size_t i = 1; i < cursors.size(); ++i) {
          least = key_less(cursors[i].key(), least->key()) ? &cursors[i] : least;
        }
        writer.add(least->key());
        least->advance();
        ended = least->ended();
      }
    }
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
  for (; !cursor.ended(); cursor.advance()) visit(cursor.key());
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
