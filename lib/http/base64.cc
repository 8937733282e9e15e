// SPDX-License-Identifier: Apache-2.0
#include "http/base64.h"

#include <cstddef>

namespace spinneret::http {
namespace {

std::string encode(std::string_view bytes, const char* alphabet) {
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) out += alphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) out += alphabet[bits << (6 - count) & 63];
  return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out =
      encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::string base64url(std::string_view bytes) {
  return encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}

}  // namespace spinneret::http
