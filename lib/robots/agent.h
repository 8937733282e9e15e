// SPDX-License-Identifier: Apache-2.0
// Whom a `User-agent` line addresses (RFC 9309, section 2.2.1).
#ifndef SPINNERET_ROBOTS_AGENT_H_
#define SPINNERET_ROBOTS_AGENT_H_

#include <cstdint>
#include <string_view>

#include "robots/parse.h"

namespace spinneret::robots {

enum class Address : std::uint8_t { kOther, kEveryone, kAgent };

// What a User-agent line of this value is to `agent`, a product token as its owner writes it.
//
// kRfc: the whole value is compared, without case, and then the value up to its first byte outside
// [A-Za-z0-9_-], or with `strict_token` outside the RFC's [A-Za-z_-]. Real bots have digits in
// their names. "*", and "*" with anything behind white space, is everyone. kGoogle: the value up to
// its first byte outside [A-Za-z_-]. k1994: the value occurs in the agent's name, without case.
Address address_of(std::string_view value, std::string_view agent, RobotsMode mode,
                   bool strict_token = false);

// What google/robotstxt compares of an agent's name: its callers hand it the token alone
// ("IsValidUserAgentToObey"); a name with a space it compares as it is, and finds nowhere.
std::string_view google_agent(std::string_view agent);

// "*" as above, in all modes but k1994.
bool is_everyone(std::string_view value);

// The part of `value` that can be a product token; see above.
std::string_view product_token(std::string_view value, bool strict_token);

// The product token by which the owner of a crawler of this name is addressed: "GPTBot" of "GPTBot/1.1",
// of "GPTBot (+https://...)" and of "Mozilla/5.0 ... (compatible; GPTBot/1.1; ...)". A name with bytes that
// no token has, such as "go!zilla", is compared as a whole and stays. With `strict_token` what such a
// User-agent line is cut to. Empty where none can be told: a browser's line that names no crawler.
std::string_view crawler_token(std::string_view name, bool strict_token);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_AGENT_H_
