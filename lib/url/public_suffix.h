// SPDX-License-Identifier: Apache-2.0
// The public suffix list (https://publicsuffix.org/, by libpsl): where one site's names end and another's
// begin.
#ifndef SPINNERET_URL_PUBLIC_SUFFIX_H_
#define SPINNERET_URL_PUBLIC_SUFFIX_H_

#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret {

// "www.example.co.uk" -> "example.co.uk". `host` is as Url::host() gives it (lower-case, Punycode). A
// public suffix, a single label and an IP address are their own registrable domain. The view is into
// `host`. Thread-safe.
std::string_view registrable_domain(std::string_view host);

// Goes by the list in this file, such as publicsuffix.org's own, instead of the system's or libpsl's. To be called ahead of
// all threads and of the first lookup.
Status use_public_suffix_list(const std::string& file);

}  // namespace spinneret

#endif  // SPINNERET_URL_PUBLIC_SUFFIX_H_
