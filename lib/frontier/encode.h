// SPDX-License-Identifier: Apache-2.0
// The bytes of keys and rows: big-endian integers, which sort as numbers do, varints (LEB128), and
// byte strings behind their length. Decoding takes from the front of a view and never reads beyond
// it: input that is cut short gives zeros and sets `bad`.
#ifndef SPINNERET_FRONTIER_ENCODE_H_
#define SPINNERET_FRONTIER_ENCODE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::frontier {

// The low `bytes` bytes of `value`, most significant first.
inline void put_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>(static_cast<unsigned char>(value >> shift));
  }
}

inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(static_cast<unsigned char>(value | 0x80));
    value >>= 7;
  }
  out += static_cast<char>(static_cast<unsigned char>(value));
}

inline void put_bytes(std::string& out, std::string_view bytes) {
  put_varint(out, bytes.size());
  out += bytes;
}

struct Decoder {
  std::string_view rest;
  bool bad = false;

  std::uint64_t big_endian(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | byte();
    return value;
  }
  std::uint8_t byte() {
    if (rest.empty()) {
      bad = true;
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(rest.front());
    rest.remove_prefix(1);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t part = byte();
      value |= static_cast<std::uint64_t>(part & 0x7F) << shift;
      if ((part & 0x80) == 0) return value;
    }
    bad = true;
    return 0;
  }
  // A time or a span. A damaged row may hold any number: one with which sums could overflow sets
  // `bad`.
  std::int64_t milliseconds() {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
    const std::uint64_t value = varint();
    if (value > kMost) bad = true;
    return bad ? 0 : static_cast<std::int64_t>(value);
  }
  // The view is into the decoded bytes.
  std::string_view bytes() {
    const std::uint64_t size = varint();
    if (size > rest.size()) {
      bad = true;
      rest = {};
      return {};
    }
    const std::string_view value = rest.substr(0, static_cast<std::size_t>(size));
    rest.remove_prefix(static_cast<std::size_t>(size));
    return value;
  }
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_ENCODE_H_
