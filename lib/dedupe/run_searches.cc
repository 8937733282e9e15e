// SPDX-License-Identifier: Apache-2.0
#include "dedupe/run_searches.h"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstdint>

#include "base/file.h"

namespace spinneret::dedupe {

template <typename F>
Status RunSearches<F>::search(const std::function<void(std::size_t)>& found) {
  // So many keys are read at once: 1 MiB, or the longest stretch, which exceeds this only where
  // keys are not uniform.
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
  // Parts in the page cache are read at once. The disk is asked for all the others before any of
  // them is waited for.
  for (Search& search : searches) {
    search.keys = search.run->held(search.stretch, search.key);
    if (search.keys != nullptr) continue;
    if (Status good = read_at_once(search); !good.ok()) return good;
  }
  for (Search& search : searches) {
    if (search.keys == nullptr) {
      if (Status good = read(search); !good.ok()) return good;
    }
    if (!search.run->decides(search.key, search.part, {search.keys, search.part.count})) {
      search.part = search.stretch;
      if (Status good = read(search); !good.ok()) return good;
    }
    if (std::binary_search(search.keys, search.keys + search.part.count, search.key, key_less<F>)) {
      // A stretch that was read because of a filter's error is not kept, since fresh keys alone
      // would then bring in all stretches.
      search.run->hold(search.stretch, search.key, search.keys);
      found(search.index);
    }
  }
  return {};
}

// While the page cache has had nothing for some time, only every eighth read tries it first: either
// call makes the kernel read, and the second one took a twelfth of all CPU time.
template <typename F>
Status RunSearches<F>::read_at_once(Search& search) {
  constexpr unsigned kCold = 16;
  const int fd = search.run->file().fd();
  const auto offset = static_cast<off_t>(search.run->offset_of(search.part));
  const std::size_t size = search.part.count * sizeof(F);
  if (size == 0) return take(search);  // an fadvise of length 0 would ask for all of the file
  if (missed_ < kCold || missed_ % 8 == 0) {
    iovec into{buffer_.data() + search.at, size};
    if (preadv2(fd, &into, 1, offset, RWF_NOWAIT) == static_cast<ssize_t>(size)) {
      missed_ = 0;
      return take(search);
    }
  }
  ++missed_;
  posix_fadvise(fd, offset, static_cast<off_t>(size), POSIX_FADV_WILLNEED);
  return {};
}

template <typename F>
Status RunSearches<F>::read(Search& search) {
  const RunFile& file = search.run->file();
  const int code = read_at(file.fd(), buffer_.data() + search.at, search.part.count * sizeof(F),
                           search.run->offset_of(search.part));
  return code == 0 ? take(search) : file.cannot("read", code);
}

// Takes the part that was read into the buffer, and checks it.
template <typename F>
Status RunSearches<F>::take(Search& search) {
  search.keys = buffer_.data() + search.at;
  const std::span<const F> keys(search.keys, search.part.count);
  return search.run->is_part(search.key, search.part, keys) ? Status()
                                                            : search.run->file().was_changed();
}

template class RunSearches<Fingerprint64>;
template class RunSearches<Fingerprint128>;

}  // namespace spinneret::dedupe
