// SPDX-License-Identifier: Apache-2.0
#include "loop/live_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/number.h"

namespace spinneret::loop {
namespace {

constexpr std::size_t kMostGuests = 32;
constexpr std::size_t kMostHead = std::size_t{8} << 10;
constexpr std::size_t kMostBody = 1024;
constexpr std::size_t kMostUnread = std::size_t{8} << 20;
constexpr std::int64_t kRequestMs = 10'000;

std::int64_t now_ms() { return system_clock().monotonic_ns() / 1'000'000; }

std::string_view phrase_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 303: return "See Other";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    case 431: return "Request Header Fields Too Large";
    default: return "Internal Server Error";
  }
}

// Makes the head of a response. Other hosts learn nothing about the page (its address may hold the
// token). With "no-referrer", browsers would send the origin "null" even with our own forms.
std::string head_of(const LiveAnswer& answer) {
  std::string out = "HTTP/1.1 " + std::to_string(answer.status) + ' ';
  out += phrase_of(answer.status);
  out += "\r\nContent-Type: " + answer.type + "\r\nContent-Security-Policy: " + answer.policy +
         "; frame-ancestors 'none'\r\nReferrer-Policy: same-origin\r\nX-Content-Type-Options: "
         "nosniff\r\n"
         "Cache-Control: no-store\r\nConnection: close\r\n";
  if (!answer.location.empty()) out += "Location: " + answer.location + "\r\n";
  if (!answer.stream) out += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  return out + "\r\n";
}

// Takes a field of the head. Returns 0, or the status that refuses the request.
int take_field(std::string_view line, LiveRequest& out, std::size_t& length) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return 400;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trim(line.substr(colon + 1));
  if (name.find_first_of(" \t") != std::string_view::npos) return 400;
  if (equals_ignore_case(name, "transfer-encoding")) return 400;
  if (equals_ignore_case(name, "host")) {
    if (!out.host.empty()) return 400;
    out.host = value;
  }
  if (equals_ignore_case(name, "origin")) out.origin = value;
  if (!equals_ignore_case(name, "content-length")) return 0;
  const auto said = parse_unsigned(value);
  if (!said) return 400;
  if (*said > kMostBody) return 413;
  length = static_cast<std::size_t>(*said);
  return 0;
}

}  // namespace

int parse_live_request(std::string_view bytes, LiveRequest& out) {
  out = {};
  const std::size_t end = bytes.substr(0, kMostHead).find("\r\n\r\n");
  if (end == std::string_view::npos) return bytes.size() < kMostHead ? -1 : 431;
  // Each line but the first ends in "\r" here.
  std::string_view head = bytes.substr(0, end + 1);
  std::string_view first = cut(head, '\n');
  if (!first.ends_with('\r')) return 400;
  first.remove_suffix(1);
  out.method = cut(first, ' ');
  std::string_view target = cut(first, ' ');
  if (!first.starts_with("HTTP/1.") || !target.starts_with('/')) return 400;
  out.path = cut(target, '?');
  out.query = target;
  std::size_t length = 0;
  while (!head.empty()) {
    std::string_view line = cut(head, '\n');
    if (!line.ends_with('\r')) return 400;
    line.remove_suffix(1);
    if (const int refused = take_field(line, out, length); refused != 0) return refused;
  }
  const std::string_view body = bytes.substr(end + 4);
  if (body.size() < length) return -1;
  out.body = body.substr(0, length);
  return 0;
}

Result<LiveServer> LiveServer::open(std::uint16_t port, Handler handler) {
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener) return system_error("cannot make a socket", errno);
  const int yes = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  if (::bind(listener.get(), address, size) != 0 || ::listen(listener.get(), 16) != 0 ||
      ::getsockname(listener.get(), address, &size) != 0) {
    return system_error("cannot listen on 127.0.0.1:" + std::to_string(port), errno);
  }
  return LiveServer(std::move(listener), ntohs(at.sin_port), std::move(handler));
}

bool LiveServer::has_streams() const {
  return std::any_of(guests_.begin(), guests_.end(), [](const Guest& each) { return each.stream; });
}

