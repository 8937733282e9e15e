// SPDX-License-Identifier: Apache-2.0
// Counts a crawl's log in one pass. Memory is bounded, whatever the log holds: the greatest few entries, the first
// few hundred dead links, 20,000 hosts (the others count as one), and some 20 MB for what 500,000 URLs came to.
//
//   Survey survey;
//   while (next(line)) survey.add(line);
//   page_html(survey, ...);                // page.h
//
// Cost: about 0.5 us a line. Not thread-safe. It owns all that it keeps. Texts are kept unescaped, as hostile as they
// came.
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
// A link that leads nowhere: 404, 410, or no such host or server.
bool is_dead(Outcome outcome);
// Whether a page with this outcome is listed among the other errors.
bool is_other_error(Outcome outcome);

// Returns "https://example.org:8443" for a URL there.
std::string_view origin_of(std::string_view url);

struct HostTally {
  std::uint64_t pages = 0;    // asked for
  std::uint64_t errors = 0;   // refused or failed
  std::uint64_t answers = 0;  // with a time
  std::uint64_t time_ms = 0;  // summed over them
  std::uint64_t bytes = 0;    // of their content; a robots.txt is none
};

struct NotedPage {
  std::string url;
  std::string via;  // the first page that led there
  std::string error;
  Outcome outcome = Outcome::kOk;
  std::uint32_t status = 0;
};

// A list of the first pages of some kind, in order. A page that succeeds at a later visit is removed.
class Listing {
 public:
  void note(const PageLine& page);
  void strike(std::string_view url);
  std::vector<const NotedPage*> pages() const;

 private:
  std::vector<NotedPage> pages_;  // without a URL: removed
  std::unordered_map<std::string, std::size_t> places_;
  std::string key_;
};

// Upper bounds, in milliseconds, of the bars for response times. A last bar is for longer times.
constexpr std::array<std::int64_t, 15> kTimeBars = {
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10'000, 20'000, 60'000};
constexpr std::uint32_t kMostDepth = 30;  // what lies deeper counts as this

// By the number of an Outcome.
using OutcomeCounts = std::array<std::uint64_t, 32>;

class Survey {
 public:
  // Adds a line of the log. A line that is not one (it was torn off) is counted as such.
  void add(std::string_view line);

  std::uint64_t records = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t asked = 0;      // not blocked
  std::uint64_t bytes = 0;      // of content: what the hosts' tallies add up to
  OutcomeCounts outcomes = {};  // of all visits
  // URLs by what their last visit came to, where that was refused, failed or blocked: those of further URLs than are followed
  // count at each visit.
  OutcomeCounts latest = {};
  KindCounts kinds = {};
  Timeline timeline;
  Histogram times;  // of answers, in milliseconds
  std::array<std::uint64_t, kTimeBars.size() + 1> time_bars = {};
  std::array<std::uint64_t, kMostDepth + 1> depths = {};
  std::map<std::string, std::uint64_t, std::less<>>
      types;                                         // media type in lower case; "" for the rest
  std::unordered_map<std::string, HostTally> hosts;  // by origin; "" for the rest
  Listing dead;
  Listing failed;  // refused or failed otherwise
  Top<std::string> slowest{20};
  Top<std::string> largest{20};

 private:
  void count_latest(const PageLine& page, Kind kind);
  void count_answer(const PageLine& page);
  void count_type(std::string_view type);
  HostTally& host_of(std::string_view url);

  PageLine page_;
  std::string key_;
  std::unordered_map<std::uint64_t, Outcome> followed_;  // by a hash of the URL
};

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_SURVEY_H_
