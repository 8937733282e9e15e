// SPDX-License-Identifier: Apache-2.0
// --stats: progress on a terminal, totals at the end, both on standard error.
#ifndef SPINNERET_TOOLS_FETCH_STATS_H_
#define SPINNERET_TOOLS_FETCH_STATS_H_

#include <array>
#include <cstdint>
#include <string>

#include "http/engine.h"

namespace spinneret {

class FetchStats {
 public:
  explicit FetchStats(bool wanted);
  void count(const http::FetchResult& result);
  bool progress() const { return progress_; }
  // Shows progress, at most twice a second.
  void show_progress(const http::EngineStats& engine);
  void summarize(const http::EngineStats& engine);

 private:
  double seconds() const;
  std::string line(const http::EngineStats& engine) const;

  bool wanted_;
  bool progress_;
  std::int64_t started_ns_;
  std::int64_t shown_ns_ = 0;
  std::uint64_t results_ = 0;
  std::uint64_t bytes_ = 0;  // decoded bytes
  std::array<std::uint64_t, 64> by_outcome_{};
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_STATS_H_
