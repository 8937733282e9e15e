// SPDX-License-Identifier: Apache-2.0
// SURT, the sort-friendly URI reordering transform of web archives: hosts with their labels
// reversed, so that sorting brings a domain's pages together.
//
//   http://www.example.com:8080/a?b    com,example,www:8080)/a?b
//   ftp://example.com/a                ftp://(com,example)/a
//   http://192.0.2.1/                  192.0.2.1)/
//
// http and https have the same key, except https at port 80, which has "https://(com,example:80)/".
// User information is left out. A URL without a host is its own key.
#ifndef SPINNERET_URL_SURT_H_
#define SPINNERET_URL_SURT_H_

#include <string>
#include <string_view>

#include "url/parse.h"

namespace spinneret {

// Appends the key of `url`, including its fragment.
void append_surt(std::string& out, const Url& url);

// Variations of the CDX key that some indexes of web archives use.
struct CdxForm {
  bool scheme = false;   // "http://(com,example)/", for URLs with a host
  bool comma = false;    // "com,example,)/", except for addresses
  bool www = false;      // "www.", "www2." stay
  bool address = false;  // 192.0.2.1 is not reversed
};

// Appends the key by which the CDX and CDXJ indexes of web archives are sorted; that of
// https://user@www2.example.com:443/A//?B=%63#d is "com,example)/a?b=c". The Internet Archive's
// form is used:
// - Letters are lower-case.
// - Escapes are undone as often as there are any; what must be escaped is then escaped once.
// - "www." with or without a number, user, fragment, scheme, default port, an empty query and the
//   last slash are removed.
// - Parameters are sorted; session ids (of 32 and 24 characters) are removed.
//
// A URL without a host is its own key.
void append_cdx_key(std::string& out, const Url& url, const CdxForm& form = {});

// Removes "www." or "www2." from the front, unless nothing would be left.
std::string_view without_www(std::string_view host);
// Appends "a.b.c" as "c,b,a".
void append_reversed_labels(std::string& out, std::string_view host);

// Appends the URL whose key is `key`; its scheme is http where the key has none. Returns false
// where `key` is not a key. append_surt of that URL, once parsed, gives the key again if the key is
// in normal form. `cdx` says that a comma after the host is not part of the host.
bool append_url_of_surt(std::string& out, std::string_view key, bool cdx = false);

}  // namespace spinneret

#endif  // SPINNERET_URL_SURT_H_
