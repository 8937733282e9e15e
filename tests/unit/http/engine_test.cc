// SPDX-License-Identifier: Apache-2.0
#include "http/engine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "http/fetch_engine.h"
#include "support/engine_run.h"
#include "support/tiny_server.h"

namespace spinneret::http {
namespace {

TEST(FetchOne, AsOtherToolsUseIt) {
  TinyServer server([](const std::string&) { return TinyServer::ok("User-agent: *\n"); });
  const Result<FetchResult> result = fetch_one(request(server.url("/robots.txt")), loopback());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->outcome, Outcome::kOk);
  EXPECT_EQ(result->body, "User-agent: *\n");
  EXPECT_EQ(result->ip, "127.0.0.1");
}

TEST(EngineTest, ManyUrlsOneResultEach) {
  TinyServer server(
      [](const std::string& head) { return TinyServer::ok("body of " + path_of(head)); });
  EngineOptions options = loopback();
  options.slots = 4;
  // A slow machine's 200 ms must not lead to a fifth connection.
  options.max_patient = 0;
  Collector got;
  auto engine = Engine::create(options, got);
  ASSERT_TRUE(engine.ok());
  for (int i = 0; i < 200; ++i) (*engine)->submit(request(server.url("/" + std::to_string(i))));
  run(**engine);
  ASSERT_EQ(got.results.size(), 200U);
  EXPECT_EQ(got.order.size(), 200U);
  for (const auto& [url, result] : got.results) {
    EXPECT_EQ(result.outcome, Outcome::kOk) << url;
    EXPECT_EQ(result.body, "body of " + url.substr(url.rfind('/')));
    EXPECT_EQ(got.cargo[url], "cargo of " + url);
  }
  EXPECT_LE(server.connections(), 4);
}

// The kernel takes no further descriptor: this proves nothing about the server, and nothing waits
// for a time limit.
class FullPoller : public Poller {
 public:
  bool watch(int, unsigned, Client*) override {
    errno = ENOSPC;
    return false;
  }
  void park(int) override {}
  void forget(int) override {}
  bool wait(int, const std::function<void()>&) override { return false; }
};

TEST(EngineTest, ASocketThatCannotBeWatchedIsOurOwnTrouble) {
  TinyServer server([](const std::string&) { return TinyServer::ok("x"); });
  EngineOptions options = loopback();
  Collector got;
  EngineParts parts;
  parts.poller = std::make_unique<FullPoller>();
  parts.wire = Wire::create(*parts.poller, options.policy, options.wire).take();
  parts.resolver = make_dns_resolver(*parts.poller, system_clock(), options.resolver).take();
  FetchEngine engine(options, got, system_clock(), std::move(parts));
  engine.submit(request(server.url("/")));
  run(engine);
  const FetchResult& result = got.results[server.url("/")];
  EXPECT_EQ(result.outcome, Outcome::kAborted);
  EXPECT_NE(result.error.find("cannot wait for a socket"), std::string::npos) << result.error;
}

TEST(EngineTest, NoDescriptorIsLeft) {
  const auto open_descriptors = [] {
    int count = 0;
    for (int fd = 0; fd < 1024; ++fd) count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
  };
  TinyServer server([](const std::string& head) -> std::string {
    if (path_of(head) == "/cut") return "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
    return path_of(head) == "/none" ? std::string() : TinyServer::ok("x");
  });
  const int before = open_descriptors();
  {
    EngineOptions options = loopback();
    options.limits.total_ms = 300;
    Collector got;
    auto engine = Engine::create(options, got);
    for (int round = 0; round < 5; ++round) {
      for (const char* path : {"/good", "/cut", "/none"}) {
        (*engine)->submit(request(server.url(path)));
      }
    }
    (*engine)->submit(request("http://127.0.0.1:1/"));
    run(**engine);
  }
  // The server closes its own ends of connections when it has seen the end, however late that is.
  for (int waited = 0; waited < 6000 && open_descriptors() != before; ++waited) usleep(10'000);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(EngineTest, PerHostBoundsConnections) {
  TinyServer server([](const std::string&) { return TinyServer::ok("x"); });
  EngineOptions options = loopback();
  options.per_host = 1;
  Collector got;
  auto engine = Engine::create(options, got);
  for (int i = 0; i < 50; ++i) (*engine)->submit(request(server.url("/" + std::to_string(i))));
  run(**engine);
  EXPECT_EQ(got.results.size(), 50U);
  EXPECT_EQ(server.connections(), 1);
  // With one host and one request at a time, the order is that of the list.
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(got.order[static_cast<std::size_t>(i)], server.url("/" + std::to_string(i)));
}

TEST(EngineTest, WhatIsNoHttpUrlIsAnsweredAtOnce) {
  Collector got;
  auto engine = Engine::create(loopback(), got);
  for (const char* url :
       {"nonsense", "ftp://a/", "http://", "file:///etc/passwd", "javascript:x"}) {
    (*engine)->submit(request(url));
    EXPECT_EQ(got.results[url].outcome, Outcome::kBlockedByPolicy) << url;
    EXPECT_FALSE(got.results[url].error.empty());
  }
  EXPECT_TRUE((*engine)->idle());
}

TEST(EngineTest, TheAddressPolicyHoldsWithoutASinglePacket) {
  TinyServer server([](const std::string&) { return TinyServer::ok("secret"); });
  EngineOptions options;
  options.wire.agent = "test/1";
  Collector got;
  auto engine = Engine::create(options, got);
  const std::string port = std::to_string(server.port());
  for (const std::string host :
       {"127.0.0.1", "127.1", "0x7f.0.0.1", "localhost", "[::ffff:127.0.0.1]"}) {
    (*engine)->submit(request("http://" + host + ":" + port + "/"));
  }
  run(**engine);
  for (const auto& [url, result] : got.results)
    EXPECT_EQ(result.outcome, Outcome::kRefusedAddress) << url;
  EXPECT_EQ(server.connections(), 0);
}

TEST(EngineTest, HopsAreFollowedAndTold) {
  TinyServer server([](const std::string& head) -> std::string {
    const std::string path = path_of(head);
    if (path == "/2") return TinyServer::ok("there");
    const std::string next = path == "/0" ? "/1" : "2";
    return "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + next + "\r\n\r\n";
  });
  Collector got;
  auto engine = Engine::create(loopback(), got);
  FetchRequest asked = request(server.url("/0"));
  asked.follow = 2;
  asked.etag = "\"only for the first\"";
  (*engine)->submit(asked);
  run(**engine);
  const FetchResult& result = got.results[server.url("/0")];
  EXPECT_EQ(result.outcome, Outcome::kOk);
  EXPECT_EQ(result.body, "there");
  ASSERT_EQ(result.hops.size(), 2U);
  EXPECT_EQ(result.hops[0].url, server.url("/1"));
  EXPECT_EQ(result.hops[1].url, server.url("/2"));
  EXPECT_EQ(got.hops, (std::vector<std::string>{server.url("/0"), server.url("/1")}));
  EXPECT_NE(server.requests()[0].find("If-None-Match"), std::string::npos);
  EXPECT_EQ(server.requests()[1].find("If-None-Match"), std::string::npos);
}

TEST(EngineTest, CredentialsStayWithTheirOrigin) {
  TinyServer other([](const std::string&) { return TinyServer::ok("other"); });
  TinyServer server([&](const std::string&) {
    return "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + other.url("/x") + "\r\n\r\n";
  });
  EngineOptions options = loopback();
  options.auth = AuthTable::parse(server.url("/") + " bearer t0ken").take();
  FetchRequest asked = request(server.url("/"));
  asked.follow = 3;
  ASSERT_EQ(fetch_one(asked, options)->outcome, Outcome::kOk);
  EXPECT_NE(server.requests()[0].find("Authorization: Bearer t0ken\r\n"), std::string::npos);
  EXPECT_EQ(other.requests()[0].find("Authorization"), std::string::npos);
}

TEST(EngineTest, ASecondTryWhereNoAnswerCameAndNoThird) {
  std::atomic<int> asked = 0;  // the server counts in threads of its own
  TinyServer server(
      [&](const std::string&) { return ++asked == 1 ? std::string() : TinyServer::ok("x"); });
  EXPECT_EQ(fetch_one(request(server.url("/")), loopback())->outcome, Outcome::kOk);
  EXPECT_EQ(asked, 2);
  std::atomic<int> refused = 0;
  TinyServer never([&](const std::string&) { return ++refused, std::string(); });
  EXPECT_EQ(fetch_one(request(never.url("/")), loopback())->outcome, Outcome::kConnectFailed);
  EXPECT_EQ(refused, 2);
  EngineOptions once = loopback();
  once.retry_connect = 0;
  EXPECT_EQ(fetch_one(request(never.url("/")), once)->outcome, Outcome::kConnectFailed);
  EXPECT_EQ(refused, 3);
}

// Answers nothing while it lives.
class NeverAnswering {
 public:
  ~NeverAnswering() {
    gone_ = true;
    gone_.notify_all();
  }
  std::string url(const std::string& path) const { return server_.url(path); }

 private:
  std::atomic<bool> gone_{false};
  TinyServer server_{[this](const std::string&) {
    gone_.wait(false);
    return std::string();
  }};
};

TEST(EngineTest, TimeLimitsNameThemselves) {
  const NeverAnswering server;
  EngineOptions options = loopback();
  options.limits.first_byte_ms = 200;
  const FetchResult first = *fetch_one(request(server.url("/")), options);
  EXPECT_EQ(first.outcome, Outcome::kTimeout);
  EXPECT_EQ(first.error, "no answer within 0.2 s");
  options = loopback();
  options.limits.total_ms = 250;
  const FetchResult total = *fetch_one(request(server.url("/")), options);
  EXPECT_EQ(total.error, "not done within 0.25 s");
}

TEST(EngineTest, TimeThatTheCallerLostIsNotTheServers) {
  TinyServer server([](const std::string&) { return TinyServer::ok("x"); });
  EngineOptions options = loopback();
  options.limits.total_ms = 300;
  FakeClock clock;
  Collector got;
  auto engine = Engine::create(options, got, clock);
  (*engine)->submit(request(server.url("/")));
  (*engine)->step(0);
  clock.advance_ms(400);
  (*engine)->add_pause_ns(400'000'000);
  run(**engine);
  EXPECT_EQ(got.results[server.url("/")].outcome, Outcome::kOk);
}

TEST(EngineTest, StopAnswersEverything) {
  const NeverAnswering server;
  EngineOptions options = loopback();
  options.slots = 2;
  Collector got;
  auto engine = Engine::create(options, got);
  for (int i = 0; i < 20; ++i) (*engine)->submit(request(server.url("/" + std::to_string(i))));
  (*engine)->step(50);
  (*engine)->stop(100);
  EXPECT_FALSE((*engine)->has_room());
  (*engine)->submit(request(server.url("/late")));
  run(**engine);
  EXPECT_EQ(got.results.size(), 21U);
  for (const auto& [url, result] : got.results) EXPECT_EQ(result.outcome, Outcome::kAborted) << url;
}

TEST(EngineTest, AUrlThatWaitsBehindADeadHostSharesItsAnswer) {
  EngineOptions options = loopback();
  options.retry_connect = 0;
  Collector got;
  auto engine = Engine::create(options, got);
  // Nobody listens on a port that was just given back.
  std::string url;
  {
    TinyServer gone([](const std::string&) { return std::string(); });
    url = gone.url("/");
  }
  for (int i = 0; i < 30; ++i) (*engine)->submit(request(url + std::to_string(i)));
  run(**engine);
  EXPECT_EQ(got.results.size(), 30U);
  for (const auto& [one, result] : got.results)
    EXPECT_EQ(result.outcome, Outcome::kConnectFailed) << one;
  EXPECT_LT((*engine)->stats().started, 30U);
}

TEST(EngineTest, ASecretInAUrlIsNotSent) {
  TinyServer server([](const std::string&) { return TinyServer::ok("x"); });
  const std::string port = std::to_string(server.port());
  fetch_one(request("http://user:secret@127.0.0.1:" + port + "/p?q#f"), loopback()).take();
  const std::string head = server.requests()[0];
  EXPECT_TRUE(head.starts_with("GET /p?q HTTP/1.1\r\n")) << head;
  EXPECT_EQ(head.find("secret"), std::string::npos);
  EXPECT_EQ(head.find("Authorization"), std::string::npos);
  EXPECT_NE(head.find("Host: 127.0.0.1:" + port + "\r\n"), std::string::npos);
  EXPECT_NE(head.find("User-Agent: test/1\r\n"), std::string::npos);
}

TEST(EngineTest, ValidatorsThatAreTwoLinesAreNotSent) {
  TinyServer server([](const std::string&) { return TinyServer::ok("x"); });
  FetchRequest asked = request(server.url("/"));
  asked.etag = "\"a\"\r\nEvil: 1";
  asked.last_modified = "x\ny";
  asked.referer = "http://a/";
  ASSERT_EQ(fetch_one(asked, loopback())->outcome, Outcome::kOk);
  const std::string head = server.requests()[0];
  EXPECT_EQ(head.find("Evil"), std::string::npos);
  EXPECT_EQ(head.find("If-"), std::string::npos);
  EXPECT_NE(head.find("Referer: http://a/\r\n"), std::string::npos);
}

TEST(EngineTest, ByteRatesHold) {
  TinyServer server([](const std::string&) { return TinyServer::ok(std::string(50'000, 'x')); });
  EngineOptions options = loopback();
  options.rate = 100'000;
  Collector got;
  auto engine = Engine::create(options, got);
  const std::int64_t before = system_clock().monotonic_ns();
  for (int i = 0; i < 3; ++i) (*engine)->submit(request(server.url("/" + std::to_string(i))));
  run(**engine);
  EXPECT_GE(system_clock().monotonic_ns() - before, 700'000'000);
  for (const auto& [url, result] : got.results) EXPECT_EQ(result.body.size(), 50'000U) << url;
}

TEST(EngineTest, RoomIsBounded) {
  EngineOptions options = loopback();
  options.max_queue = 3;
  Collector got;
  auto engine = Engine::create(options, got);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE((*engine)->has_room());
    (*engine)->submit(request("http://127.0.0.1:1/" + std::to_string(i)));
  }
  EXPECT_FALSE((*engine)->has_room());
  run(**engine);
  EXPECT_TRUE((*engine)->has_room());
  options.max_queue = 100;
  options.max_queue_bytes = 1000;
  auto tight = Engine::create(options, got);
  (*tight)->submit(request("http://127.0.0.1:1/" + std::string(2000, 'x')));
  EXPECT_FALSE((*tight)->has_room());
  run(**tight);
  EXPECT_TRUE((*tight)->has_room());
}

// Takes connections to its port up to a point from which further ones get no answer at all.
class DeadPort {
 public:
  DeadPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    fds_.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    bind(fds_[0], reinterpret_cast<sockaddr*>(&address), size);
    listen(fds_[0], 0);
    getsockname(fds_[0], reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    for (int i = 0; i < 3; ++i) {
      fds_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
      connect(fds_.back(), reinterpret_cast<sockaddr*>(&address), size);
    }
  }
  ~DeadPort() {
    for (const int fd : fds_) ::close(fd);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  std::vector<int> fds_;
  int port_ = 0;
};

// Regression: libcurl closed a socket that was still connecting without a callback, its number came
// back for another host, and the poller believed that it was watched already: answers stayed unread
// until they timed out.
TEST(EngineTest, DescriptorsOfDroppedConnectionsComeBack) {
  std::vector<DeadPort> dead(8);
  TinyServer server([](const std::string&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return TinyServer::ok("x");
  });
  EngineOptions options = loopback();
  options.limits.connect_ms = 200;
  FakeClock clock;  // stands still for healthy hosts
  Collector got;
  auto engine = Engine::create(options, got, clock);
  for (const DeadPort& port : dead) (*engine)->submit(request(port.url()));
  while (!(*engine)->idle()) {
    (*engine)->step(5);
    clock.advance_ms(20);
  }
  const std::string port = ":" + std::to_string(server.port()) + "/";
  for (int i = 0; i < 64; ++i) {
    (*engine)->submit(request("http://127.0.0.1" + port + std::to_string(i)));
  }
  for (int turns = 0; turns < 100'000 && !(*engine)->idle(); ++turns) (*engine)->step(1);
  ASSERT_EQ(got.results.size(), 72U);
  for (const auto& [url, result] : got.results) {
    const bool good = url.find(port) != std::string::npos;
    EXPECT_EQ(result.outcome, good ? Outcome::kOk : Outcome::kTimeout) << url;
  }
}

TEST(EngineTest, ManyHostsAreForgottenAgain) {
  TinyServer server([](const std::string&) { return TinyServer::ok("x"); });
  EngineOptions options = loopback();
  Collector got;
  auto engine = Engine::create(options, got);
  // Each address of 127/8 is a host of its own.
  const std::string port = ":" + std::to_string(server.port()) + "/";
  (*engine)->submit(request("http://127.0.0.1" + port));
  for (int i = 0; i < 500; ++i) {
    (*engine)->submit(request("http://127.1." + std::to_string(i / 250) + "." +
                              std::to_string(i % 250 + 1) + port));
  }
  run(**engine);
  EXPECT_EQ(got.results.size(), 501U);
  EXPECT_EQ(got.results["http://127.0.0.1" + port].outcome, Outcome::kOk);
}

}  // namespace
}  // namespace spinneret::http
