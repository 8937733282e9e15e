// SPDX-License-Identifier: Apache-2.0
// Compresses bytes into one gzip member (RFC 1952), and computes its checksum, which ZIP uses, too.
// Implemented beside the decoder, in decode_zlib.cc.
#ifndef SPINNERET_HTTP_GZIP_H_
#define SPINNERET_HTTP_GZIP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "http/decode.h"

namespace spinneret::http {

// Replaces `out` by the member. Returns false where memory ran out.
bool gzip_member(std::string_view bytes, std::string& out);

// Decompresses one member. `more` gives its bytes, and maybe further ones, piece by piece, and an
// empty piece at the end. Returns how many bytes the member takes; nothing where it is damaged or
// cut off, or the taker wants no more.
std::optional<std::uint64_t> gunzip_member(const std::function<std::string_view()>& more,
                                           DecodeTaker& taker);

// Returns the CRC-32 of a text that ends with `bytes`; `so_far` is the CRC-32 of the text before
// them (0: there is none).
std::uint32_t crc32_of(std::uint32_t so_far, std::string_view bytes);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_GZIP_H_
