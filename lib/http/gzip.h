// SPDX-License-Identifier: Apache-2.0
// Bytes as one gzip member (RFC 1952), and the checksum of it, which ZIP has, too. Implemented beside the decoder, in decode_zlib.cc.
#ifndef SPINNERET_HTTP_GZIP_H_
#define SPINNERET_HTTP_GZIP_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret {

// Replaces `out`. False where memory ran out.
bool gzip_member(std::string_view bytes, std::string& out);

// CRC-32 of what `so_far` is of (0: nothing) and these bytes behind it.
std::uint32_t crc32_of(std::uint32_t so_far, std::string_view bytes);

}  // namespace spinneret

#endif  // SPINNERET_HTTP_GZIP_H_
