// SPDX-License-Identifier: Apache-2.0
// Digests of bodies. The default is XXH3-128: it takes 0.1 ns a byte, and guards against accidents,
// but not against a server that wants two pages to collide. SHA-256 guards against that, too (0.7
// ns a byte with SHA instructions, 3 without).
#ifndef SPINNERET_HTTP_DIGEST_H_
#define SPINNERET_HTTP_DIGEST_H_

#include <memory>
#include <string>
#include <string_view>

namespace spinneret::http {

enum class DigestKind { kXxh3, kSha256 };

// Returns lower-case hexadecimal: 32 digits of XXH3-128, 64 of SHA-256.
std::string digest_hex(DigestKind kind, std::string_view bytes);

// Computes the same digest of bytes that come in pieces.
class BodyDigest {
 public:
  explicit BodyDigest(DigestKind kind);
  ~BodyDigest();
  BodyDigest(BodyDigest&&) noexcept;
  BodyDigest& operator=(BodyDigest&&) noexcept;
  void update(std::string_view bytes);
  // Returns the digest of all bytes since the beginning or the last reset().
  std::string hex();
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns whether `digest`, as records have it, can be the digest of `bytes`. 32 digits are
// compared as XXH3-128, 64 as SHA-256; anything else cannot be checked and counts as possible.
bool may_be_digest(std::string_view digest, std::string_view bytes);

// Returns "sha1:" and 32 letters of base32, as WARC readers expect it (WARC 1.1, section 5.8).
std::string warc_digest(std::string_view bytes);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_DIGEST_H_
