// SPDX-License-Identifier: Apache-2.0
#include "dedupe/sorted_run.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "dedupe/run_searches.h"

namespace spinneret::dedupe {
namespace {

template <typename T>
std::string_view bytes_of(const T& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(*values.data())};
}

}  // namespace

// The sums of a stretch whose keys come one by one.
template <typename F>
class SortedRun<F>::StretchSum {
 public:
  explicit StretchSum(const SortedRun& run) : run_(&run) { start(0); }
  void start(std::uint64_t first) {
    left_ = run_->front_of({first, 0});
    front_ = rest_ = 0;
  }
  void add(const F& key) {
    if (left_ == 0) {
      rest_ += mixed(key);
    } else {
      --left_;
      front_ += mixed(key);
    }
  }
  std::uint32_t value() const {
    return static_cast<std::uint32_t>(front_ >> 48 << 16 | rest_ >> 48);
  }

 private:
  const SortedRun* run_;
  std::uint64_t left_ = 0;  // keys that its first page still takes
  std::uint64_t front_ = 0;
  std::uint64_t rest_ = 0;
};

// Reads a run from its start, a block at a time. While a block is used, the kernel reads the next.
template <typename F>
class SortedRun<F>::Cursor {
 public:
  explicit Cursor(const SortedRun& run) : run_(&run), sum_(run) { fill(); }

  // True past the end, and after an error. Otherwise key() is valid.
  bool ended() const { return at_ == end_; }
  const F& key() const { return *at_; }
  void advance() {
    if (++at_ == end_) fill();
  }
  Status status() const {
    if (changed_) return run_->file_->was_changed();
    return error_code_ == 0 ? Status() : run_->file_->cannot("read", error_code_);
  }

 private:
  static constexpr std::uint64_t kBlockKeys = (std::uint64_t{256} << 10) / sizeof(F);

  void fill() {
    const std::uint64_t count = std::min(kBlockKeys, run_->size_ - read_);
    buffer_.resize(count);
    if (count != 0 && error_code_ == 0) {
      const std::uint64_t offset = run_->offset_ + read_ * sizeof(F);
      error_code_ = read_at(run_->file_->fd(), buffer_.data(), count * sizeof(F), offset);
      posix_fadvise(run_->file_->fd(), static_cast<off_t>(offset + count * sizeof(F)),
                    kBlockKeys * sizeof(F), POSIX_FADV_WILLNEED);
    }
    if (error_code_ == 0) check();
    read_ += count;
    if (error_code_ != 0 || changed_) buffer_.clear();
    at_ = buffer_.data();
    end_ = at_ + buffer_.size();
  }

  // Checks each stretch that is complete; the sum of one that continues in the next block is
  // carried over.
  void check() {
    for (std::size_t i = 0; i <= buffer_.size(); ++i) {
      while (stretch_ < run_->sums_.size() && read_ + i == run_->ranks_[stretch_ + 1]) {
        changed_ |= sum_.value() != run_->sums_[stretch_++];
        sum_.start(read_ + i);
      }
      if (i < buffer_.size()) sum_.add(buffer_[i]);
    }
  }

  const SortedRun* run_;
  std::vector<F> buffer_;  // at_ and end_ point into it, and stay valid when it is moved
  const F* at_ = nullptr;
  const F* end_ = nullptr;
  std::uint64_t read_ = 0;
  StretchSum sum_;
  std::size_t stretch_ = 0;
  bool changed_ = false;
  int error_code_ = 0;
};

// Appends a run's keys to its file, and makes its ranks and filter.
template <typename F>
class SortedRun<F>::Writer {
 public:
  Writer(SortedRun& run, RunFile& file) : run_(run), file_(file), sum_(run) {
    block_.reserve(kBlockKeys);
  }

  void add(const F& key) {
    if (same_key(key, last_)) return;
    last_ = key;
    if (const std::size_t own = run_.stretch_number(key); stretch_ < own) start_stretch(own);
    ++run_.size_;
    sum_.add(key);
    if (run_.filter_) run_.add_to_filter(key);
    block_.push_back(key);
    if (block_.size() == kBlockKeys) flush();
  }
  // Ends the run, and extends the file by its length.
  Status finish() {
    flush();
    start_stretch(run_.ranks_.size() - 1);
    if (error_code_ != 0) return file_.cannot("write", error_code_);
    file_.extend(run_.size_ * sizeof(F));
    return {};
  }

