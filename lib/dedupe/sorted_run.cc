// SPDX-License-Identifier: Apache-2.0
#include "dedupe/sorted_run.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dedupe/temporary_file.h"

namespace spinneret {

// Reads a run from its start, a block at a time.
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
  Status status() const {
    return error_code_ == 0 ? Status() : system_error("cannot read a temporary file", error_code_);
  }

 private:
  static constexpr std::uint64_t kBlockKeys = (std::uint64_t{256} << 10) / sizeof(F);

  bool fill() {
    const std::uint64_t count = std::min(kBlockKeys, run_->size_ - read_);
    buffer_.resize(count);
    at_ = 0;
    if (count != 0 && error_code_ == 0) {
      error_code_ =
          read_at(run_->file_.get(), buffer_.data(), count * sizeof(F), read_ * sizeof(F));
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
Result<SortedRun<F>> SortedRun<F>::write(const std::string& folder,
                                         const std::function<Status(const Visit&)>& each) {
  Result<Fd> file = open_temporary(folder);
  if (!file.ok()) return file.error();
  SortedRun run;
  run.file_ = file.take();
  BufferedAppender out(run.file_.get());
  F last{};
  const Status read = each([&](const F& key) {
    if (same_key(key, last)) return;
    last = key;
    if (run.size_++ % kPageKeys == 0) run.fences_.push_back(key);
    out.append({reinterpret_cast<const char*>(&key), sizeof key});
  });
  if (!read.ok()) return read.error();
  if (const int code = out.finish(); code != 0) {
    return system_error("cannot write a temporary file in " + folder, code);
  }
  return run;
}

template <typename F>
Result<SortedRun<F>> SortedRun<F>::merge(const std::string& folder, std::vector<SortedRun> runs) {
  return write(folder, [&](const Visit& visit) -> Status {
    struct Head {
      F key;
      Cursor cursor;
    };
    std::vector<Head> heads;
    heads.reserve(runs.size());
    for (const SortedRun& run : runs) heads.push_back({F{}, Cursor(run)});
    std::erase_if(heads, [](Head& head) { return !head.cursor.next(head.key); });
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
}

template <typename F>
Status SortedRun<F>::contains(const F& key, bool& found) const {
  found = false;
  const auto after = std::upper_bound(fences_.begin(), fences_.end(), key, key_less<F>);
  if (after == fences_.begin()) return {};
  const auto first = static_cast<std::uint64_t>(after - fences_.begin() - 1) * kPageKeys;
  const std::uint64_t count = std::min(kPageKeys, size_ - first);
  std::array<F, kPageKeys> page;
  if (const int code = read_at(file_.get(), page.data(), count * sizeof(F), first * sizeof(F));
      code != 0) {
    return system_error("cannot read a temporary file", code);
  }
  found = std::binary_search(page.data(), page.data() + count, key, key_less<F>);
  return {};
}

template <typename F>
Status SortedRun<F>::for_each(const Visit& visit) const {
  Cursor cursor(*this);
  for (F key; cursor.next(key);) visit(key);
  return cursor.status();
}

template class SortedRun<Fingerprint64>;
template class SortedRun<Fingerprint128>;

}  // namespace spinneret
