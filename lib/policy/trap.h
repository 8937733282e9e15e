// SPDX-License-Identifier: Apache-2.0
// Signs of a site that generates URLs without end. These are pure functions of a URL's path and
// query.
#ifndef SPINNERET_POLICY_TRAP_H_
#define SPINNERET_POLICY_TRAP_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::policy {

// Returns how often `byte` occurs; takes eight bytes a step.
std::size_t count_byte(std::string_view text, char byte);

// Splits a path into its segments: "/a//b/" has "a", "", "b". Replaces `out`.
void split_segments(std::string_view path, std::vector<std::string_view>& out);
// Returns the number of segments, without splitting. An empty one after the last slash does not
// count.
std::size_t count_segments(std::string_view path);

// Returns whether a run of 1 to `max_period` segments occurs `repeats` times in a row: with 3,
// /a/a/a and /a/b/a/b/a/b are found. Numbers must occur twice as often, since /0/0/0/1 may be the
// answers of a form. Takes linear time in the segments for each period.
bool has_repeated_segments(const std::vector<std::string_view>& segments, std::size_t repeats,
                           std::size_t max_period = 4);

// Returns how often the most frequent segment occurs, anywhere in the path. Empty segments count.
std::size_t commonest_segment(const std::vector<std::string_view>& segments);

std::size_t count_parameters(std::string_view query);
// Returns how often the most frequent key occurs: 2 for a=1&b=2&a=3. Returns 0 where the query has
// too few parameters for any key to occur `enough` times.
std::size_t commonest_key(std::string_view query, std::size_t enough);

// Returns whether path or query contain a session id. If so, sets `path_out` and `query_out` to the
// parts without it. url/params.h defines session ids: ;jsessionid=..., /(S(...))/, PHPSESSID, and
// sid with a value that looks like an id.
bool strip_session_ids(std::string_view path, std::string_view query, std::string& path_out,
                       std::string& query_out);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_TRAP_H_
