// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server for one person on the same machine, with few routes, small requests, and
// streams of events.
//
//   Result<LiveServer> server =
//       LiveServer::open(0, [](const LiveRequest& request) { return answer(request); });
//   while (cli::stop_signal() == 0) {
//     server->turn(1000, cli::stop_fd());
//     server->publish("page", text);
//   }
//
// It listens on 127.0.0.1 alone. Requests by other pages in the same browser get 403: those that
// name another host (a name that now points to 127.0.0.1), and GETs from another origin. A POST
// from another origin reaches the handler, which must check a secret: behind a proxy, our own page
// has another origin. Limits: 32 connections, 8 KiB for a request, 10 s for it to arrive, 8 MiB of
// output that is not read. Not thread-safe.
#ifndef SPINNERET_LOOP_LIVE_SERVER_H_
#define SPINNERET_LOOP_LIVE_SERVER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::loop {

struct LiveRequest {
  std::string method, path, query, host, origin, body;
};

struct LiveAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::string location = {};                  // target of a redirect
  std::string policy = "default-src 'none'";  // Content-Security-Policy
  bool stream = false;  // `body` begins a stream of events, which publish() continues
};

// Parses a request. Returns 0, the status that refuses it, or -1 where it is incomplete.
int parse_live_request(std::string_view bytes, LiveRequest& out);

class LiveServer {
 public:
  using Handler = std::function<LiveAnswer(const LiveRequest&)>;
  // Listens on `port`; 0 means any free port.
  static Result<LiveServer> open(std::uint16_t port, Handler handler);

  std::uint16_t port() const { return port_; }
  // Returns an origin such as "http://127.0.0.1:8080".
  std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }
  bool has_streams() const;
  // Sends "event: NAME", with the lines of `text` as its data, to each stream of events.
  void publish(std::string_view name, std::string_view text);
  // Serves the requests that have arrived, or waits for at most `timeout_ms` if there are none.
  // `wake` is a descriptor that ends the wait.
  void turn(int timeout_ms, int wake);

 private:
  struct Guest {
    Fd fd;
    std::string in, out;
    std::size_t sent = 0;
    std::int64_t since_ms = 0;
    bool stream = false, done = false;
  };

  LiveServer(Fd listener, std::uint16_t port, Handler handler)
      : listener_(std::move(listener)), port_(port), handler_(std::move(handler)) {}
  void welcome(std::int64_t now_ms);
  void hear(Guest& guest);
  void answer(Guest& guest, int refusal, const LiveRequest& request);
  bool is_ours(const LiveRequest& request) const;

  Fd listener_;
  std::uint16_t port_;
  Handler handler_;
  std::vector<Guest> guests_;
  bool deaf_ = false;  // for one turn: no descriptor is free for another guest
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_LIVE_SERVER_H_
