// SPDX-License-Identifier: Apache-2.0
// What of a page's URL may be told to the target of its links.
#ifndef SPINNERET_HTTP_REFERER_H_
#define SPINNERET_HTTP_REFERER_H_

#include <string>
#include <string_view>

#include "url/parse.h"

namespace spinneret::http {

// Referrer Policy "strict-origin-when-cross-origin": all of `page` (less fragment and user information)
// to its own origin, the origin alone to another one, nothing from https to http. Empty: send none.
std::string referer_for(std::string_view page, const Url& target);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REFERER_H_
