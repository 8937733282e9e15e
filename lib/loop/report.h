// SPDX-License-Identifier: Apache-2.0
// What a state knows, as records and as text for people.
#ifndef SPINNERET_LOOP_REPORT_H_
#define SPINNERET_LOOP_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "frontier/frontier.h"
#include "frontier/inspect.h"
#include "io/record.h"

namespace spinneret::loop {

// A URL: state, depth, priority, via, added, visited, due, visits, failures, interval, status, etag,
// last-modified, digest, error, its own fields; `outcome` where it is settled. Times in seconds.
// `scratch` holds bytes that `out` refers to.
void url_record(std::string_view url, const frontier::UrlRow& row, std::string& scratch,
                Record& out);
// Reads what url_record() wrote.
frontier::UrlRow row_of(std::string_view line);

// A host: waiting, done, error, blocked, pages, visits, bytes, delay, crawl-delay, next, ip, failures,
// finished.
void host_record(const frontier::HostEntry& host, const frontier::Options& options, Record& out);
// Adds what a crawl needs to be as polite when it goes on elsewhere.
void add_pace(const frontier::HostRow& row, Record& out);
// Reads what politeness needs from a host's record, without the counts of URLs. Nothing where the line is not a
// host's record.
std::optional<frontier::HostRow> host_row_of(std::string_view line, std::int64_t wall_ms);

// The classic line of an index, "URL realm state": state is 0 for waiting, 2 for an error, 3 for blocked, and
// otherwise the time of the last visit.
std::string classic_line(std::string_view url, std::string_view realm, const frontier::UrlRow& row);

// What policy and robots.txt say about a URL, one line each, taken from the record that their --explain leaves.
std::string judgement(std::string_view judged);
// Everything about a URL, one line each, and why it is waiting.
std::string explanation(const frontier::FoundUrl& found, const frontier::Options& options,
                        std::int64_t wall_ms);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_REPORT_H_
