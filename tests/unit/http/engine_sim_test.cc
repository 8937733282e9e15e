// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "support/engine_run.h"
#include "support/sanitized.h"
#include "support/sim_net.h"
#include "support/tiny_server.h"

namespace spinneret::http {
namespace {

// The engine in a simulated world, with every order of "answered before it waits", pieces, resets,
// time limits, late names and full slots that a seed can choose. Each history is checked for what
// the engine promises:
//  one record for each line          none later than its limits      slots and exchanges balanced
//  nothing waits that could start    no host keeps others waiting    the input's order where asked

using sim::kMs;
using Kind = sim::Host::Kind;
using Maker = std::function<std::unique_ptr<Engine>(sim::World&, Engine::Receiver&)>;

std::unique_ptr<Engine> sound_engine(sim::World& world, Engine::Receiver& receiver) {
  return std::make_unique<FetchEngine>(world.options, receiver, world, sim::parts_of(world));
}

// The lines of one run, and what becomes of them.
class Run : public Engine::Receiver {
 public:
  Run(sim::World& world, const Maker& make) : world_(world), engine_(make(world, *this)) {}

  std::size_t lines = 0;
  int follow = 0;
  bool unheard = false;  // all of the lines are marked as unheard
  // The next line is given only when the last one is answered.
  bool alone = false;
  bool ordered = false;        // records leave in the order of lines, and at most ...
  std::size_t max_held = 1;    // ... this many wait for their turn before nothing else is started
  std::size_t stop_after = 0;  // number of steps; 0: never
  std::function<std::size_t(std::size_t line)> host_of;

  // Returns what was broken first, or nothing.
  std::string run();
  std::map<std::uint64_t, std::int64_t> answered_ns;
  std::map<std::uint64_t, Outcome> outcomes;

 private:
  void on_result(FetchRequest& request, FetchResult& result) override;
  void submit_some();
  void leave_in_order();
  void check_end();

