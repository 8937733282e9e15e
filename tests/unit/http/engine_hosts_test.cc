// SPDX-License-Identifier: Apache-2.0
// What URLs of one host, and the hops of one URL, owe each other: turns, time limits, blame.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "support/engine_run.h"
#include "support/tiny_server.h"

namespace spinneret {
namespace {

std::string redirect_to(const std::string& url) {
  return "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + url + "\r\n\r\n";
}

// Time passes between an answer that redirects and the step in which the hop can begin.
struct SlowTaker : Collector {
  void on_hop(const FetchRequest& request, std::string_view url,
              const FetchResult& result) override {
    Collector::on_hop(request, url, result);
    clock.advance_ms(gap_ms);
  }
  FakeClock clock;
  std::int64_t gap_ms = 0;
};

FetchResult fetch_over_a_gap(const std::string& url, std::int64_t gap_ms) {
  EngineOptions options = loopback();
  options.limits.total_ms = 5000;
  options.retry_connect = 0;
  SlowTaker got;
  got.gap_ms = gap_ms;
  auto engine = Engine::create(options, got, got.clock);
  FetchRequest asked = request(url);
  asked.follow = 1;
  (*engine)->submit(asked);
  run(**engine);
  return got.results[url];
}

// Regression: what a hop waited for its host counted against total_ms, and healthy pages became timeouts.
TEST(EngineHostsTest, WhatAHopWaitsIsNotCounted) {
  TinyServer there([](const std::string&) { return TinyServer::ok("x"); });
  TinyServer server([&](const std::string&) { return redirect_to(there.url("/")); });
  const FetchResult result = fetch_over_a_gap(server.url("/"), 7000);
  EXPECT_EQ(result.outcome, Outcome::kOk) << result.error;
  EXPECT_LT(result.time_us, 5'000'000);
}

// Regression: it was the first request's, and so were the freshness and Retry-After that count from it.
TEST(EngineHostsTest, AHopHasADateOfItsOwn) {
  TinyServer there([](const std::string&) { return TinyServer::ok("x"); });
  TinyServer server([&](const std::string&) { return redirect_to(there.url("/")); });
  const FetchResult result = fetch_over_a_gap(server.url("/"), 7000);
  EXPECT_EQ(result.fetched_unix_ms, FakeClock().unix_ms() + 7000);
}

// Regression: the record of a hop that failed named the address of the host before.
TEST(EngineHostsTest, AHopThatFailsHasNoAddressOfAnother) {
  for (const std::string to : {"http://127.0.0.1:1/", "http://10.0.0.1:1/"}) {
    TinyServer server([&](const std::string&) { return redirect_to(to); });
    const FetchResult result = fetch_over_a_gap(server.url("/"), 0);
    ASSERT_EQ(result.hops.size(), 1U);
    EXPECT_NE(result.outcome, Outcome::kOk);
    EXPECT_EQ(result.ip, "") << to;
  }
}

// Regression: each hop went before those that had waited longer.
TEST(EngineHostsTest, HopsGoInTheOrderInWhichTheyCame) {
  TinyServer there([](const std::string&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return TinyServer::ok("x");
  });
  TinyServer server([&](const std::string& head) { return redirect_to(there.url(path_of(head))); });
  EngineOptions options = loopback();
  options.per_host = 1;
  Collector got;
  auto engine = Engine::create(options, got);
  for (int i = 0; i < 40; ++i) {
    FetchRequest asked = request(server.url("/" + std::to_string(i)));
    asked.follow = 1;
    (*engine)->submit(asked);
  }
  run(**engine);
  const std::vector<std::string> asked = there.requests();
  ASSERT_EQ(asked.size(), 40U);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(server.url(path_of(asked[i])), got.hops[i]);
}

// A server whose pages below /silent/ never come. Time passes only while one of them is waited for, so that no other
// can run out of it.
class SilentServer {
 public:
  ~SilentServer() { done_ = true; }
  // The outcomes of these paths, asked one after another.
  std::vector<Outcome> fetch(const std::vector<std::string>& paths) {
    EngineOptions options = loopback();
    options.per_host = 1;
    options.retry_connect = 0;
    options.limits.first_byte_ms = 1000;
    FakeClock clock;
    Collector got;
    auto engine = Engine::create(options, got, clock);
    for (const std::string& path : paths) (*engine)->submit(request(server_.url(path)));
    while (!(*engine)->idle()) {
      (*engine)->step(5);
      if (waiting_.exchange(false)) clock.advance_ms(1100);
    }
    std::vector<Outcome> out;
    out.reserve(paths.size());
    for (const std::string& path : paths) out.push_back(got.results[server_.url(path)].outcome);
    return out;
  }
  std::size_t asked() { return server_.requests().size(); }