 private:
  static constexpr std::size_t kBlockKeys = (std::size_t{256} << 10) / sizeof(F);
  void start_stretch(std::size_t own) {
    while (stretch_ < own) {
      run_.sums_[stretch_] = sum_.value();
      run_.ranks_[++stretch_] = static_cast<std::uint32_t>(run_.size_);
      sum_.start(run_.size_);
    }
  }
  void flush() {
    if (error_code_ == 0 && !block_.empty()) error_code_ = file_.write(bytes_of(block_));
    block_.clear();
  }

  SortedRun& run_;
  RunFile& file_;
  std::vector<F> block_;
  F last_{};
  StretchSum sum_;
  std::size_t stretch_ = 0;
  int error_code_ = 0;
};

template <typename F>
SortedRun<F>::SortedRun(const RunFile& file, const Shape& shape)
    : file_(&file),
      offset_(file.end()),
      prefix_(shape.prefix),
      ranks_(shape.expected / kStretchKeys + 2),
      sums_(ranks_.size() - 1) {
  make_filter(shape.expected, shape.filter_bits);
}

template <typename F>
Result<SortedRun<F>> SortedRun<F>::write(RunFile& file, const Shape& shape,
                                         const std::function<Status(const Visit&)>& each) {
  if (Status opened = file.open(); !opened.ok()) return opened.error();
  SortedRun run(file, shape);
  Writer writer(run, file);
  const Status read = each([&writer](const F& key) { writer.add(key); });
  if (!read.ok()) return read.error();
  if (Status written = writer.finish(); !written.ok()) return written.error();
  return run;
}

template <typename F>
Result<SortedRun<F>> SortedRun<F>::merge(RunFile& file, const Shape& shape,
                                         std::span<const SortedRun* const> runs) {
  Merger merger(file, shape, runs);
  for (bool done = false; !done;) {
    if (Status merged = merger.step(UINT64_MAX, done); !merged.ok()) return merged.error();
  }
  return merger.take();
}

template <typename F>
struct SortedRun<F>::Merger::State {
  State(RunFile& into, const Shape& shape, std::span<const SortedRun* const> runs)
      : file(into), run(into, shape), writer(run, into) {
    cursors.reserve(runs.size());
    for (const SortedRun* const merged : runs) cursors.emplace_back(*merged);
  }
  // Drops the cursors that have ended.
  Status drop_ended() {
    for (std::size_t i = 0; i < cursors.size();) {
      if (!cursors[i].ended()) {
        ++i;
        continue;
      }
      if (Status read = cursors[i].status(); !read.ok()) return read;
      if (i + 1 != cursors.size()) cursors[i] = std::move(cursors.back());
      cursors.pop_back();
    }
    return {};
  }

  RunFile& file;
  SortedRun run;
  Writer writer;
  std::vector<Cursor> cursors;
};

template <typename F>
SortedRun<F>::Merger::Merger(RunFile& file, const Shape& shape,
                             std::span<const SortedRun* const> runs)
    : state_(std::make_unique<State>(file, shape, runs)) {}

template <typename F>
SortedRun<F>::Merger::~Merger() = default;

// Finds the least key by looking at all of the few runs: a heap of four runs took a third more
// time.
template <typename F>
Status SortedRun<F>::Merger::step(std::uint64_t keys, bool& done) {
  done = false;
  if (Status opened = state_->file.open(); !opened.ok()) return opened;
  std::vector<Cursor>& cursors = state_->cursors;
  Writer& writer = state_->writer;
  while (true) {
    if (Status read = state_->drop_ended(); !read.ok()) return read;
    if (cursors.empty()) break;
    if (keys == 0) return {};
    for (bool ended = false; !ended && keys != 0; --keys) {
      Cursor* least = &cursors[0];
      for (std::size_t i = 1; i < cursors.size(); ++i) {
        least = key_less(cursors[i].key(), least->key()) ? &cursors[i] : least;
      }
      writer.add(least->key());
      least->advance();
      ended = least->ended();
    }
  }
  done = true;
  return writer.finish();
}

template <typename F>
SortedRun<F> SortedRun<F>::Merger::take() {
  return std::move(state_->run);
}

template <typename F>
std::uint64_t SortedRun<F>::Merger::memory() const {
  return state_->run.memory();
}

template <typename F>
Result<SavedRun> SortedRun<F>::save(RunFile& file) {
  SavedRun saved{size_, sums_.size(), 0, 0, hash64(bytes_of(sums_), hash64(bytes_of(ranks_), 0)),
                 0};
  int code = file.write(bytes_of(ranks_));
  if (code == 0) code = file.write(bytes_of(sums_));
  if (filter_ && code == 0) {
    saved.filter_bytes = filter_->bytes();
    saved.probes = filter_->probes();
    saved.filter_sum = hash64(bytes_of(filter_->words()), 0);
    code = file.write(bytes_of(filter_->words()));
  }
  if (code != 0) return file.cannot("write", code).error();
  return saved;
}

