// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/base64.h"
#include "http/redirect.h"
#include "http/request_head.h"
#include "http/request_signer.h"

namespace spinneret::http {
namespace {

// Tests what a request contains, and where a redirect leads.

Url url_of(std::string_view text) {
  Url url;
  EXPECT_TRUE(parse(text, url)) << text;
  return url;
}

TEST(WireUrl, HasNoFragmentAndNoSecret) {
  EXPECT_EQ(wire_url(url_of("http://user:secret@example.com:8080/a?b#c")),
            "http://example.com:8080/a?b");
  EXPECT_EQ(wire_url(url_of("https://example.com:443")), "https://example.com/");
  EXPECT_EQ(wire_url(url_of("http://[2001:DB8::1]/?")), "http://[2001:db8::1]/?");
}

TEST(Validators, OnlyWhatIsAFieldValue) {
  FetchRequest request;
  std::vector<std::string> lines;
  EXPECT_FALSE(add_validators(request, lines));
  request.etag = "\"v1\"\r\nX: y";
  request.last_modified = std::string(4096, 'x');
  EXPECT_FALSE(add_validators(request, lines));
  EXPECT_TRUE(lines.empty());
  request.etag = "W/\"v1\"";
  EXPECT_TRUE(add_validators(request, lines));
  EXPECT_EQ(lines, std::vector<std::string>{"If-None-Match: W/\"v1\""});
}

TEST(Confidences, ToEachOriginItsOwn) {
  const AuthTable auth = AuthTable::parse("https://a.example bearer t\n").take();
  FetchRequest request;
  request.referer = "https://a.example/page#x";
  std::vector<std::string> lines;
  add_confidences(request, url_of("https://a.example/"), auth, lines);
  EXPECT_EQ(lines, (std::vector<std::string>{"Referer: https://a.example/page",
                                             "Authorization: Bearer t"}));
  for (const char* other :
       {"http://a.example/", "https://a.example:8443/", "https://b.a.example/"}) {
    lines.clear();
    add_confidences({}, url_of(other), auth, lines);
    EXPECT_TRUE(lines.empty()) << other;
  }
}

FetchResult redirect_to(std::string_view location) {
  FetchResult result;
  result.outcome = Outcome::kRedirect;
  result.location = location;
  return result;
}

TEST(NextHop, ResolvesWhetherFollowedOrNot) {
  const Url at = url_of("http://example.com/a/b?c");
  Url target;
  FetchResult result = redirect_to("../d#e");
  EXPECT_FALSE(next_hop(at, 0, result, target));
  EXPECT_EQ(result.location, "http://example.com/d#e");
  EXPECT_TRUE(result.error.empty());
  EXPECT_TRUE(next_hop(at, 1, result, target));
  EXPECT_EQ(target.href(), "http://example.com/d#e");
}

TEST(NextHop, SaysWhyNot) {
  const Url at = url_of("http://example.com/");
  Url target;
  FetchResult result = redirect_to("");
  EXPECT_FALSE(next_hop(at, 5, result, target));
  EXPECT_EQ(result.error, "redirect without Location");
  result = redirect_to("http://[");
  EXPECT_FALSE(next_hop(at, 5, result, target));
  EXPECT_EQ(result.location, "http://[");
  EXPECT_TRUE(result.error.starts_with("redirect target is not a URL")) << result.error;
  result = redirect_to("file:///etc/passwd");
  EXPECT_FALSE(next_hop(at, 5, result, target));
  EXPECT_EQ(result.error, "redirect not followed: neither http nor https");
  result = redirect_to("/next");
  result.hops.resize(2);
  EXPECT_FALSE(next_hop(at, 2, result, target));
  EXPECT_EQ(result.error, "more than 2 redirects");
  result.outcome = Outcome::kOk;
  result.error.clear();
  EXPECT_FALSE(next_hop(at, 5, result, target));
  EXPECT_TRUE(result.error.empty());
}

TEST(AllowedOf, KeepsTheOrderAndNamesTheFirstThatIsNot) {
  const std::vector<IpAddress> all = {*parse_ip("10.0.0.1"), *parse_ip("93.184.216.34"),
                                      *parse_ip("::1"), *parse_ip("8.8.8.8")};
  std::string refused;
  const std::vector<IpAddress> allowed = AddressPolicy().allowed_of(all, refused);
  EXPECT_EQ(allowed, (std::vector<IpAddress>{all[1], all[3]}));
  EXPECT_EQ(refused, "10.0.0.1 is private");
}

// The key of RFC 9421, appendix B.1.4.
constexpr std::string_view kTestKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n"
    "-----END PRIVATE KEY-----\n";

TEST(Base64, Rfc4648) {
  const std::pair<std::string_view, std::string_view> rows[] = {{"", ""},
                                                                {"f", "Zg=="},
                                                                {"fo", "Zm8="},
                                                                {"foo", "Zm9v"},
                                                                {"foob", "Zm9vYg=="},
                                                                {"fooba", "Zm9vYmE="},
                                                                {"foobar", "Zm9vYmFy"},
                                                                {"\xFB\xFF", "+/8="}};
  for (const auto& [bytes, text] : rows) EXPECT_EQ(base64(bytes), text);
  EXPECT_EQ(base64url("\xFB\xFF"), "-_8");
  EXPECT_EQ(base32(""), "");
  EXPECT_EQ(base32("fooba"), "MZXW6YTB");
  EXPECT_EQ(base32("f"), "MY");  // without padding
}

// RFC 8032, section 7.1, test 2, with the key in PKCS #8 (RFC 8410).
TEST(Ed25519, Rfc8032) {
  const auto hex = [](std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); i += 2) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
    }
    return out;
  };
  const std::string der =
      hex("302e020100300506032b657004220420"
          "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
  const auto key = Ed25519Key::parse("-----BEGIN PRIVATE KEY-----\n" + base64(der) +
                                     "\n-----END PRIVATE KEY-----\n");
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->public_key(),
            hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"));
  EXPECT_EQ(key->sign("\x72"),
            hex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"));
}

TEST(Ed25519, WhatIsNoKeyIsSaid) {
  for (const std::string_view pem :
       {"", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        "-----BEGIN PUBLIC "
        "KEY-----\nMCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n-----END PUBLIC "
        "KEY-----\n"}) {
    EXPECT_FALSE(Ed25519Key::parse(pem).ok());
  }
}

// The thumbprint is the one that the drafts' examples have for this key.
TEST(RequestSigner, KeyIdAndDirectory) {
  const auto signer = RequestSigner::create(kTestKey, "https://signature-agent.test");
  ASSERT_TRUE(signer.ok());
  EXPECT_EQ(signer->key_id(), "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U");
  EXPECT_EQ(*signing_directory(kTestKey),
            "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"poqkLGiymh_W0uP6PZFw-"
            "dvez3QJT5SolqXBCW38r0U\","
            "\"x\":\"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs\",\"alg\":\"EdDSA\",\"use\":"
            "\"sig\"}]}\n");
}

TEST(RequestSigner, Lines) {
  const auto signer = RequestSigner::create(kTestKey, "https://signature-agent.test");
  Url url;
  ASSERT_TRUE(parse("HTTPS://Example.COM:443/path?q", url));
  std::vector<std::string> lines;
  signer->sign(url, 1735689600, "n", lines);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "Signature-Agent: sig1=\"https://signature-agent.test\"");
  EXPECT_EQ(
      lines[1],
      "Signature-Input: sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;"
      "expires=1735689660;nonce=\"n\";keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg="
      "\"ed25519\";"
      "tag=\"web-bot-auth\"");
  const auto key = Ed25519Key::parse(kTestKey);
  EXPECT_EQ(
      lines[2],
      "Signature: sig1=:" +
          base64(key->sign("\"@authority\": example.com\n"
                           "\"signature-agent\";key=\"sig1\": \"https://signature-agent.test\"\n"
                           "\"@signature-params\": " +
                           lines[1].substr(22))) +
          ":");
}

