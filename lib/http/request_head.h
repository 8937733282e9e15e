// SPDX-License-Identifier: Apache-2.0
// The part of a request that differs from one to the next: the URL on the wire and some header
// fields.
#ifndef SPINNERET_HTTP_REQUEST_HEAD_H_
#define SPINNERET_HTTP_REQUEST_HEAD_H_

#include <string>
#include <vector>

#include "http/auth.h"
#include "http/fetch.h"
#include "url/parse.h"

namespace spinneret::http {

// Returns the URL without its fragment and user information, which servers are not to see.
std::string wire_url(const Url& url);

// Adds If-None-Match and If-Modified-Since to `lines`. A value that cannot be a field's value
// (empty, 4 KiB or more, or with control bytes) is left out. Returns whether the request is now
// conditional.
bool add_validators(const FetchRequest& request, std::vector<std::string>& lines);
// Adds Referer and Authorization, as far as `url` may be sent them.
void add_confidences(const FetchRequest& request, const Url& url, const AuthTable& auth,
                     std::vector<std::string>& lines);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REQUEST_HEAD_H_
