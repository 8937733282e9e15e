// SPDX-License-Identifier: Apache-2.0
// What a state knows, as records and for people.
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
// And back, for what url_record wrote.
frontier::UrlRow row_of(std::string_view line);

// A host: waiting, done, error, blocked, pages, visits, bytes, delay, crawl-delay, next, ip, failures,
// finished.
void host_record(const frontier::HostEntry& host, const frontier::Options& options, Record& out);
// Adds what a crawl that goes on elsewhere needs to be as polite there.
void add_pace(const frontier::HostRow& row, Record& out);
// And back: what politeness needs of it, without the counts of its URLs. Nothing where the line is no record of
// a host.
std::optional<frontier::HostRow> host_row_of(std::string_view line, std::int64_t wall_ms);

// The classic line of an index: "URL realm state", state being 0 for what waits, 2 for an error, 3 for what
// is blocked, else the time of the last visit.
std::string classic_line(std::string_view url, std::string_view realm, const frontier::UrlRow& row);

// What policy and robots.txt say of a URL, a line each, from its record as their --explain leaves it.
std::string judgement(std::string_view judged);
// Everything about a URL, a line each, and why it waits.
std::string explanation(const frontier::FoundUrl& found, const frontier::Options& options,
                        std::int64_t wall_ms);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_REPORT_H_