  sim::World& world_;
  std::unique_ptr<Engine> engine_;
  std::size_t given_ = 0;
  std::uint64_t first_ = 0;  // --ordered: the record whose turn it is
  std::size_t held_ = 0;
};

void Run::on_result(FetchRequest& request, FetchResult& result) {
  world_.note(request.ticket * 32 + static_cast<std::uint64_t>(result.outcome));
  world_.answered(request.ticket);
  if (!outcomes.emplace(request.ticket, result.outcome).second)
    world_.fail("two records for one line");
  answered_ns[request.ticket] = world_.now_ns;
  if (result.time_us * 1000 > world_.options.limits.total_ms * kMs + sim::kLateNs) {
    world_.fail("a record later than its time limit");
  }
  ++held_;
  leave_in_order();
}

void Run::leave_in_order() {
  if (!ordered) held_ = 0;
  while (ordered && outcomes.count(first_) != 0) {
    ++first_;
    --held_;
  }
}

void Run::submit_some() {
  while (given_ < lines && engine_->has_room()) {
    if (alone && !engine_->idle()) return;
    if (ordered && held_ >= max_held) return;
    const std::size_t host = host_of ? host_of(given_) : world_.random.below(world_.hosts.size());
    FetchRequest request;
    request.ticket = given_++;
    request.follow = follow;
    const std::uint64_t hops = world_.random.below(follow == 0 ? 2 : 7);
    request.unheard = unheard;
    request.url = "http://" + world_.hosts[host].name + "/" + std::to_string(request.ticket) + "/" +
                  std::to_string(hops);
    world_.waits(request.ticket, world_.hosts[host]);
    engine_->submit(std::move(request));
  }
}

std::string Run::run() {
  for (std::size_t steps = 0; world_.failure().empty(); ++steps) {
    submit_some();
    if (stop_after != 0 && steps == stop_after) {
      world_.stopped = true;
      lines = given_;
      engine_->stop(20);
    }
    if (given_ == lines && engine_->idle()) break;
    if (steps > 50'000) world_.fail("goes on for ever");
    world_.held_for = ordered && held_ >= max_held ? std::optional(first_) : std::nullopt;
    engine_->hold(world_.held_for);
    const bool bounded = world_.random.one_in(4);
    engine_->step(bounded ? static_cast<int>(world_.random.below(100)) : -1);
  }
  check_end();
  return world_.failure();
}

void Run::check_end() {
  if (outcomes.size() != lines) world_.fail("a line without a record");
  if (engine_->stats().active != 0 || engine_->stats().queued != 0) world_.fail("slots are left");
  if (ordered && first_ != lines) world_.fail("a record that never had its turn");
  // The wire checks whether exchanges are left.
  engine_.reset();
}

std::vector<Kind> some_kinds(sim::Random& random) {
  std::vector<Kind> kinds(1 + random.below(4));
  for (Kind& kind : kinds) {
    kind = random.one_in(2) ? Kind::kMixed : static_cast<Kind>(random.below(8));
  }
  return kinds;
}

void choose(Run& run, sim::Random& random) {
  run.lines = 1 + random.below(8);
  run.follow = random.one_in(2) ? 5 : 0;
  run.alone = random.one_in(3);
  run.ordered = random.one_in(3);
  run.max_held = 1 + random.below(3);
  if (random.one_in(8)) run.stop_after = 1 + random.below(20);
}

void choose(EngineOptions& options, sim::Random& random) {
  options.slots = 1 + random.below(4);
  // The check for what could be started knows no such pause.
  options.again_ms = 0;
  options.per_host = 1 + random.below(3);
  options.max_patient = random.below(4);
  options.max_queue = 1 + random.below(8);
  options.retry_connect = static_cast<int>(random.below(2));
  options.rate = random.one_in(4) ? 50'000 : 0;
  options.host_rate = random.one_in(8) ? 20'000 : 0;
  options.limits.total_ms = random.between(100, 5'000);
  options.limits.connect_ms = random.between(50, 1'000);
  options.limits.first_byte_ms = random.between(50, 1'000);
  options.limits.low_speed_ms = random.between(50, 1'000);
  options.limits.low_speed_bytes = 100;
}

struct History {
  std::string failure;
  std::uint64_t trace = 0;
  std::map<std::uint64_t, Outcome> outcomes;
};

History history(std::uint64_t seed, const Maker& make = sound_engine) {
  sim::Random random = sim::random_of(seed);
  sim::World world(seed, some_kinds(random));
  world.late = random.one_in(2);
  choose(world.options, random);
  History out;
  {
    Run run(world, make);
    choose(run, random);
    run.run();
    out.outcomes = run.outcomes;
  }
  out.failure = world.failure();
  out.trace = world.trace;
  return out;
}

// Returns the first of `count` histories that breaks a promise, or nothing if none does.
std::optional<std::string> first_failure(std::uint64_t count, const Maker& make) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const std::string failure = history(seed, make).failure;
    if (!failure.empty()) return "history " + std::to_string(seed) + ": " + failure;
  }
  return std::nullopt;
}

std::uint64_t histories() {
  const char* const wanted = std::getenv("SPINNERET_HISTORIES");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : kSanitized ? 20'000 : 100'000;
}

TEST(EngineSim, EveryHistoryKeepsWhatTheEnginePromises) {
  const std::optional<std::string> failure = first_failure(histories(), sound_engine);
  EXPECT_FALSE(failure) << *failure;
}

// Histories in which nothing happens prove nothing.
TEST(EngineSim, HistoriesHaveEachOutcome) {
  std::map<Outcome, int> seen;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    for (const auto& [ticket, outcome] : history(seed).outcomes) ++seen[outcome];
  }
  for (const Outcome outcome :
       {Outcome::kOk, Outcome::kRedirect, Outcome::kTimeout, Outcome::kConnectFailed,
        Outcome::kDnsFailed, Outcome::kTlsFailed, Outcome::kBadResponse, Outcome::kAborted,
        Outcome::kRefusedAddress}) {
    EXPECT_GT(seen[outcome], 50) << to_string(outcome);
  }
}

TEST(EngineSim, TheSameSeedIsTheSameHistory) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    EXPECT_EQ(history(seed).trace, history(seed).trace) << seed;
  }
}

// An earlier fault: a request that could start because of an answer that came while others were
// being sent was left until something else happened.
class ForgetfulEngine : public FetchEngine {
 public:
  using FetchEngine::FetchEngine;

 private:
  void start_and_send() override {
    start_ready();
    if (wire().timeout_ms() == 0) wire().advance();
  }
};

TEST(EngineSim, FindsTheLostWakeUpThatItIsThereFor) {
  const std::optional<std::string> failure = first_failure(1'000, [](sim::World& world,
                                                                     Engine::Receiver& receiver) {
    return std::make_unique<ForgetfulEngine>(world.options, receiver, world, sim::parts_of(world));
  });
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->find("could be started"), std::string::npos) << *failure;
}

// An earlier fault: the resolver's timer was read before the lookups that a step began.
TEST(EngineSim, FindsALookupThatHasNoTimer) {
  const std::optional<std::string> failure =
      first_failure(20'000, [](sim::World& world, Engine::Receiver& receiver) {
        EngineParts parts = sim::parts_of(world);
        static_cast<sim::SimResolver&>(*parts.resolver).stale_timer = true;
        return std::make_unique<FetchEngine>(world.options, receiver, world, std::move(parts));
      });
  ASSERT_TRUE(failure);
}

constexpr std::size_t kSlots = 4;

// Returns the time of one good host behind the lines of hosts that never answer, which come first.
std::int64_t time_behind_silent_hosts(std::size_t silent, std::size_t max_patient, Kind kind,
                                      bool unheard = false) {
  std::vector<Kind> kinds(silent, kind);
  kinds.push_back(Kind::kGood);
  sim::World world(7, kinds);
  world.late = false;
  world.options.slots = kSlots;
  world.options.max_patient = max_patient;
  Run run(world, sound_engine);
  run.lines = silent + 20;
  run.unheard = unheard;
  run.host_of = [silent](std::size_t line) { return std::min(line, silent); };
  EXPECT_EQ(run.run(), "");
  std::int64_t last_ns = 0;
  for (std::uint64_t line = silent; line < run.lines; ++line) {
    last_ns = std::max(last_ns, run.answered_ns[line]);
  }
  return last_ns - 1'000 * kMs;
}

