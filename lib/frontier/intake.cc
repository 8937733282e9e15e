// SPDX-License-Identifier: Apache-2.0
#include "frontier/intake.h"

namespace spinneret::frontier {

Offer Intake::offer(const Candidate& candidate, UrlError* why) {
  if (!parse(candidate.url, url_, why)) return Offer::kNotUrl;
  if (!url_.is_http()) return Offer::kNotHttp;
  if (candidate.depth > options_.max_depth && !is_checked(candidate.depth)) {
    ++statistics_.too_deep;
    return Offer::kTooDeep;
  }
  if (options_.partitions != nullptr) {
    if (!parts_) parts_.emplace(*options_.partitions);
    elsewhere_ = parts_->of_host(url_.host());
    if (elsewhere_ != options_.partition) return Offer::kElsewhere;
  }
  admission_.stage(candidate, cut_url(url_, rest_));
  return Offer::kStaged;
}

void Intake::admit(std::int64_t wall_ms) {
  admission_.take_sealed(
      hosts_, store_, [&](Admission::Entry& entry) { backlog_.admit(entry, wall_ms); },
      [&](const Admission::Entry& entry, std::string_view row) {
        ++statistics_.known;
        known_urls_.improve(entry, row, wall_ms);
      },
      [&](const Admission::Entry& entry, std::string_view key) {
        backlog_.store(entry, key, wall_ms);
      });
  statistics_.known += admission_.repeats();
}

}  // namespace spinneret::frontier
