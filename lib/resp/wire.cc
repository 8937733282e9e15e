// SPDX-License-Identifier: Apache-2.0
#include "resp/wire.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace spinneret::resp {
namespace {

constexpr std::size_t kPiece = 16384;
// The most pieces of one call of the system.
constexpr std::size_t kPieces = 64;

// OpenSSL's last message is the cause of the others.
Error tls_error(const std::string& what) {
  std::string why;
  while (const unsigned long code = ERR_get_error()) {
    if (const char* const reason = ERR_reason_error_string(code)) why = reason;
  }
  return Error{what + (why.empty() ? "" : ": " + why)};
}

bool is_address(const std::string& name) {
  in6_addr six{};
  in_addr four{};
  return inet_pton(AF_INET, name.c_str(), &four) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &six) == 1;
}

using Context = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

Result<Context> context_of(const Tls& tls) {
  Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (context == nullptr) return tls_error("TLS");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  const bool known =
      tls.ca.empty() ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                     : SSL_CTX_load_verify_locations(context.get(), tls.ca.c_str(), nullptr) == 1;
  if (!known) return tls_error("cannot read the authorities in " + tls.ca);
  if (!tls.certificate.empty() &&
      SSL_CTX_use_certificate_chain_file(context.get(), tls.certificate.c_str()) != 1)
    return tls_error("cannot read the certificate in " + tls.certificate);
  const std::string& key = tls.key.empty() ? tls.certificate : tls.key;
  if (!key.empty() &&
      SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1)
    return tls_error("cannot read the key in " + key);
  return context;
}

}  // namespace

// The TLS session. OpenSSL would write to a socket without MSG_NOSIGNAL, and wait without a limit.
// So it works on memory, and the wire on the socket.
struct Wire::Session {
  explicit Session(Context its_context)
      : context(std::move(its_context)), ssl(SSL_new(context.get()), SSL_free) {
    in = BIO_new(BIO_s_mem());
    out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl.get(), in, out);
  }
  Context context;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl;
  BIO* in;   // received bytes that were not yet decoded; owned by `ssl`
  BIO* out;  // bytes to be sent; owned by `ssl`
};

Wire::Wire(std::int64_t limit_ms) : limit_ms_(limit_ms) {}
Wire::~Wire() = default;

Result<std::unique_ptr<Wire>> Wire::open(const Host& host, const Tls& tls, std::int64_t limit_ms,
                                         bool& refused) {
  std::unique_ptr<Wire> wire(new Wire(limit_ms));
  if (const Status done = wire->connect(host); !done.ok()) return done.error();
  if (!tls.on) return wire;
  if (const Status done = wire->shake_hands(host, tls, refused); !done.ok()) return done.error();
  return wire;
}

Status Wire::connect(const Host& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code =
      getaddrinfo(host.name.c_str(), std::to_string(host.port).c_str(), &hints, &found);
  if (code != 0) return Error{gai_strerror(code)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  Status done = Error{"has no address"};
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    socket_ = Fd(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_) return system_error("no socket", errno);
    const int one = 1;
    static_cast<void>(setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one));
    if (::connect(socket_.get(), at->ai_addr, at->ai_addrlen) == 0) return {};
    int error = errno;
    if (error == EINPROGRESS) {
      done = wait(POLLOUT);
      if (!done.ok()) continue;
      socklen_t size = sizeof error;
      if (getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
      if (error == 0) return {};
    }
    done = Error{std::generic_category().message(error)};
  }
  return done;
}

Status Wire::shake_hands(const Host& host, const Tls& tls, bool& refused) {
  Result<Context> context = context_of(tls);
  if (!context.ok()) {
    refused = true;
    return context.error();
  }
  session_ = std::make_unique<Session>(context.take());
  SSL* const ssl = session_->ssl.get();
  const bool named =
      is_address(host.name)
          ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.name.c_str()) == 1
          : SSL_set1_host(ssl, host.name.c_str()) == 1 &&
                SSL_set_tlsext_host_name(ssl, host.name.c_str()) == 1;
  if (!named) return tls_error("TLS");
  SSL_set_connect_state(ssl);
  while (true) {
    ERR_clear_error();
    const int code = SSL_do_handshake(ssl);
    const int why = SSL_get_error(ssl, code);
    if (const Status sent = flush(); !sent.ok()) return sent;
    if (code == 1) return {};
    if (why != SSL_ERROR_WANT_READ) {
      const long verdict = SSL_get_verify_result(ssl);
      if (verdict != X509_V_OK) {
        refused = true;
        return Error{std::string("its certificate does not hold: ") +
                     X509_verify_cert_error_string(verdict)};
      }
      return tls_error("TLS");
    }
    if (const Status more = feed(); !more.ok()) return more;
  }
}

