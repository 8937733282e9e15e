// SPDX-License-Identifier: Apache-2.0
// Compresses bytes into one gzip member (RFC 1952), and computes its checksum, which ZIP uses, too. Implemented
// beside the decoder, in decode_zlib.cc.
#ifndef SPINNERET_HTTP_GZIP_H_
#define SPINNERET_HTTP_GZIP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "http/decode.h"

namespace spinneret::http {

// Replaces `out`. Returns false where memory ran out.
bool gzip_member(std::string_view bytes, std::string& out);

// Decompresses one member. `more` gives its bytes, and maybe further ones, piece by piece, and an empty piece at the
// end. Returns how many bytes the member takes; nothing where it is damaged or cut off, or the taker wants no more.
std::optional<std::uint64_t> gunzip_member(const std::function<std::string_view()>& more,
                                           DecodeTaker& taker);

// CRC-32 of some bytes, given the CRC-32 of those in front of them in `so_far` (0: there are none).
std::uint32_t crc32_of(std::uint32_t so_far, std::string_view bytes);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_GZIP_H_
