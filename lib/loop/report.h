// SPDX-License-Identifier: Apache-2.0
// The content of a state, as records and as text for people.
#ifndef SPINNERET_LOOP_REPORT_H_
#define SPINNERET_LOOP_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frontier/frontier.h"
#include "frontier/inspect.h"
#include "io/record.h"

namespace spinneret::loop {

// Makes the record of a URL: its state, times, visits and failures, its last answer, and its own
// fields; `outcome` where it is settled. Times are in seconds. The names are in
// spinneret-record(7). `out` refers to bytes in `scratch`.
void url_record(std::string_view url, const frontier::UrlRow& row, std::string& scratch,
                Record& out);
// Parses a line of url_record().
frontier::UrlRow row_of(std::string_view line);

// Makes the record of a host: its URLs by state, pages, bytes, delays and gaps, when it is asked
// next, and why it is held or finished.
void host_record(const frontier::HostEntry& host, const frontier::Options& options, Record& out);
// Adds the fields that let a crawl go on elsewhere as politely as here.
void add_pace(const frontier::HostRow& row, Record& out);
// Parses what politeness needs from a host's record, without the counts of URLs. Returns nothing if
// the line is not a host's record.
std::optional<frontier::HostRow> host_row_of(std::string_view line, std::int64_t wall_ms);

// Returns the classic line of an index, "URL realm state". The state is 0 for waiting, 2 for an
// error, 3 for blocked, and otherwise the time of the last visit.
std::string classic_line(std::string_view url, std::string_view realm, const frontier::UrlRow& row);

// Returns what policy and robots.txt say about a URL, one line each, from the record that --explain
// of their tools prints.
std::string judgement(std::string_view judged);
// Returns everything about a URL, one line each, including why it is waiting.
std::string explanation(const frontier::FoundUrl& found, const frontier::Options& options,
                        std::int64_t wall_ms);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_REPORT_H_
