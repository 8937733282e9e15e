// SPDX-License-Identifier: Apache-2.0
#include "http/tls_guard.h"

#include <gtest/gtest.h>

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <memory>

namespace spinneret::http {
namespace {

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* connection) const { SSL_free(connection); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

// A client and a server of TLS 1.3 in memory: all that the server writes is there before the client
// reads any of it.
class TlsGuardTest : public testing::Test {
 protected:
  // Ends with a client that has sent its last message, and a server that sends these tickets and a
  // byte of data.
  void connect(TlsGuard& guard, std::size_t tickets) {
    const std::unique_ptr<EVP_PKEY, Free> key(EVP_EC_gen("P-256"));
    const std::unique_ptr<X509, Free> certificate(X509_new());
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    ASSERT_NE(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
    ASSERT_EQ(SSL_CTX_use_certificate(server_context_.get(), certificate.get()), 1);
    ASSERT_EQ(SSL_CTX_use_PrivateKey(server_context_.get(), key.get()), 1);
    ASSERT_EQ(SSL_CTX_set_num_tickets(server_context_.get(), tickets), 1);
    SSL_CTX_set_min_proto_version(server_context_.get(), TLS1_3_VERSION);
    guard.watch(client_context_.get());
    client_.reset(SSL_new(client_context_.get()));
    server_.reset(SSL_new(server_context_.get()));
    BIO* const to_client = BIO_new(BIO_s_mem());
    BIO* const to_server = BIO_new(BIO_s_mem());
    BIO_up_ref(to_client);
    BIO_up_ref(to_server);
    SSL_set_bio(client_.get(), to_client, to_server);
    SSL_set_bio(server_.get(), to_server, to_client);
    SSL_set_connect_state(client_.get());
    SSL_set_accept_state(server_.get());
    for (int i = 0; i < 2; ++i) {
      SSL_do_handshake(client_.get());
      SSL_do_handshake(server_.get());
    }
    ASSERT_EQ(SSL_write(server_.get(), "x", 1), 1);
  }
  int read() {
    char byte = 0;
    return SSL_read(client_.get(), &byte, 1);
  }
  bool is_ended() const { return (SSL_get_shutdown(client_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }

  std::unique_ptr<SSL_CTX, Free> client_context_{SSL_CTX_new(TLS_client_method())};
  std::unique_ptr<SSL_CTX, Free> server_context_{SSL_CTX_new(TLS_server_method())};
  std::unique_ptr<SSL, Free> client_;
  std::unique_ptr<SSL, Free> server_;
};

TEST_F(TlsGuardTest, BugAServerThatSentTicketsFasterThanTheyAreReadWasReadForEver) {
  TlsGuard guard(0);
  connect(guard, 1000);
  EXPECT_LE(read(), 0);
  EXPECT_TRUE(is_ended());
  EXPECT_TRUE(guard.ended());
  guard.begin_turn();
  EXPECT_FALSE(guard.ended());
}

TEST_F(TlsGuardTest, WhoTakesNoTimeIsLeftAlone) {
  TlsGuard guard(INT64_MAX);
  connect(guard, 1000);
  EXPECT_EQ(read(), 1);
  EXPECT_FALSE(is_ended());
  EXPECT_FALSE(guard.ended());
}

TEST_F(TlsGuardTest, AFewRecordsAreNoMatter) {
  TlsGuard guard(0);
  connect(guard, 2);
  EXPECT_EQ(read(), 1);
  for (int i = 0; i < 100; ++i) {
    guard.begin_turn();
    ASSERT_EQ(SSL_write(server_.get(), "x", 1), 1);
    ASSERT_EQ(read(), 1);
  }
  EXPECT_FALSE(is_ended());
}

TEST_F(TlsGuardTest, KnowsWhatWasAgreedOn) {
  TlsGuard guard;
  const auto choose = [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char*,
                         unsigned, void* name) {
    *out = static_cast<const unsigned char*>(name) + 1;
    *size = *static_cast<const unsigned char*>(name);
    return SSL_TLSEXT_ERR_OK;
  };
  const unsigned char offered[] = "\x02h2\x08http/1.1";
  SSL_CTX_set_alpn_protos(client_context_.get(), offered, sizeof offered - 1);
  unsigned char h2[] = "\x02h2";
  SSL_CTX_set_alpn_select_cb(server_context_.get(), choose, h2);
  connect(guard, 2);
  EXPECT_TRUE(TlsGuard::is_http2(client_.get()));
  unsigned char http1[] = "\x08http/1.1";
  SSL_CTX_set_alpn_select_cb(server_context_.get(), choose, http1);
  connect(guard, 2);
  EXPECT_FALSE(TlsGuard::is_http2(client_.get()));
}

}  // namespace
}  // namespace spinneret::http
