// SPDX-License-Identifier: Apache-2.0
// Decides where a redirect leads, and whether it may be followed.
#ifndef SPINNERET_HTTP_REDIRECT_H_
#define SPINNERET_HTTP_REDIRECT_H_

#include <cstdint>
#include <vector>

#include "http/fetch.h"
#include "url/parse.h"

namespace spinneret::http {

// Makes the location of a redirect absolute (RFC 9110 section 10.2.2); `at` is the URL that
// answered. Returns true if it is to be followed to `target`, because fewer than `follow` hops were
// made. Otherwise the result stands; where a redirect should have been followed and cannot be,
// result.error says why.
bool next_hop(const Url& at, int follow, FetchResult& result, Url& target);

// Returns whether `target` is `at` again, perhaps but for a session id, which crawls take out of
// links.
bool leads_to_itself(const Url& at, const Url& target);

// Tells whether a redirect leads back to a URL that its trail has passed. If a cookie was set on
// the way, that URL may now have another page. kKnown: this very redirect was seen before, as the
// same step of the same trail.
enum class Circle : std::uint8_t { kNone, kKnown, kBare, kWithCookie };

// Finds redirects that come back, over other URLs, to one on their way. In a crawl each redirect is
// a line of its own, and the one that closes a circle has a target that is known already. Remembers
// some thousand steps, the newest; URLs are compared without session ids.
class RedirectTrail {
 public:
  // Adds a redirect from `from` to `to`; `sets_cookie` says whether it sets a cookie.
  Circle add(const Url& from, const Url& to, bool sets_cookie);

 private:
  struct Step {
    std::uint64_t to = 0;
    std::uint64_t began_at = 0;
    // The number of steps from there, so that a step which is asked for again is no circle.
    std::uint32_t number = 1;
    bool cookie = false;
  };
  std::vector<Step> steps_;  // by `to`; a newer step replaces another in its place
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REDIRECT_H_