void LiveServer::publish(std::string_view name, std::string_view text) {
  std::string event = "event: " + std::string(name) + "\n";
  do event.append("data: ").append(cut(text, '\n')).append("\n");
  while (!text.empty());
  event += '\n';
  for (Guest& guest : guests_) {
    if (guest.stream) guest.out += event;
  }
}

// Refuses a page that reached this port by another host name, and GETs from another origin. A form
// is accepted from any origin, since a proxy's page has another one; without the token it controls
// nothing.
bool LiveServer::is_ours(const LiveRequest& request) const {
  const std::string port = ':' + std::to_string(port_);
  for (const char* const name : {"127.0.0.1", "localhost"}) {
    const std::string host = name + port;
    if (request.host == host)
      return request.origin.empty() || request.origin == "http://" + host ||
             request.method == "POST";
  }
  return false;
}

void LiveServer::answer(Guest& guest, int refusal, const LiveRequest& request) {
  LiveAnswer made;
  if (refusal == 0 && !is_ours(request)) refusal = 403;
  if (refusal == 0) {
    made = handler_(request);
  } else {
    made.status = refusal;
  }
  if (made.status != 200 && made.body.empty())
    made.body.append(phrase_of(made.status)).append("\n");
  guest.out = head_of(made) + made.body;
  guest.stream = made.stream;
  guest.done = !made.stream;
  guest.in.clear();
}

void LiveServer::hear(Guest& guest) {
  char bytes[4096];
  const ssize_t got = ::recv(guest.fd.get(), bytes, sizeof bytes, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    guest.fd = Fd();
    return;
  }
  if (guest.stream || guest.done) return;  // further input is ignored
  guest.in.append(bytes, static_cast<std::size_t>(got));
  LiveRequest request;
  if (const int refusal = parse_live_request(guest.in, request); refusal >= 0)
    answer(guest, refusal, request);
}

void LiveServer::welcome(std::int64_t now_ms) {
  while (guests_.size() < kMostGuests) {
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    // Without a free descriptor, poll() would report the waiting connection again at once, turn
    // after turn.
    deaf_ = !fd && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
    if (!fd) return;
    guests_.emplace_back();
    guests_.back().fd = std::move(fd);
    guests_.back().since_ms = now_ms;
  }
}

void LiveServer::turn(int timeout_ms, int wake) {
  const bool listens = guests_.size() < kMostGuests && !std::exchange(deaf_, false);
  std::vector<pollfd> fds = {{listens ? listener_.get() : -1, POLLIN, 0}, {wake, POLLIN, 0}};
  for (const Guest& guest : guests_) {
    const bool has_more = guest.sent < guest.out.size();
    fds.push_back({guest.fd.get(), static_cast<short>(POLLIN | (has_more ? POLLOUT : 0)), 0});
  }
  if (::poll(fds.data(), fds.size(), timeout_ms) < 0) return;
  const std::int64_t now = now_ms();
  for (std::size_t i = 0; i < guests_.size(); ++i) {
    Guest& guest = guests_[i];
    if ((fds[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) != 0) hear(guest);
    if (guest.fd && guest.sent < guest.out.size()) {
      const ssize_t put = ::send(guest.fd.get(), guest.out.data() + guest.sent,
                                 guest.out.size() - guest.sent, MSG_NOSIGNAL);
      if (put > 0) guest.sent += static_cast<std::size_t>(put);
      if (put < 0 && errno != EAGAIN && errno != EINTR) guest.fd = Fd();
    }
    const bool is_told = guest.sent == guest.out.size();
    // Sent bytes are dropped now and then, even for a reader that is always a little behind.
    if (is_told || guest.sent > kMostUnread) guest.out.erase(0, std::exchange(guest.sent, 0));
    const bool is_late = !guest.stream && now - guest.since_ms > kRequestMs;
    if ((guest.done && is_told) || is_late || guest.out.size() - guest.sent > kMostUnread)
      guest.fd = Fd();
  }
  std::erase_if(guests_, [](const Guest& guest) { return !guest.fd; });
  if ((fds[0].revents & POLLIN) != 0) welcome(now);
}

}  // namespace spinneret::loop