TEST(RequestSigner, AgentsThatAreNone) {
  for (const std::string_view agent :
       {"", "bot", "http://a/", "https://u@a/", "https://a/#f", "https://"}) {
    EXPECT_FALSE(RequestSigner::create(kTestKey, agent).ok()) << agent;
  }
  EXPECT_FALSE(RequestSigner::create("", "https://a/").ok());
}

TEST(RequestSigner, WhoAsks) {
  const auto asks = [](int status, const std::string& line) {
    HeaderBlock head;
    head.add_line("HTTP/1.1 403 No\r\n" + line);
    head.parse();
    return asks_for_signature(status, head);
  };
  const std::string line = "Accept-Signature: sig1=(\"@authority\");tag=\"web-bot-auth\"\r\n";
  for (const int status : {401, 403, 429}) EXPECT_TRUE(asks(status, line));
  for (const int status : {200, 404, 503}) EXPECT_FALSE(asks(status, line));
  EXPECT_FALSE(asks(403, "Accept-Signature: sig1=(\"@method\");tag=\"other\"\r\n"));
  EXPECT_FALSE(asks(403, ""));
}

TEST(RequestSigner, NoncesDiffer) { EXPECT_NE(fresh_nonce(), fresh_nonce()); }

}  // namespace
}  // namespace spinneret::http
