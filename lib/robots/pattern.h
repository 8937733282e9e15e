// SPDX-License-Identifier: Apache-2.0
// Brings rule paths and URL paths into the form in which they are compared octet by octet (RFC
// 9309, section 2.2.2).
//
//   escape of an unreserved character     undone          %7E -> ~   %62 -> b
//   escape of a reserved character        kept, upper     %2f -> %2F, which is not "/"
//   any other escape                      kept, upper     %3c -> %3C
//   byte that no URL may contain          escaped         < -> %3C, space -> %20, é -> %C3%A9
//   "*" and "$" of a URL                  escaped         * -> %2A   $ -> %24
//   "*" and the last "$" of a rule        special, kept; any other "$" is escaped
//   "%" that begins no escape             kept
//   escaped apostrophe                    undone          %27 -> '
//   backslash in a rule's path            a slash         \a -> /a, as in URLs; %5C in a query
//
// The last two are needed because URLs are written as the URL Standard writes them: a rule and a
// URL with the same text must match. In a URL's path "*" and "$" are therefore always escaped, and
// a rule's %2A and %24 mean the characters. "//" and dot segments are left alone.
#ifndef SPINNERET_ROBOTS_PATTERN_H_
#define SPINNERET_ROBOTS_PATTERN_H_

#include <string>
#include <string_view>

#include "robots/parse.h"

namespace spinneret::robots {

// Returns the comparable form of a URL's path and query (without fragment): a view of `path` where
// nothing changes, else of `storage`. An empty path, or one that begins with '?', gets its slash.
// kGoogle changes nothing else; k1994 undoes every escape but %2F.
std::string_view comparable_path(std::string_view path, RobotsMode mode, std::string& storage);

// Appends the comparable form of a rule's value. kGoogle escapes non-ASCII bytes and writes escapes
// in upper case; k1994 treats the value as a path.
void append_comparable_pattern(std::string& out, std::string_view value, RobotsMode mode);

// Returns the path and query of a URL, or of a line that is a path itself, without parsing it as a
// URL ("path;params?query", or "/" where there is none). google mode needs exactly this function,
// since its verdicts depend on it.
std::string_view google_path(std::string_view url, std::string& storage);

// Returns whether a comparable pattern matches a comparable path, found in the obvious way; takes
// O(pattern * path) at worst. The compiled RuleSet is tested against it.
bool slow_pattern_match(std::string_view pattern, std::string_view path);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_PATTERN_H_
