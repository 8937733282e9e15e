// SPDX-License-Identifier: Apache-2.0
// What made a URL's canonical form differ from how it was written, as names between commas.
#ifndef SPINNERET_URL_EXPLAIN_H_
#define SPINNERET_URL_EXPLAIN_H_

#include <string>
#include <string_view>

#include "url/normalize.h"

namespace spinneret {

// Appends what the parser did to `input`, the URL that `normalizer` was given last, such as
// "scheme-case,port,dot-segments", and then the steps that changed something (steps.h).
//
// The parser's changes are: space (white space and controls dropped), resolved, scheme-case, backslash, slashes (too
// many or too few behind the scheme), userinfo (it, or the password, was empty), host-case, idna, address, host (it
// had escapes), port (default, empty or with leading zeros), empty-path, dot-segments, drive-letter (C| in the path
// of a file URL), escaped. A URL that changed has at least one name.
void append_explanation(std::string& out, std::string_view input, const Normalizer& normalizer);

}  // namespace spinneret

#endif  // SPINNERET_URL_EXPLAIN_H_