 private:
  std::atomic<bool> done_{false};
  std::atomic<bool> waiting_{false};
  TinyServer server_{[this](const std::string& head) {
    if (path_of(head).starts_with("/good/")) return TinyServer::ok("x");
    waiting_ = true;
    while (!done_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return std::string();
  }};
};

std::vector<std::string> paths(const std::string& folder, int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back("/" + folder + "/" + std::to_string(i));
  return out;
}

// Regression: three slow pages made timeouts of all that waited for a host that is well.
TEST(EngineHostsTest, SlowPagesDoNotSpeakForTheirHost) {
  std::vector<std::string> list = paths("silent", 9);
  for (const std::string& path : paths("good", 20)) list.push_back(path);
  const std::vector<Outcome> outcomes = SilentServer().fetch(list);
  for (std::size_t i = 0; i < list.size(); ++i)
    EXPECT_EQ(outcomes[i], i < 9 ? Outcome::kTimeout : Outcome::kOk) << list[i];
}

TEST(EngineHostsTest, AHostThatAnsweredOnceIsNotGivenUp) {
  std::vector<std::string> list = paths("good", 1);
  for (const std::string& path : paths("silent", 15)) list.push_back(path);
  list.emplace_back("/good/last");
  SilentServer server;
  const std::vector<Outcome> outcomes = server.fetch(list);
  EXPECT_EQ(outcomes.back(), Outcome::kOk);
  EXPECT_EQ(server.asked(), 17U);
}

TEST(EngineHostsTest, AHostThatTakesConnectionsAndNeverAnswersIsGivenUp) {
  SilentServer server;
  for (const Outcome outcome : server.fetch(paths("silent", 50)))
    EXPECT_EQ(outcome, Outcome::kTimeout);
  EXPECT_EQ(server.asked(), 10U);
}

TEST(EngineHostsTest, WhileHeldForOneNothingElseIsStarted) {
  TinyServer server([](const std::string&) { return TinyServer::ok("x"); });
  Collector got;
  auto engine = Engine::create(loopback(), got);
  for (std::uint64_t i = 0; i < 20; ++i) {
    FetchRequest asked = request(server.url("/" + std::to_string(i)));
    asked.ticket = i;
    (*engine)->submit(asked);
  }
  (*engine)->hold(17);
  while (got.order.empty()) (*engine)->step(10);
  EXPECT_EQ(got.order, std::vector<std::string>{server.url("/17")});
  (*engine)->step(20);
  EXPECT_EQ(server.requests().size(), 1U);
  (*engine)->hold(std::nullopt);
  run(**engine);
  EXPECT_EQ(got.results.size(), 20U);
}

// Each lane of the wire has its own connections and its own table of addresses.
TEST(EngineHostsTest, AHostOfManyTransfersIsSpreadOverLanes) {
  TinyServer server([](const std::string& head) { return TinyServer::ok(path_of(head)); });
  std::string base = server.url("");
  base.replace(base.find("127.0.0.1"), 9, "localhost");
  EngineOptions options = loopback();
  options.slots = options.per_host = 200;
  options.wire.lanes = 3;
  Collector got;
  auto engine = Engine::create(options, got);
  for (int i = 0; i < 400; ++i) (*engine)->submit(request(base + "/" + std::to_string(i)));
  run(**engine);
  ASSERT_EQ(got.results.size(), 400U);
  for (const auto& [url, result] : got.results) {
    EXPECT_EQ(result.outcome, Outcome::kOk) << url << ": " << result.error;
    EXPECT_EQ(base + result.body, url);
  }
}

}  // namespace
}  // namespace spinneret
