// SPDX-License-Identifier: Apache-2.0
// Where a redirect leads, and whether it may be followed.
#ifndef SPINNERET_HTTP_REDIRECT_H_
#define SPINNERET_HTTP_REDIRECT_H_

#include <cstdint>
#include <vector>

#include "http/fetch.h"
#include "url/parse.h"

namespace spinneret::http {

// Makes the location of a redirect absolute (RFC 9110 section 10.2.2); `at` is the URL that answered. Returns true if
// it is to be followed to `target`, since fewer than `follow` hops lie behind. Otherwise the result stands; where a
// redirect should have been followed and cannot be, result.error says why.
bool next_hop(const Url& at, int follow, FetchResult& result, Url& target);

// Whether `target` is `at` again, or but for a session id, which crawls take out of links.
bool leads_to_itself(const Url& at, const Url& target);

// Whether a redirect leads back to where its trail has been. With a cookie that was set on the way, what was asked for
// without it may be another page by now. kKnown: this very redirect was there before, as the same step of the same trail.
enum class Circle : std::uint8_t { kNone, kKnown, kBare, kWithCookie };

// Redirects that come back, over other URLs, to one on their way. In a crawl each of them is a line of its own, and
// whoever sends the last finds its target known. Remembers some thousand steps, the newest; URLs count without session ids.
class RedirectTrail {
 public:
  // `from` has redirected to `to`, and `sets_cookie` or not.
  Circle add(const Url& from, const Url& to, bool sets_cookie);

 private:
  struct Step {
    std::uint64_t to = 0;
    std::uint64_t began_at = 0;
    std::uint32_t number =
        1;  // of the steps from there, so that one that is asked for again is no circle
    bool cookie = false;
  };
  std::vector<Step> steps_;  // by `to`; a newer one takes the place of another
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REDIRECT_H_