Status Wire::wait(short events) {
  pollfd one{socket_.get(), events, 0};
  int ready = 0;
  while ((ready = poll(&one, 1, static_cast<int>(limit_ms_))) < 0 && errno == EINTR) {
  }
  if (ready > 0) return {};
  return ready == 0 ? Error{"does not answer in time"} : system_error("cannot wait", errno);
}

Status Wire::send(std::string_view bytes) { return send_all({&bytes, 1}); }

Status Wire::send_all(std::span<const std::string_view> pieces) {
  std::array<iovec, kPieces> parts;
  std::size_t gone = 0;  // bytes of the first piece that were sent
  while (!pieces.empty()) {
    const std::size_t count = std::min(pieces.size(), parts.size());
    for (std::size_t i = 0; i < count; ++i)
      parts[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
    parts[0] = {const_cast<char*>(pieces[0].data()) + gone, pieces[0].size() - gone};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      gone += static_cast<std::size_t>(sent);
      for (; !pieces.empty() && gone >= pieces[0].size(); pieces = pieces.subspan(1))
        gone -= pieces[0].size();
    } else if (errno == EAGAIN) {
      if (const Status ready = wait(POLLOUT); !ready.ok()) return ready;
    } else if (errno != EINTR) {
      return system_error("cannot send", errno);
    }
  }
  return {};
}

Result<std::size_t> Wire::receive(std::span<char> into) {
  while (true) {
    const ssize_t got = recv(socket_.get(), into.data(), into.size(), 0);
    if (got > 0) return static_cast<std::size_t>(got);
    has_ended_ = got == 0 || errno == ECONNRESET;
    if (got == 0) return Error{"has closed the connection"};
    if (errno == EAGAIN) {
      if (const Status ready = wait(POLLIN); !ready.ok()) return ready.error();
    } else if (errno != EINTR) {
      return system_error("cannot receive", errno);
    }
  }
}

// Sends the bytes that the session has written.
Status Wire::flush() {
  std::array<char, kPiece> piece;
  int count = 0;
  while ((count = BIO_read(session_->out, piece.data(), static_cast<int>(piece.size()))) > 0) {
    const Status sent = send({piece.data(), static_cast<std::size_t>(count)});
    if (!sent.ok()) return sent;
  }
  return {};
}

// Receives more bytes for the session.
Status Wire::feed() {
  std::array<char, kPiece> piece;
  const Result<std::size_t> got = receive(piece);
  if (!got.ok()) return got.error();
  BIO_write(session_->in, piece.data(), static_cast<int>(*got));
  return {};
}

Status Wire::write(std::span<const std::string_view> pieces) {
  if (session_ == nullptr) return send_all(pieces);
  for (const std::string_view piece : pieces) {
    if (const Status sent = encrypt(piece); !sent.ok()) return sent;
  }
  return {};
}

Status Wire::encrypt(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    ERR_clear_error();
    // This writes into memory, so that the piece is taken as a whole or not at all.
    if (SSL_write(session_->ssl.get(), piece.data(), static_cast<int>(piece.size())) <= 0)
      return tls_error("TLS");
    if (const Status sent = flush(); !sent.ok()) return sent;
    bytes.remove_prefix(piece.size());
  }
  return {};
}

Result<std::size_t> Wire::read(std::span<char> into) {
  if (session_ == nullptr) return receive(into);
  while (true) {
    ERR_clear_error();
    const int got = SSL_read(session_->ssl.get(), into.data(), static_cast<int>(into.size()));
    if (got > 0) return static_cast<std::size_t>(got);
    const int why = SSL_get_error(session_->ssl.get(), got);
    if (why == SSL_ERROR_ZERO_RETURN) return Error{"has closed the connection"};
    if (why != SSL_ERROR_WANT_READ) return tls_error("TLS");
    if (const Status sent = flush(); !sent.ok()) return sent.error();
    if (const Status more = feed(); !more.ok()) return more.error();
  }
}

}  // namespace spinneret::resp
