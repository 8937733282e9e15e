// SPDX-License-Identifier: Apache-2.0
// Counts a crawl's log in one pass. Memory is bounded for any log: the greatest few entries, the
// first few hundred dead links, 20,000 hosts (all others count as one), and some 20 MB for the last
// outcomes of 500,000 URLs.
//
//   Survey survey;
//   while (next(line)) survey.add(line);
//   page_html(survey, ...);                // page.h
//
// Cost: about 0.5 us a line. Not thread-safe. The survey owns everything that it keeps. Texts are
// kept unescaped and unchecked, so they are hostile input still.
#ifndef SPINNERET_REPORT_SURVEY_H_
#define SPINNERET_REPORT_SURVEY_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/outcome.h"
#include "report/histogram.h"
#include "report/page_log.h"
#include "report/timeline.h"
#include "report/top.h"

namespace spinneret::report {

Kind kind_of(Outcome outcome);
// Whether a link leads nowhere: 404, 410, or no such host or server.
bool is_dead(Outcome outcome);
// Whether a page with this outcome is listed among the other errors.
bool is_other_error(Outcome outcome);

// Returns the origin of a URL, such as "https://example.org:8443".
std::string_view origin_of(std::string_view url);

struct HostTally {
  std::uint64_t pages = 0;    // pages requested
  std::uint64_t errors = 0;   // pages refused or failed
  std::uint64_t answers = 0;  // answers with a known time
  std::uint64_t time_ms = 0;  // sum of these times
  std::uint64_t bytes = 0;    // bytes of content, robots.txt excluded
};

struct NotedPage {
  std::string url;
  std::string via;  // the first page that led there
  std::string error;
  Outcome outcome = Outcome::kOk;
  std::uint32_t status = 0;
};

// A list of the first pages of some kind, in order. A page that succeeds at a later visit is
// removed.
class Listing {
 public:
  void note(const PageLine& page);
  void strike(std::string_view url);
  std::vector<const NotedPage*> pages() const;

 private:
  std::vector<NotedPage> pages_;  // an empty URL marks a removed page
  std::unordered_map<std::string, std::size_t> places_;
  std::string key_;
};

// Upper bounds, in milliseconds, of the bars for response times. One more bar is for longer times.
constexpr std::array<std::int64_t, 15> kTimeBars = {
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10'000, 20'000, 60'000};
constexpr std::uint32_t kMostDepth = 30;  // deeper pages count as this

// Counts by the number of the Outcome.
using OutcomeCounts = std::array<std::uint64_t, 32>;

class Survey {
 public:
  // Adds a line of the log. An invalid line (one that was torn off) counts as unreadable.
  void add(std::string_view line);

  std::uint64_t records = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t asked = 0;      // visits that were not blocked
  std::uint64_t bytes = 0;      // bytes of content: the sum over all hosts
  OutcomeCounts outcomes = {};  // of all visits
  // Number of URLs by the outcome of their last visit, where that was refused, failed or blocked.
  // Only 500,000 URLs are tracked; others count at each visit.
  OutcomeCounts latest = {};
  KindCounts kinds = {};
  Timeline timeline;
  Histogram times;  // response times in milliseconds
  std::array<std::uint64_t, kTimeBars.size() + 1> time_bars = {};
  std::array<std::uint64_t, kMostDepth + 1> depths = {};
  // By media type in lower case; "" for further types.
  std::map<std::string, std::uint64_t, std::less<>> types;
  std::unordered_map<std::string, HostTally> hosts;  // by origin; "" for further hosts
  Listing dead;
  Listing failed;  // other pages refused or failed
  Top<std::string> slowest{20};
  Top<std::string> largest{20};

 private:
  void count_latest(const PageLine& page, Kind kind);
  void count_answer(const PageLine& page);
  void count_type(std::string_view type);
  HostTally& host_of(std::string_view url);

  PageLine page_;
  std::string key_;
  std::unordered_map<std::uint64_t, Outcome> followed_;  // last outcomes, by a hash of the URL
};

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_SURVEY_H_
