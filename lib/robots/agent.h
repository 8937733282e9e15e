// SPDX-License-Identifier: Apache-2.0
// Tells whom a `User-agent` line addresses (RFC 9309, section 2.2.1).
#ifndef SPINNERET_ROBOTS_AGENT_H_
#define SPINNERET_ROBOTS_AGENT_H_

#include <cstdint>
#include <string_view>

#include "robots/parse.h"

namespace spinneret::robots {

enum class Address : std::uint8_t { kOther, kEveryone, kAgent };

// Returns what a User-agent line with this value means for `agent`, a product token as its owner
// writes it.
//
// - kRfc compares the whole value, without case, and then the value up to its first byte outside
//   [A-Za-z0-9_-], since real bots have digits in their names; with `strict_token` it is cut at the
//   first byte outside the RFC's [A-Za-z_-]. "*", alone or followed by white space and any text, is
//   everyone.
// - kGoogle compares the value up to its first byte outside [A-Za-z_-]. "*" is as in kRfc.
// - k1994 tests whether the value occurs in the agent's name, without case.
Address address_of(std::string_view value, std::string_view agent, RobotsMode mode,
                   bool strict_token = false);

// Returns the part of an agent's name that google/robotstxt compares. Its callers pass the token
// alone ("IsValidUserAgentToObey"); a name with a space is compared as it is, and never found.
std::string_view google_agent(std::string_view agent);

// Returns whether the value is "*" as above, in all modes but k1994.
bool is_everyone(std::string_view value);

// Returns the part of `value` that can be a product token, as above.
std::string_view product_token(std::string_view value, bool strict_token);

// Returns the product token that addresses a crawler with this name: "GPTBot" for "GPTBot/1.1", for
// "GPTBot (+https://...)" and for "Mozilla/5.0 ... (compatible; GPTBot/1.1; ...)". A name with
// bytes that no token has, such as "go!zilla", is compared as a whole and stays. With
// `strict_token` it is cut as such a User-agent line is. Returns "" where no token can be told, as
// for the name of a browser.
std::string_view crawler_token(std::string_view name, bool strict_token);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_AGENT_H_
