// SPDX-License-Identifier: Apache-2.0
// The reasons why a URL's canonical form differs from how it was written, as names between commas.
#ifndef SPINNERET_URL_EXPLAIN_H_
#define SPINNERET_URL_EXPLAIN_H_

#include <string>
#include <string_view>

#include "url/normalize.h"

namespace spinneret {

// Appends what the parser did to `input`, the last URL that `normalizer` was given, such as
// "scheme-case,port,dot-segments", and then the steps that changed something (steps.h).
//
// The parser's changes are:
//
//   space         white space or controls were dropped
//   resolved      a relative URL was resolved against the base
//   scheme-case, host-case, backslash, idna, address, empty-path, dot-segments, escaped
//   slashes       there were too many or too few after the scheme
//   userinfo      it, or the password, was empty
//   host          it had escapes
//   port          it was the default, empty, or had leading zeros
//   drive-letter  the path of a file URL had "C|"
//
// A URL that changed has at least one name.
void append_explanation(std::string& out, std::string_view input, const Normalizer& normalizer);

}  // namespace spinneret

#endif  // SPINNERET_URL_EXPLAIN_H_
