// SPDX-License-Identifier: Apache-2.0
// Signs that a URL comes from a site that makes URLs without end. Pure functions over a URL's path and
// query; each tells by the URL alone.
#ifndef SPINNERET_POLICY_TRAP_H_
#define SPINNERET_POLICY_TRAP_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::policy {

// How often `byte` occurs; eight bytes a step.
std::size_t count_byte(std::string_view text, char byte);

// The segments of a path, "/a//b/" having "a", "", "b". Replaces `out`.
void split_segments(std::string_view path, std::vector<std::string_view>& out);
// Their number, without splitting; the empty one behind a last slash is none.
std::size_t count_segments(std::string_view path);

// Whether a run of 1 to `max_period` segments stands `repeats` times in a row: /a/a/a and /a/b/a/b/a/b
// with 3. Numbers alone need twice as many: /0/0/0/1 is a form's answer. Linear in the segments for each
// period.
bool has_repeated_segments(const std::vector<std::string_view>& segments, std::size_t repeats,
                           std::size_t max_period = 4);

// How often the commonest segment occurs, wherever it stands. Empty ones count.
std::size_t commonest_segment(const std::vector<std::string_view>& segments);

std::size_t count_parameters(std::string_view query);
// How often the commonest key occurs: a=1&b=2&a=3 has 2. Stops counting at `enough`.
std::size_t commonest_key(std::string_view query, std::size_t enough);

// Whether path or query carry a session id; only then `path_out` and `query_out` are set, to what they are
// without it.
// What one is, url/params.h says: ;jsessionid=..., /(S(...))/, PHPSESSID, sid with a value that looks like an id.
bool strip_session_ids(std::string_view path, std::string_view query, std::string& path_out,
                       std::string& query_out);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_TRAP_H_