// Bug: without a name server in reach robots-check waited for ever.
TEST(EngineSim, WhatIsAnsweredFromWithinSubmitIsNotWaitedFor) {
  sim::World world(1, {Kind::kGood});
  class Run run(world, sound_engine);
  const std::unique_ptr<Engine> engine = sound_engine(world, run);
  world.waits(0, world.hosts[0]);
  FetchRequest request;
  request.url = "mailto:a@h0.test";
  engine->submit(std::move(request));
  EXPECT_EQ(run.outcomes.size(), 1U);
  EXPECT_TRUE(engine->idle());
  engine->step(-1);
  EXPECT_EQ(world.failure(), "");
  // An answer within the last step must not keep the engine from waiting for the next event.
  engine->step(-1);
  EXPECT_EQ(world.failure().substr(0, 14), "waits for ever");
}

TEST(EngineSim, AHostThatHasNotAnsweredHoldsASlotForAFifthOfASecondOnly) {
  for (const Kind kind : {Kind::kSilent, Kind::kUnreachable}) {
    const std::int64_t alone_ns = time_behind_silent_hosts(0, 1024, kind);
    // The hosts that came before take all slots in turn, for a fifth of a second each; then the
    // good host goes first.
    for (const std::size_t silent : {8U, 100U, 400U}) {
      const auto rounds = static_cast<std::int64_t>(silent / kSlots + 2);
      EXPECT_LE(time_behind_silent_hosts(silent, 1024, kind), alone_ns + rounds * 210 * kMs)
          << silent;
    }
    // If slots were not given back, it would wait for time limits.
    EXPECT_GT(time_behind_silent_hosts(40, 0, kind), alone_ns + 9'000 * kMs);
  }
}

// The caller has bounded such requests itself: they hold no slot from the beginning, as far as
// there are places beside the slots.
TEST(EngineSim, WhatIsMarkedUnheardHoldsNoSlotWhileItsHostIsSilent) {
  const std::int64_t alone_ns = time_behind_silent_hosts(0, 1024, Kind::kSilent, true);
  for (const std::size_t silent : {100U, 400U}) {
    EXPECT_LE(time_behind_silent_hosts(silent, 1024, Kind::kSilent, true), alone_ns + 100 * kMs);
    EXPECT_GT(time_behind_silent_hosts(silent, 1024, Kind::kSilent), alone_ns + 1'000 * kMs);
  }
}

// How URLs of one host, and the hops of one URL, affect each other: turns, time limits, blame.

std::string redirect_to(const std::string& url) {
  return "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + url + "\r\n\r\n";
}

// Lets time pass between an answer that redirects and the step in which the hop can begin.
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

// Regression: the time that a hop waited for its host counted against total_ms, and healthy pages
// became timeouts.
TEST(EngineHostsTest, WhatAHopWaitsIsNotCounted) {
  TinyServer there([](const std::string&) { return TinyServer::ok("x"); });
  TinyServer server([&](const std::string&) { return redirect_to(there.url("/")); });
  const FetchResult result = fetch_over_a_gap(server.url("/"), 7000);
  EXPECT_EQ(result.outcome, Outcome::kOk) << result.error;
  EXPECT_LT(result.time_us, 5'000'000);
}

// Regression: the hop had the first request's date, from which freshness and Retry-After count.
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

// A server whose pages below /silent/ never come. Time passes only while one of them is waited for,
// so that no other page can exceed its limit.
class SilentServer {
 public:
  ~SilentServer() { done_ = true; }
  // Returns the outcomes of these paths, asked one after another.
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

// Regression: three slow pages made timeouts of all that waited for a healthy host.
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

// Each multi of the wire has its own connections and its own table of addresses.
TEST(EngineHostsTest, AHostOfManyTransfersIsSpreadOverMultis) {
  TinyServer server([](const std::string& head) { return TinyServer::ok(path_of(head)); });
  std::string base = server.url("");
  base.replace(base.find("127.0.0.1"), 9, "localhost");
  EngineOptions options = loopback();
  options.slots = options.per_host = 200;
  options.wire.multis = 3;
  Collector got;
  auto engine = Engine::create(options, got);
  for (int i = 0; i < 1000; ++i) (*engine)->submit(request(base + "/" + std::to_string(i)));
  run(**engine);
  ASSERT_EQ(got.results.size(), 1000U);
  for (const auto& [url, result] : got.results) {
    EXPECT_EQ(result.outcome, Outcome::kOk) << url << ": " << result.error;
    EXPECT_EQ(base + result.body, url);
  }
  // A connection is not bound to what it served first: the next page goes where one is free.
  EXPECT_LE(server.connections(), 200);
}

}  // namespace
}  // namespace spinneret::http
