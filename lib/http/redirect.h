// SPDX-License-Identifier: Apache-2.0
// Where a redirect leads, and whether it may be followed.
#ifndef SPINNERET_HTTP_REDIRECT_H_
#define SPINNERET_HTTP_REDIRECT_H_

#include "http/fetch.h"
#include "url/parse.h"

namespace spinneret::http {

// Makes the location of a redirect absolute (RFC 9110 section 10.2.2), `at` being the URL that answered.
// True: it is to be followed to `target`, as fewer than `follow` hops lie behind. False: the result stands
// as it is; where it is a redirect that was to be followed and cannot be, result.error says why.
bool next_hop(const Url& at, int follow, FetchResult& result, Url& target);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REDIRECT_H_
