// SPDX-License-Identifier: Apache-2.0
// Imports what another state has exported.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/excerpt.h"
#include "base/moment.h"
#include "frontier/politeness.h"
#include "frontier/upkeep.h"
#include "io/record.h"
#include "loop/enquiry.h"
#include "loop/report.h"
#include "report/quantity.h"

namespace spinneret::loop {

using frontier::UrlRow;

namespace {

// Counts hosts that must be left alone for longer than any server may ask for, because of a long
// --delay, or of a wrong record.
class LongWaits {
 public:
  void add(std::string_view url, const frontier::HostRow& row) {
    if (row.wait_ms <= frontier::Politeness().retry_after_cap_ms) return;
    ++hosts_;
    if (row.next_wall_ms <= until_ms_) return;
    until_ms_ = row.next_wall_ms;
    longest_ = url;
  }
  void tell(cli::Tool& tool) const {
    if (hosts_ == 0) return;
    tool.notice(report::count_text(hosts_, "host") +
                " will be left alone for more than a day, as next= of their records says: " +
                excerpt(longest_) + " until " + utc_text(until_ms_ / 1000));
  }

 private:
  std::uint64_t hosts_ = 0;
  std::int64_t until_ms_ = 0;
  std::string longest_;
};

}  // namespace

int import_urls(const Enquiry& in) {
  Result<frontier::Upkeep> upkeep = frontier::Upkeep::open(in.store);
  if (!upkeep.ok()) return in.tool.trouble(upkeep.message());
  const std::int64_t now_ms = in.clock.unix_ms();
  std::string_view line;
  std::uint64_t taken = 0;
  LongWaits waits;
  while (in.tool.next(line)) {
    if (line.empty()) continue;
    if (const auto host = host_row_of(line, now_ms)) {
      if (upkeep->import_host(record_url(line), *host)) {
        waits.add(record_url(line), *host);
      } else {
        in.tool.refuse("is not an http URL", record_url(line));
      }
      continue;
    }
    // No visit may be later than now: a page visited in the year 5138 would not be visited again
    // before then.
    UrlRow row = row_of(line);
    for (std::int64_t* const moment : {&row.added_ms, &row.last_ms, &row.compared_ms})
      *moment = std::min(*moment, now_ms);
    const Result<bool> is_new = upkeep->import(record_url(line), row);
    if (!is_new.ok()) return in.tool.trouble(is_new.message());
    if (*is_new) {
      ++taken;
    } else {
      in.tool.refuse("is known, or not an http URL", record_url(line));
    }
  }
  if (const Status done = upkeep->commit(); !done.ok()) return in.tool.trouble(done.message());
  in.tool.notice(std::to_string(taken) + " URLs taken in");
  waits.tell(in.tool);
  return 0;
}

}  // namespace spinneret::loop
