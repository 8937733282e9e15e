// SPDX-License-Identifier: Apache-2.0
// Values that hold several URLs, or one among other words.
#ifndef SPINNERET_HTML_SRCSET_H_
#define SPINNERET_HTML_SRCSET_H_

#include <string_view>

namespace spinneret::html {

// Takes the URL of the next image candidate off `rest` (HTML 4.8.4.3.10, "parse a srcset attribute"); false
// where there is none. Commas within a URL belong to it, those at its end do not. `descriptor` becomes what
// stands behind it, trimmed.
bool next_srcset_candidate(std::string_view& rest, std::string_view& url,
                           std::string_view& descriptor);

// The URL of <meta http-equiv=refresh content> or of a Refresh header (HTML 4.2.5.3, "shared declarative
// refresh steps"). False where the value is no refresh; `url` is empty where the page itself is meant.
bool parse_refresh(std::string_view content, std::string_view& url);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_SRCSET_H_
