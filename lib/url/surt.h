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

// What of a CDX key is otherwise than the indexes of web archives have it.
struct CdxForm {
  bool scheme = false;   // "http://(com,example)/", of URLs with a host
  bool comma = false;    // "com,example,)/", but for addresses
  bool www = false;      // "www.", "www2." stay
  bool address = false;  // 192.0.2.1 is not turned round
};

// Appends the key by which the CDX and CDXJ indexes of web archives are sorted: "com,example)/a?b=c" of
// https://user@www2.example.com:443/A//?B=%63#d. As the Internet Archive writes them: letters small, escapes undone
// again and again, what must be escaped then once; "www." with or without number, user, fragment, scheme, default port,
// an empty query and the last slash gone; parameters sorted; session ids (of 32 and 24 characters) gone. A URL without host
// is its own key.
void append_cdx_key(std::string& out, const Url& url, const CdxForm& form = {});

// Without "www." or "www2." in front of it, where that is not all of it.
std::string_view without_www(std::string_view host);
// "a.b.c" as "c,b,a".
void append_reversed_labels(std::string& out, std::string_view host);

// Appends the URL (of http, where the key has no scheme) whose key `key` is. False: it is no key. Where
// it is one, append_surt of that URL, once parsed, gives the key again, if it is in normal form. `cdx`: a comma behind the host is none
// of the URL.
bool append_url_of_surt(std::string& out, std::string_view key, bool cdx = false);

}  // namespace spinneret

#endif  // SPINNERET_URL_SURT_H_
