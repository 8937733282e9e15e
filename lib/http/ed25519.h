// SPDX-License-Identifier: Apache-2.0
// Ed25519 signatures (RFC 8032). They are implemented in digest.cc, beside the digests, so that
// only one file uses libcrypto.
#ifndef SPINNERET_HTTP_ED25519_H_
#define SPINNERET_HTTP_ED25519_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret::http {

// A private key. Copies share it; const use is thread-safe.
class Ed25519Key {
 public:
  // Reads PEM without a pass phrase, as `openssl genpkey -algorithm ed25519` writes it. An Error
  // reveals nothing of the key.
  static Result<Ed25519Key> parse(std::string_view pem);
  const std::string& public_key() const { return public_; }  // 32 bytes
  // Returns 64 bytes; takes some 40 µs. Throws as operator new does where memory runs out, and
  // fails for no other reason.
  std::string sign(std::string_view bytes) const;

 private:
  std::shared_ptr<void> key_;
  std::string public_;
};

// Returns the 32 bytes of SHA-256.
std::string sha256(std::string_view bytes);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_ED25519_H_
