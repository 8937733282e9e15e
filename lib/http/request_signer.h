// SPDX-License-Identifier: Apache-2.0
// Web Bot Auth: requests signed with a crawler's own key, so that servers know who asks whatever address it comes from.
// HTTP Message Signatures (RFC 9421) as draft-ietf-webbotauth-httpsig-protocol-00 (September 2026) profiles them; before
// it, draft-meunier-web-bot-auth-architecture-05. Signature-Agent is a dictionary there, of which the member with the
// signature's label is signed; the bare string of the first drafts is not sent:
//
//   Signature-Agent: sig1="https://bot.example"
//   Signature-Input: sig1=("@authority" "signature-agent";key="sig1");created=1700000000;expires=1700000060;
//                    nonce="...";keyid="...";alg="ed25519";tag="web-bot-auth"
//   Signature: sig1=:...:
//
// A signature is of one request to one host, and holds for a minute. keyid is the JWK thumbprint of the public key
// (RFC 7638, RFC 8037 appendix A.3), which the agent's URL publishes under /.well-known/http-message-signatures-directory.
// Thread-safe.
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

// Whether a URL can name who signs: an https one, without user information and fragment.
bool is_signature_agent(std::string_view agent);

class RequestSigner {
 public:
  // `agent`: see is_signature_agent().
  static Result<RequestSigner> create(std::string_view pem, std::string_view agent);

  // Adds the three lines for a request of `url`, made now. `nonce` never comes twice.
  void sign(const Url& url, std::int64_t unix_seconds, std::string_view nonce,
            std::vector<std::string>& lines) const;

  const std::string& key_id() const { return key_id_; }

 private:
  RequestSigner(Ed25519Key key, std::string agent);

  Ed25519Key key_;
  std::string agent_;
  std::string key_id_;
};

// The JSON Web Key Set to be published for a key in PEM (media type application/http-message-signatures-directory+json).
Result<std::string> signing_directory(std::string_view pem);

// Base64url of 128 bits of the kernel's random source.
std::string fresh_nonce();

// Whether an answer asks for the request again, signed so (RFC 9421, section 5): 401, 403 or 429 with Accept-Signature
// and the tag of Web Bot Auth.
bool asks_for_signature(int status, const HeaderBlock& head);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_REQUEST_SIGNER_H_
