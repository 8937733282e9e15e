// SPDX-License-Identifier: Apache-2.0
// Where a redirect leads, and whether it may be followed.
#ifndef SPINNERET_HTTP_REDIRECT_H_
#define SPINNERET_HTTP_REDIRECT_H_

#include "http/fetch.h"
#include "url/parse.h"

namespace spinneret::http {

// Makes the location of a redirect absolute (RFC 9110 section 10.2.2); `at` is the URL that answered. Returns true if
// it is to be followed to `target`, since fewer than `follow` hops lie behind. Otherwise the result stands; where a
// redirect should have been followed and cannot be, result.error says why.
bool next_hop(const Url& at, int follow, FetchResult& result, Url& target);

// Whether the result of `at` is a redirect that next_hop() has resolved to `target`, and that is `at` again, or but for a
// session id, which crawls take out of links.
bool redirects_to_itself(const Url& at, const FetchResult& result, const Url& target);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REDIRECT_H_