template <typename F>
Result<SortedRun<F>> SortedRun<F>::load(const RunFile& file, const SavedRun& saved) {
  if (saved.stretches == 0 || saved.filter_bytes % 64 != 0 || saved.probes > 16) {
    return file.was_changed().error();
  }
  SortedRun run;
  run.file_ = &file;
  run.size_ = saved.keys;
  run.ranks_.resize(saved.stretches + 1);
  run.sums_.resize(saved.stretches);
  std::uint64_t at = saved.keys * sizeof(F);
  const auto read = [&](auto values) {
    const int code = read_at(file.fd(), values.data(), values.size_bytes(), at);
    at += values.size_bytes();
    return code;
  };
  int code = read(std::span(run.ranks_));
  if (code == 0) code = read(std::span(run.sums_));
  if (code != 0) return file.cannot("read", code).error();
  if (hash64(bytes_of(run.sums_), hash64(bytes_of(run.ranks_), 0)) != saved.table_sum ||
      run.ranks_.back() != saved.keys || !std::is_sorted(run.ranks_.begin(), run.ranks_.end())) {
    return file.was_changed().error();
  }
  return run;
}

template <typename F>
Status SortedRun<F>::load_filter(const SavedRun& saved) {
  if (saved.filter_bytes == 0) return {};
  filter_ = std::make_unique<BlockedFilter>(saved.filter_bytes,
                                            std::max(static_cast<unsigned>(saved.probes), 1U));
  const std::span<std::uint64_t> words = filter_->words();
  const std::uint64_t at =
      size_ * sizeof(F) + (ranks_.size() + sums_.size()) * sizeof(std::uint32_t);
  const int code = read_at(file_->fd(), words.data(), words.size_bytes(), at);
  if (code != 0) return file_->cannot("read", code);
  return hash64(bytes_of(words), 0) == saved.filter_sum ? Status() : file_->was_changed();
}

template <typename F>
void SortedRun<F>::hold_stretches() {
  held_ = std::make_unique<Held>(std::max<std::uint64_t>(size_, 1), sums_.size());
}

template <typename F>
typename SortedRun<F>::Stretch SortedRun<F>::part_of(const F& key, const Stretch& stretch) const {
  const std::uint64_t front = front_of(stretch);
  // A run that holds stretches holds whole ones.
  if (held_ != nullptr || front >= stretch.count) return stretch;
  const unsigned __int128 fraction = key.high << prefix_;
  const auto within = static_cast<std::uint64_t>(fraction * (ranks_.size() - 1));
  const auto place =
      static_cast<std::uint64_t>(static_cast<unsigned __int128>(within) * stretch.count >> 64);
  // Some three standard deviations of uniform keys; two and a half for keys in the middle.
  const auto margin =
      static_cast<std::uint64_t>(1.25F * std::sqrt(static_cast<float>(stretch.count)));
  if (place + margin < front) return {stretch.first, front};
  if (place >= front + margin) return {stretch.first + front, stretch.count - front};
  return stretch;
}

template <typename F>
bool SortedRun<F>::is_part(const F& key, const Stretch& part, std::span<const F> keys) const {
  const Stretch stretch = stretch_of(key);
  const std::uint32_t sum = sums_[stretch_number(key)];
  if (part.first == stretch.first) {
    const std::uint64_t front = std::min(front_of(stretch), part.count);
    if (sum_of(keys.first(front)) != sum >> 16) return false;
    if (part.count != stretch.count) return true;
    keys = keys.subspan(front);
  }
  return sum_of(keys) == (sum & 0xFFFF);
}

template <typename F>
bool SortedRun<F>::decides(const F& key, const Stretch& part, std::span<const F> keys) const {
  const Stretch stretch = stretch_of(key);
  if (part.count == stretch.count) return true;
  return part.first == stretch.first ? !key_less(keys.back(), key) : !key_less(key, keys.front());
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
  constexpr std::uint64_t kPage = 4096;  // a filter takes whole pages
  const std::uint64_t filter = filter_ ? (filter_->bytes() + kPage - 1) / kPage * kPage : 0;
  return sizeof(SortedRun) + (ranks_.capacity() + sums_.capacity()) * sizeof(std::uint32_t) +
         filter + (held_ ? held_->bytes : 0);
}

template class SortedRun<Fingerprint64>;
template class SortedRun<Fingerprint128>;

}  // namespace spinneret::dedupe
