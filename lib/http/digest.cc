// SPDX-License-Identifier: Apache-2.0
#include "http/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstddef>

#include "base/ascii.h"
#include "base/hash.h"

namespace spinneret {
namespace {

std::string openssl_digest(const EVP_MD* kind, std::string_view bytes) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), out, &size, kind, nullptr);
  return {reinterpret_cast<const char*>(out), size};
}

// RFC 4648 section 6, for a multiple of five bytes.
std::string base32(std::string_view bytes) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 5; count -= 5) out += kAlphabet[bits >> (count - 5) & 31];
  }
  return out;
}

}  // namespace

std::string digest_hex(DigestKind kind, std::string_view bytes) {
  if (kind == DigestKind::kXxh3) return to_hex(hash128(bytes));
  std::string out;
  for (const char c : openssl_digest(EVP_sha256(), bytes)) {
    out += kHexLower[static_cast<unsigned char>(c) >> 4];
    out += kHexLower[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

bool may_be_digest(std::string_view digest, std::string_view bytes) {
  if (digest.size() != 32 && digest.size() != 64) return true;
  if (!std::all_of(digest.begin(), digest.end(), is_hex)) return true;
  const DigestKind kind = digest.size() == 32 ? DigestKind::kXxh3 : DigestKind::kSha256;
  return equals_ignore_case(digest, digest_hex(kind, bytes));
}

std::string warc_digest(std::string_view bytes) {
  return "sha1:" + base32(openssl_digest(EVP_sha1(), bytes));
}

}  // namespace spinneret
