// SPDX-License-Identifier: Apache-2.0
// Counts by kind over time, in at most 200 spans of equal length. The spans begin small; whenever
// the crawl outgrows them, pairs of spans are joined. A time of ten minutes or more without pages
// (the crawl was stopped and resumed) is cut out and kept as a pause. Time does not go back when
// the wall clock is set back.
#ifndef SPINNERET_REPORT_TIMELINE_H_
#define SPINNERET_REPORT_TIMELINE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spinneret::report {

// The kinds under which outcomes are shown.
enum class Kind : std::uint8_t { kFetched, kRedirected, kRefused, kFailed, kBlocked };
constexpr std::size_t kKinds = 5;
using KindCounts = std::array<std::uint64_t, kKinds>;

class Timeline {
 public:
  struct Pause {
    std::int64_t at_ms;  // position in the time spent crawling
    std::int64_t length_ms;
  };

  // Adds a page. Must be called in the order of the log.
  void add(std::int64_t wall_ms, Kind kind);

  std::int64_t width_ms() const { return width_ms_; }
  const std::vector<KindCounts>& spans() const { return spans_; }
  const std::vector<Pause>& pauses() const { return pauses_; }  // at most 20
  std::int64_t crawling_ms() const { return active_ms_; }       // without the pauses
  // Whether the crawl lasted long enough for a rate: three pages within a millisecond are not 3,000
  // a second.
  bool has_rate() const { return active_ms_ >= 1000; }
  std::int64_t first_wall_ms() const { return first_wall_ms_; }
  std::int64_t last_wall_ms() const { return last_wall_ms_; }
  // Returns the pages a second, without blocked ones, of the best span of a second or more.
  double peak_per_second() const;

 private:
  std::int64_t width_ms_ = 20;
  std::vector<KindCounts> spans_;
  std::vector<Pause> pauses_;
  std::int64_t active_ms_ = 0;
  std::int64_t first_wall_ms_ = 0;
  std::int64_t last_wall_ms_ = 0;
};

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_TIMELINE_H_
