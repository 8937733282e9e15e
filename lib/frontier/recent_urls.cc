// SPDX-License-Identifier: Apache-2.0
#include "frontier/recent_urls.h"

#include <algorithm>
#include <bit>

#include "frontier/huge_pages.h"

namespace spinneret::frontier {
namespace {

constexpr std::size_t kFirstLines = 64;

}  // namespace

RecentUrls::RecentUrls(std::size_t most_bytes)
    : lines_(kFirstLines, huge_pages()),
      shift_(64 - std::countr_zero(kFirstLines)),
      most_lines_(std::max(std::bit_floor(most_bytes / sizeof(Line)), kFirstLines)) {}

void RecentUrls::add(HostId host, std::uint64_t fingerprint, std::uint32_t depth) {
  if (depth > kMostDepth) return;
  const std::uint64_t hash = hash_of(host, fingerprint);
  if (lines_.size() < most_lines_ && used_ >= lines_.size() * 5) grow();
  put((hash & ~kDepthMask) | (depth + 1));
}

void RecentUrls::put(std::uint64_t word) {
  Line& line = lines_[line_of(word)];
  std::uint64_t* free = nullptr;
  for (std::uint64_t& each : line.words) {
    if (each == 0) {
      if (free == nullptr) free = &each;
    } else if ((each ^ word) >> kDepthBits == 0) {
      each = word;
      return;
    }
  }
  if (free == nullptr) {
    free = &line.words[turn_++ % line.words.size()];
  } else {
    ++used_;
  }
  *free = word;
}

void RecentUrls::grow() {
  std::pmr::vector<Line> old(lines_.size() * 2, huge_pages());
  old.swap(lines_);
  --shift_;
  used_ = 0;
  for (const Line& line : old) {
    for (const std::uint64_t word : line.words) {
      if (word != 0) put(word);
    }
  }
}

}  // namespace spinneret::frontier
