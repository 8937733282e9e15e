// SPDX-License-Identifier: Apache-2.0
// For tests/bench/proofs.sh: serves a generated site of PAGES pages of about 4 KB. Page N is /N,
// its digits written as the letters a to j (the crawl's policy takes a hundred thousand numbers for
// a trap). It links to 10N+1 ... 10N+10, which makes a tree of all pages, and to ten pages that
// others link to as well. Any other path is a 404. Listens on every loopback address, each of which
// is a host of its own. Prints its port.
//
//   bench-site_server PAGES
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/number.h"
#include "listener.h"

namespace {

using spinneret::bench::listen_at;
using spinneret::bench::watch;

constexpr std::size_t kPadding = 3000;

std::string name_of(std::uint64_t page) {
  std::string out = std::to_string(page);
  for (char& c : out) c = static_cast<char>(c - '0' + 'a');
  return out;
}

std::optional<std::uint64_t> page_of(std::string_view path) {
  if (path.empty()) return 0;
  std::string digits(path);
  for (char& c : digits) c = static_cast<char>(c - 'a' + '0');
  return spinneret::parse_unsigned(digits);
}

void append_link(std::string& out, std::uint64_t page) {
  out += "<li><a href=\"/";
  out += name_of(page);
  out += "\">a page of the generated site</a></li>\n";
}

std::string page_text(std::uint64_t page, std::uint64_t pages) {
  std::string out = "<!DOCTYPE html><html><head><title>A page</title></head><body><ul>\n";
  for (std::uint64_t i = 1; i <= 10; ++i) {
    if (page * 10 + i < pages) append_link(out, page * 10 + i);
  }
  for (std::uint64_t i = 1; i <= 10; ++i)
    append_link(out, (page * 2654435761U + i * 40503U) % pages);
  out += "</ul><p>";
  out.append(kPadding, 'x');
  out += " of page ";
  out += name_of(page);
  return out + "</p></body></html>\n";
}

std::string response(std::string_view request, std::uint64_t pages) {
  const std::size_t begin = request.find('/');
  const std::string_view path =
      begin == std::string_view::npos
          ? ""
          : request.substr(begin + 1, request.find(' ', begin) - begin - 1);
  const std::optional<std::uint64_t> page = page_of(path);
  const bool found = page && *page < pages;
  const std::string body = found ? page_text(*page, pages) : "";
  return std::string("HTTP/1.1 ") + (found ? "200 OK" : "404 Not Found") +
         "\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Returns false if the connection is over. A client sends the next request only after an answer, so
// that answers fit the socket's buffer.
bool serve(int fd, std::string& request, std::uint64_t pages) {
  char block[16384];
  const ssize_t got = read(fd, block, sizeof block);
  if (got <= 0) return false;
  request.append(block, static_cast<std::size_t>(got));
  if (!request.ends_with("\r\n\r\n")) return true;
  const std::string answer = response(request, pages);
  request.clear();
  return write(fd, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
}

// To serve every address of 127/8 it must listen on all addresses. A client that does not come by
// loopback is therefore turned away.
void take_client(int listener, int epoll) {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  const int client = accept4(listener, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK);
  if (client < 0) return;
  if (ntohl(peer.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET) {
    watch(epoll, client);
  } else {
    close(client);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto pages = argc == 2 ? spinneret::parse_unsigned(argv[1]) : std::nullopt;
  if (!pages || *pages == 0) return 2;
  const int listener = listen_at(INADDR_ANY);
  const int epoll = epoll_create1(0);
  watch(epoll, listener);
  std::unordered_map<int, std::string> requests;
  epoll_event events[256];
  while (true) {
    const int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == listener) {
        take_client(listener, epoll);
      } else if (!serve(fd, requests[fd], *pages)) {
        requests.erase(fd);
        close(fd);
      }
    }
  }
}
