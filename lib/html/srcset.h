// SPDX-License-Identifier: Apache-2.0
// Parses values that hold several URLs, or a URL among other words.
#ifndef SPINNERET_HTML_SRCSET_H_
#define SPINNERET_HTML_SRCSET_H_

#include <string_view>

namespace spinneret::html {

// Takes the next image candidate off `rest` (HTML 4.8.4.3.10, "parse a srcset attribute") and gives
// its URL. Returns false if there is none. Commas inside a URL belong to it, those at its end do
// not. `descriptor` becomes the trimmed text behind the URL.
bool next_srcset_candidate(std::string_view& rest, std::string_view& url,
                           std::string_view& descriptor);

// Gives the URL of <meta http-equiv=refresh content> or of a Refresh header (HTML 4.2.5.3, "shared
// declarative refresh steps"). Returns false if the value is not a refresh. `url` is empty if the
// page refreshes itself.
bool parse_refresh(std::string_view content, std::string_view& url);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_SRCSET_H_
