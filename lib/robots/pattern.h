// SPDX-License-Identifier: Apache-2.0
// Rule paths and URL paths, brought to the one form in which they are compared octet by octet
// (RFC 9309, section 2.2.2).
//
//   escape of an unreserved character     undone          %7E -> ~   %62 -> b
//   escape of a reserved one              kept, upper     %2f -> %2F, and is not "/"
//   any other escape                      kept, upper     %3c -> %3C
//   byte that no URL may hold             escaped         < -> %3C, space -> %20, é -> %C3%A9
//   "*" and "$" of a URL                  escaped         * -> %2A   $ -> %24
//   "*" and the last "$" of a rule        special, kept; any other "$" is escaped
//   "%" that begins no escape             kept
//   escaped apostrophe                    undone          %27 -> '
//   backslash in a rule's path            a slash         \a -> /a, as in URLs; %5C in a query
//
// The last two because URLs come as the URL Standard writes them: a rule and a URL of one text meet.
// So in a URL's path "*" and "$" never stand as such, and a rule's %2A and %24 mean the characters.
// "//" and dot segments are not touched.
#ifndef SPINNERET_ROBOTS_PATTERN_H_
#define SPINNERET_ROBOTS_PATTERN_H_

#include <string>
#include <string_view>

#include "robots/parse.h"

namespace spinneret::robots {

// The comparable form of a URL's path and query (no fragment). A view of `path` where nothing needs
// to change, else of `storage`. An empty path, or one that begins with '?', gets its slash.
// kGoogle: as it is. k1994: every escape but %2F undone.
std::string_view comparable_path(std::string_view path, RobotsMode mode, std::string& storage);

// The comparable form of a rule's value, appended to `out`. kGoogle: non-ASCII bytes escaped,
// escapes in upper case. k1994: as a path.
void append_comparable_pattern(std::string& out, std::string_view value, RobotsMode mode);

// The path and query of a URL, or of a line that is a path itself, without parsing it as a URL: for
// google mode, whose verdicts stand on this very function ("path;params?query", "/" where there is
// none).
std::string_view google_path(std::string_view url, std::string& storage);

// Whether a comparable pattern matches a comparable path: the obvious way, in time O(pattern *
// path) at worst. The compiled RuleSet is tested against this.
bool slow_pattern_match(std::string_view pattern, std::string_view path);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_PATTERN_H_
