// SPDX-License-Identifier: Apache-2.0
// Bytes as one gzip member (RFC 1952), and the checksum of it, which ZIP has, too. Implemented beside the decoder, in decode_zlib.cc.
#ifndef SPINNERET_HTTP_GZIP_H_
#define SPINNERET_HTTP_GZIP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "http/decode.h"

namespace spinneret::http {

// Replaces `out`. False where memory ran out.
bool gzip_member(std::string_view bytes, std::string& out);

// Undoes one member, whose bytes, and maybe more, come piece by piece: an empty one is the end. How many it is of; nothing
// where it is damaged or cut off, or the taker has had enough.
std::optional<std::uint64_t> gunzip_member(const std::function<std::string_view()>& more,
                                           DecodeTaker& taker);

// CRC-32 of what `so_far` is of (0: nothing) and these bytes behind it.
std::uint32_t crc32_of(std::uint32_t so_far, std::string_view bytes);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_GZIP_H_
