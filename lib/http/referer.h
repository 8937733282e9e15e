// SPDX-License-Identifier: Apache-2.0
// Decides how much of a page's URL is shown to the target of one of its links.
#ifndef SPINNERET_HTTP_REFERER_H_
#define SPINNERET_HTTP_REFERER_H_

#include <string>
#include <string_view>

#include "url/parse.h"

namespace spinneret::http {

// Applies the Referrer Policy "strict-origin-when-cross-origin": a target of the same origin sees
// all of `page` except its fragment and user information, another origin sees the origin alone, and
// an http target sees nothing of an https page. An empty result means that no Referer is sent.
std::string referer_for(std::string_view page, const Url& target);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REFERER_H_
