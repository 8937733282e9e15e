// SPDX-License-Identifier: Apache-2.0
#include "http/tls_guard.h"

#include <openssl/ssl.h>
#include <ctime>

namespace spinneret::http {
namespace {

// Processor time, unlike clock time, does not advance while the process is stopped.
std::int64_t processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void TlsGuard::watch(void* context) {
  auto* const ctx = static_cast<SSL_CTX*>(context);
  SSL_CTX_set_msg_callback(ctx, on_piece);
  SSL_CTX_set_msg_callback_arg(ctx, this);
}

bool TlsGuard::is_http2(const void* connection) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(static_cast<const SSL*>(connection), &name, &size);
  return size == 2 && name[0] == 'h' && name[1] == '2';
}

void TlsGuard::pause() {
  if (measures()) paused_ns_ = processor_ns();
}

void TlsGuard::resume() {
  if (measures()) since_ns_ += processor_ns() - paused_ns_;
}

// A callback cannot report a failure, but OpenSSL drops all input of a connection that is marked as
// closed.
void TlsGuard::on_piece(int written, int, int, const void*, std::size_t, SSL* connection,
                        void* self) {
  auto& guard = *static_cast<TlsGuard*>(self);
  if (written != 0) return;
  if (guard.connection_ != connection) {
    guard.connection_ = connection;
    guard.pieces_ = 0;
  }
  if (++guard.pieces_ % kPiecesPerLook != 0) return;
  const std::int64_t now_ns = processor_ns();
  if (guard.pieces_ == kPiecesPerLook) guard.since_ns_ = now_ns;
  if (now_ns - guard.since_ns_ < guard.most_ns_) return;
  guard.ended_ = true;
  SSL_set_shutdown(connection, SSL_get_shutdown(connection) | SSL_RECEIVED_SHUTDOWN);
}

}  // namespace spinneret::http
