// SPDX-License-Identifier: Apache-2.0
// Queries of documents that are not UTF-8 (URL Standard, section 1.3: percent-encode after
// encoding).
#ifndef SPINNERET_URL_QUERY_ENCODING_H_
#define SPINNERET_URL_QUERY_ENCODING_H_

#include <string>
#include <string_view>

#include "url/parse.h"
#include "url/percent.h"

namespace spinneret {

// Appends `text` (valid UTF-8) in the encoder's encoding, with the bytes of `set` escaped. A
// character that the encoding lacks becomes "%26%23N%3B".
void append_query_encoded(std::string& out, std::string_view text, EncodeSet set,
                          const QueryEncoder& encoder);

}  // namespace spinneret

#endif  // SPINNERET_URL_QUERY_ENCODING_H_
