// SPDX-License-Identifier: Apache-2.0
// What one request says of its own: the URL on the wire and the header fields that are not the same for
// all requests.
#ifndef SPINNERET_HTTP_REQUEST_HEAD_H_
#define SPINNERET_HTTP_REQUEST_HEAD_H_

#include <string>
#include <vector>

#include "http/auth.h"
#include "http/fetch.h"
#include "url/parse.h"

namespace spinneret::http {

// The URL without fragment and without user information, which no server is to see.
std::string wire_url(const Url& url);

// If-None-Match and If-Modified-Since, into `lines`. A value that is no field value (empty, over 4 KiB,
// with control bytes) is not sent. Returns whether the request is conditional now.
bool add_validators(const FetchRequest& request, std::vector<std::string>& lines);
// Referer and Authorization, as far as `url` may have them.
void add_confidences(const FetchRequest& request, const Url& url, const AuthTable& auth,
                     std::vector<std::string>& lines);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REQUEST_HEAD_H_
