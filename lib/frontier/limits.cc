// SPDX-License-Identifier: Apache-2.0
#include "frontier/limits.h"

namespace spinneret::frontier {

std::string_view Limits::which() const {
  const auto over = [](std::uint64_t count, std::uint64_t limit) {
    return limit != 0 && count >= limit;
  };
  const std::uint64_t pages = statistics_.pages + flights_.pages();
  if (over(pages, options_.max_pages)) return "max-pages";
  if (over(pages_before_ + pages, options_.max_total_pages)) return "max-total-pages";
  return over(statistics_.bytes, options_.max_bytes) ? "max-bytes" : "";
}

std::int64_t Limits::closed_ms(std::int64_t wall_ms) const {
  if (options_.hours.always()) return 0;
  return wait_for(options_.hours, wall_ms, utc_offset_ms(wall_ms));
}

HostCounts Limits::sums() const {
  HostCounts all = statistics_.all;
  all.pages = pages_before_ + statistics_.pages;
  return all;
}

}  // namespace spinneret::frontier
