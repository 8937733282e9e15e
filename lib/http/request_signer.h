// SPDX-License-Identifier: Apache-2.0
// Web Bot Auth: a crawler signs requests with its own key, so that servers can tell who asks, from
// whatever address. These are HTTP Message Signatures (RFC 9421) as
// draft-ietf-webbotauth-httpsig-protocol-00 (September 2026) profiles them, which succeeds
// draft-meunier-web-bot-auth-architecture-05. Signature-Agent is a dictionary there, and the member
// with the signature's label is signed; the bare string of the first drafts is not sent:
//
//   Signature-Agent: sig1="https://bot.example"
//   Signature-Input: sig1=("@authority" "signature-agent";key="sig1");created=1700000000;
//                    expires=1700000060;nonce="...";keyid="...";alg="ed25519";tag="web-bot-auth"
//   Signature: sig1=:...:
//
// A signature covers one request to one host, and is valid for a minute. keyid is the JWK
// thumbprint of the public key (RFC 7638, RFC 8037 appendix A.3), which the agent's URL publishes
// under /.well-known/http-message-signatures-directory. Thread-safe.
#ifndef SPINNERET_HTTP_REQUEST_SIGNER_H_
#define SPINNERET_HTTP_REQUEST_SIGNER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/ed25519.h"
#include "http/header_block.h"
#include "url/parse.h"

namespace spinneret::http {

// Returns whether a URL can name the signer: it must be https, without user information and
// fragment.
bool is_signature_agent(std::string_view agent);

class RequestSigner {
 public:
  // `agent`: see is_signature_agent().
  static Result<RequestSigner> create(std::string_view pem, std::string_view agent);

  // Adds the three fields to a request for `url` that is sent now. A `nonce` must not be used
  // twice.
  void sign(const Url& url, std::int64_t unix_seconds, std::string_view nonce,
            std::vector<std::string>& lines) const;

  const std::string& key_id() const { return key_id_; }

 private:
  RequestSigner(Ed25519Key key, std::string agent);

  Ed25519Key key_;
  std::string agent_;
  std::string key_id_;
};

// Returns the JSON Web Key Set to publish for a key in PEM (media type
// application/http-message-signatures-directory+json).
Result<std::string> signing_directory(std::string_view pem);

// Returns 128 bits of the kernel's random source in base64url.
std::string fresh_nonce();

// Returns whether an answer asks for the same request with such a signature (RFC 9421, section 5):
// 401, 403 or 429 with Accept-Signature and the tag of Web Bot Auth.
bool asks_for_signature(int status, const HeaderBlock& head);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REQUEST_SIGNER_H_
