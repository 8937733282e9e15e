// SPDX-License-Identifier: Apache-2.0
#include "http/request_signer.h"

#include <utility>

#include "base/ascii.h"
#include "base/hash.h"
#include "http/base64.h"

namespace spinneret::http {
namespace {

constexpr std::int64_t kLifeSeconds = 60;
constexpr std::string_view kTag = "web-bot-auth";

// Returns the JWK thumbprint: a digest of the required members, in the order of RFC 7638, section
// 3.2, without white space.
std::string thumbprint(const std::string& public_key) {
  return base64url(sha256(R"({"crv":"Ed25519","kty":"OKP","x":")" + base64url(public_key) + "\"}"));
}

// RFC 9421, section 2.2.3: lower case, and no port that is the scheme's own.
std::string authority_of(const Url& url) {
  std::string out(url.host());
  if (url.has_port()) out.append(":").append(url.port_text());
  return out;
}

}  // namespace

bool is_signature_agent(std::string_view agent) {
  Url url;
  return parse(agent, url) && url.scheme() == "https" && !url.has_fragment() &&
         url.username().empty() && url.password().empty();
}

RequestSigner::RequestSigner(Ed25519Key key, std::string agent)
    : key_(std::move(key)), agent_(std::move(agent)), key_id_(thumbprint(key_.public_key())) {}

Result<RequestSigner> RequestSigner::create(std::string_view pem, std::string_view agent) {
  Url url;
  if (!is_signature_agent(agent) || !parse(agent, url)) {
    return Error{"the agent is an https URL whose host publishes the key"};
  }
  Result<Ed25519Key> key = Ed25519Key::parse(pem);
  if (!key.ok()) return key.error();
  // "https://bot.example" is sent as it was given: readers that compare text would take a path "/"
  // for another name. No URL that was parsed like this has a character that a quoted string (RFC
  // 9651, section 3.3.3) would have to escape, once it is normalised.
  const bool bare = url.path_and_query() == "/" && !agent.ends_with('/');
  return RequestSigner(key.take(), bare ? url.origin() : std::string(url.href()));
}

void RequestSigner::sign(const Url& url, std::int64_t unix_seconds, std::string_view nonce,
                         std::vector<std::string>& lines) const {
  const std::string agent = "\"" + agent_ + "\"";
  std::string parameters = "(\"@authority\" \"signature-agent\";key=\"sig1\")";
  parameters += ";created=" + std::to_string(unix_seconds);
  parameters += ";expires=" + std::to_string(unix_seconds + kLifeSeconds);
  parameters.append(";nonce=\"").append(nonce).append("\";keyid=\"").append(key_id_);
  parameters.append("\";alg=\"ed25519\";tag=\"").append(kTag).append("\"");
  // RFC 9421, section 2.5.
  const std::string signature = key_.sign("\"@authority\": " + authority_of(url) +
                                          "\n\"signature-agent\";key=\"sig1\": " + agent +
                                          "\n\"@signature-params\": " + parameters);
  lines.push_back("Signature-Agent: sig1=" + agent);
  lines.push_back("Signature-Input: sig1=" + parameters);
  lines.push_back("Signature: sig1=:" + base64(signature) + ":");
}

Result<std::string> signing_directory(std::string_view pem) {
  const Result<Ed25519Key> key = Ed25519Key::parse(pem);
  if (!key.ok()) return key.error();
  return R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":")" + thumbprint(key->public_key()) +
         R"(","x":")" + base64url(key->public_key()) + R"(","alg":"EdDSA","use":"sig"}]})" + "\n";
}

std::string fresh_nonce() {
  const std::uint64_t seeds[] = {random_seed(), random_seed()};
  return base64url({reinterpret_cast<const char*>(seeds), sizeof seeds});
}

bool asks_for_signature(int status, const HeaderBlock& head) {
  if (status != 401 && status != 403 && status != 429) return false;
  for (const HeaderBlock::Field& field : head.fields()) {
    if (equals_ignore_case(field.name, "accept-signature") &&
        field.value.find(kTag) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace spinneret::http
