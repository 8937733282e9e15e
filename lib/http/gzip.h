// SPDX-License-Identifier: Apache-2.0
// Bytes as one gzip member (RFC 1952). Implemented beside the decoder, in decode_zlib.cc.
#ifndef SPINNERET_HTTP_GZIP_H_
#define SPINNERET_HTTP_GZIP_H_

#include <string>
#include <string_view>

namespace spinneret {

// Replaces `out`. False where memory ran out.
bool gzip_member(std::string_view bytes, std::string& out);

}  // namespace spinneret

#endif  // SPINNERET_HTTP_GZIP_H_
