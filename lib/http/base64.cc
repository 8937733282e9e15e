// SPDX-License-Identifier: Apache-2.0
#include "http/base64.h"

#include <cstddef>

namespace spinneret::http {
namespace {

// Writes a character for every `digit` bits. The last group is filled up with zero bits.
std::string encode(std::string_view bytes, const char* alphabet, int digit) {
  const unsigned mask = (1U << digit) - 1;
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= digit; count -= digit)
      out += alphabet[bits >> (count - digit) & mask];
  }
  if (count > 0) out += alphabet[bits << (digit - count) & mask];
  return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out =
      encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::string base64url(std::string_view bytes) {
  return encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6);
}

std::string base32(std::string_view bytes) {
  return encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5);
}

}  // namespace spinneret::http
