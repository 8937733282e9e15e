// SPDX-License-Identifier: Apache-2.0
// The server of crawl --demo: serves the files of one folder on loopback, to a crawler on the same
// machine. All files are read before the first request, so that a request can name no others. A
// symbolic link is answered by a redirect to its target. Connections are served one at a time, one
// request each: answers are in memory and are sent at once.
//
//   demo-server FOLDER LOG   prints its port, logs the first lines of requests; runs until killed
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.h"

namespace {

using namespace spinneret;
namespace fs = std::filesystem;

constexpr std::size_t kMaxRequest = 16384;  // bytes of a request's head
constexpr time_t kPatience = 5;  // seconds for a peer to send its request, or to take the answer

// Whole answers by path, each with its head and body.
using Site = std::map<std::string, std::string, std::less<>>;

std::string answer(std::string_view status, std::string_view fields, std::string_view body) {
  std::string out = "HTTP/1.1 ";
  out.append(status)
      .append("\r\nConnection: close\r\nContent-Length: ")
      .append(std::to_string(body.size()));
  return out.append("\r\n").append(fields).append("\r\n").append(body);
}

std::string_view type_of(const fs::path& file) {
  return file.extension() == ".txt" ? "Content-Type: text/plain; charset=utf-8\r\n"
                                    : "Content-Type: text/html; charset=utf-8\r\n";
}

// Reads the files of `folder` into answers; an Error names what cannot be read.
Result<Site> read_site(const fs::path& folder) {
  Site site;
  std::error_code code;
  for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code)) {
    const fs::path& file = at->path();
    const std::string path = "/" + file.lexically_relative(folder).string();
    if (at->is_symlink()) {
      const std::string target = fs::read_symlink(file).string();
      site[path] = answer("302 Found", "Location: /" + target + "\r\n", "");
    } else if (at->is_regular_file()) {
      Result<std::string> bytes = read_file(file.string());
      if (!bytes.ok()) return bytes.error();
      site[path] = answer("200 OK", type_of(file), *bytes);
    }
  }
  if (code) return Error{"cannot read " + folder.string() + ": " + code.message()};
  if (const auto home = site.find("/index.html"); home != site.end()) site["/"] = home->second;
  return site;
}

// Listens on a free port of 127.0.0.1, and sets `port` to it. Where that fails, returns no Fd, and
// errno says why.
Fd listen_on_loopback(unsigned& port) {
  Fd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!listener || bind(listener.get(), any, size) != 0 || listen(listener.get(), 128) != 0 ||
      getsockname(listener.get(), any, &size) != 0)
    return Fd();
  port = ntohs(address.sin_port);
  return listener;
}

// Reads the head of a request, as much as the peer sends of it.
std::string read_head(int peer) {
  std::string head;
  char block[4096];
  while (head.size() < kMaxRequest && head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = recv(peer, block, sizeof block, 0);
    if (got <= 0) break;
    head.append(block, static_cast<std::size_t>(got));
  }
  return head;
}

// Answers "GET /path HTTP/1.1" from `site`; a query is ignored.
std::string respond(const Site& site, std::string_view request) {
  if (!request.starts_with("GET /")) return answer("405 Method Not Allowed", "Allow: GET\r\n", "");
  request.remove_prefix(4);
  const std::string_view path = request.substr(0, request.find_first_of(" ?"));
  const auto found = site.find(path);
  if (found != site.end()) return found->second;
  return answer("404 Not Found", "Content-Type: text/html\r\n",
                "<title>Not found</title><h1>Not found</h1>\n");
}

// Serves until accept(2) or writing to the log fails.
void serve(const Site& site, const Fd& listener, int log) {
  for (;;) {
    const Fd peer(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peer && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (!peer) return;
    const timeval patience{kPatience, 0};
    setsockopt(peer.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(peer.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const std::string head = read_head(peer.get());
    if (head.empty()) continue;
    const std::string request = head.substr(0, head.find_first_of("\r\n"));
    if (write_all(log, request + "\n") != 0) return;
    write_all(peer.get(), respond(site, request));
  }
}

int fail(const std::string& why) {
  std::fprintf(stderr, "demo-server: %s\n", why.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fail("takes a folder and a file for its log");
  signal(SIGPIPE, SIG_IGN);
  const Result<Site> site = read_site(argv[1]);
  if (!site.ok()) return fail(site.message());
  const Result<Fd> log = open_file(argv[2], O_WRONLY | O_CREAT | O_APPEND);
  if (!log.ok()) return fail(log.message());
  unsigned port = 0;
  const Fd listener = listen_on_loopback(port);
  if (!listener)
    return fail("cannot listen on loopback: " + std::generic_category().message(errno));
  if (std::printf("%u\n", port) < 0 || std::fflush(stdout) != 0) return fail("cannot say its port");
  serve(*site, listener, log->get());
  return fail("cannot go on: " + std::generic_category().message(errno));
}
