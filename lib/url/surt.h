// SPDX-License-Identifier: Apache-2.0
// SURT, the sort-friendly URI reordering transform of web archives: hosts with their labels reversed, so
// that sorting brings a domain's pages together.
//
//   http://www.example.com:8080/a?b    com,example,www:8080)/a?b
//   ftp://example.com/a                ftp://(com,example)/a
//   http://192.0.2.1/                  192.0.2.1)/
//
// http and https have one key, but for https at port 80, which has "https://(com,example:80)/". User information is left out. A URL without host is its own key.
#ifndef SPINNERET_URL_SURT_H_
#define SPINNERET_URL_SURT_H_

#include <string>
#include <string_view>

#include "url/parse.h"

namespace spinneret {

// Appends the key of `url`, fragment and all.
void append_surt(std::string& out, const Url& url);

// Appends the URL (of http, where the key has no scheme) whose key `key` is. False: it is no key. Where
// it is one, append_surt of that URL, once parsed, gives the key again, if it is in normal form.
bool append_url_of_surt(std::string& out, std::string_view key);

}  // namespace spinneret

#endif  // SPINNERET_URL_SURT_H_
