// SPDX-License-Identifier: Apache-2.0
// The record's escapes, for large values: 16 bytes at a step, into a buffer or straight into a Sink.
//
// A body of 32 KB with a line end every 40 bytes takes 3 µs here, and 30 µs byte by byte.
#ifndef SPINNERET_IO_ESCAPE_H_
#define SPINNERET_IO_ESCAPE_H_

#include <cstddef>
#include <string_view>

#include "io/sink.h"

namespace spinneret {

// Writes `value` escaped to `out`, which has room for escaped_room(value.size()) bytes, and returns the
// bytes used; what lies behind them is garbage.
std::size_t escape_to(char* out, std::string_view value);
constexpr std::size_t escaped_room(std::size_t size) { return 2 * size + 16; }

// Writes `raw` with its escapes undone to `out`, which has room for raw.size() + 16 bytes, and returns the
// bytes used. An unknown escape, and a backslash at the end, stand as they are.
std::size_t unescape_to(char* out, std::string_view raw);

// Writes `value` escaped. The sink's capacity is at least 1 KiB.
void write_escaped(Sink& sink, std::string_view value);

}  // namespace spinneret

#endif  // SPINNERET_IO_ESCAPE_H_
