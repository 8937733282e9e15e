// SPDX-License-Identifier: Apache-2.0
// A world for the fetch engine in which no real time passes and nothing happens but what a seed
// chooses: a clock, a poller, a resolver, and a wire with servers behind it. An answer may be
// complete while its request is being sent, or come in pieces, be reset, stop, or never begin; a
// name may be resolved at once, late, by a timer, or not at all.
//
// The world keeps its own books of what waits where, and checks them whenever the engine is about
// to wait: whatever could be started then has been forgotten. World::failure() names the first rule
// that was broken.
//
// A URL is http://hHOST.test/TICKET/HOPS: HOPS redirects lie ahead, each to a host that the seed
// chooses.
#ifndef SPINNERET_TESTS_SUPPORT_SIM_NET_H_
#define SPINNERET_TESTS_SUPPORT_SIM_NET_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "http/fetch_engine.h"
#include "support/random.h"

namespace spinneret::sim {

constexpr std::int64_t kMs = 1'000'000;
// How late a limit may act: the engine's scan gap, whole milliseconds, and the delay with which a
// busy machine wakes us.
constexpr std::int64_t kLateNs = 30 * kMs;

using support::Random;
// Returns numbers that are far from those of other seeds.
inline Random random_of(std::uint64_t seed) { return Random(seed * support::kSplitMixStep + 1); }

struct Host {
  enum class Kind {
    kGood,
    kMixed,        // fails now and then, in each way
    kSilent,       // connects and never answers
    kUnreachable,  // never connects
    kRefusing,     // refuses connections, at once
    kNameless,     // has no address
    kSlowName,     // its name is answered late
    kSilentNames,  // its name server is silent until the resolver gives up
  };
  Kind kind = Kind::kGood;
  std::string name;
  // The world's books.
  std::size_t in_flight = 0;
  bool answered = false;            // it may have more than one transfer
  std::int64_t known_until_ns = 0;  // until when its addresses are known
  bool looked_up = false;           // a lookup is under way
};

class World : public Clock {
 public:
  World(std::uint64_t seed, std::vector<Host::Kind> kinds) : random(random_of(seed)) {
    for (const Host::Kind kind : kinds) {
      hosts.emplace_back();
      hosts.back().kind = kind;
      hosts.back().name = "h" + std::to_string(hosts.size() - 1) + ".test";
    }
  }

  std::int64_t monotonic_ns() const override { return now_ns; }
  std::int64_t unix_ms() const override { return 1'700'000'000'000 + now_ns / kMs; }

  void at(std::int64_t when_ns, std::function<void()> what) {
    events_.push({when_ns, random.next(), std::move(what)});
  }
  // Does what Poller::wait does.
  bool wait(int timeout_ms, const std::function<void()>& before_wait);

  Host& host(const std::string& name) {
    return *std::find_if(hosts.begin(), hosts.end(),
                         [&](const Host& at) { return at.name == name; });
  }
  // The books: a ticket waits at a host, or is in flight there, or is answered.
  void waits(std::uint64_t ticket, Host& at) { waiting_[ticket] = &at; }
  void flies(std::uint64_t ticket, Host& at);
  void lands(std::uint64_t ticket);
  void answered(std::uint64_t ticket);

  void fail(const std::string& why) {
    if (failure_.empty()) failure_ = why + " at " + std::to_string(now_ns / kMs) + " ms";
  }
  const std::string& failure() const { return failure_; }

  Random random;
  std::deque<Host> hosts;
  std::int64_t now_ns = 1'000 * kMs;
  bool late = true;  // wakes the engine late now and then
  http::EngineOptions options;
  std::optional<std::uint64_t> held_for;
  bool stopped = false;
  std::size_t flying = 0;
  // A hash of all that happened, which the same seed gives again.
  std::uint64_t trace = 0;
  void note(std::uint64_t what) {
    trace = (trace ^ what ^ static_cast<std::uint64_t>(now_ns)) * 0x100000001B3U;
  }

 private:
  struct Event {
    std::int64_t when_ns;
    std::uint64_t tie;
    std::function<void()> what;
    bool operator<(const Event& other) const {
      return when_ns != other.when_ns ? when_ns > other.when_ns : tie > other.tie;
    }
  };
  bool could_start(std::uint64_t ticket, const Host& at) const;
  void check_nothing_to_start();

  std::priority_queue<Event> events_;
  std::map<std::uint64_t, Host*> waiting_;
  std::map<std::uint64_t, Host*> flying_;
  std::string failure_;
};

inline void World::flies(std::uint64_t ticket, Host& at) {
  if (waiting_.erase(ticket) == 0) fail("a request is sent that does not wait");
  flying_[ticket] = &at;
  ++at.in_flight;
  ++flying;
  // The record whose turn it is needs no slot.
  const std::size_t most = options.slots + options.max_patient + (held_for ? 1 : 0);
  if (flying > most) fail("more transfers than slots");
  if (at.in_flight > std::max<std::size_t>(options.per_host, 1)) fail("too many at one host");
}

inline void World::lands(std::uint64_t ticket) {
  const auto found = flying_.find(ticket);
  if (found == flying_.end()) return fail("what ends was not under way");
  --found->second->in_flight;
  --flying;
  flying_.erase(found);
}

inline void World::answered(std::uint64_t ticket) {
  waiting_.erase(ticket);
  if (flying_.count(ticket) != 0) fail("answered, and still under way");
}

// Where the books are not certain the answer is no.
inline bool World::could_start(std::uint64_t ticket, const Host& at) const {
  if (stopped || (held_for && *held_for != ticket)) return false;
  if (!held_for && flying >= options.slots) return false;
  return at.in_flight < (at.answered ? options.per_host : 1) && !at.looked_up;
}

inline void World::check_nothing_to_start() {
  for (const auto& [ticket, at] : waiting_) {
    if (could_start(ticket, *at)) {
      return fail("waits although " + std::to_string(ticket) + " could be started at " + at->name);
    }
  }
}

inline bool World::wait(int timeout_ms, const std::function<void()>& before_wait) {
  if (timeout_ms != 0) check_nothing_to_start();
  const std::int64_t limit = timeout_ms < 0 ? INT64_MAX : now_ns + timeout_ms * kMs;
  if (events_.empty() || events_.top().when_ns > limit) {
    if (limit == INT64_MAX) {
      fail("waits for ever");
      return false;
    }
    if (timeout_ms != 0 && before_wait) before_wait();
    now_ns = limit;
    return false;
  }
  now_ns = std::max(now_ns, events_.top().when_ns);
  if (late && random.one_in(8)) now_ns += random.between(0, 5 * kMs);
  // Only some of the due events are reported; the next wait reports the rest, as epoll_wait(2) may.
  do {
    const std::function<void()> what = events_.top().what;
    events_.pop();
    what();
  } while (!events_.empty() && events_.top().when_ns <= now_ns && !random.one_in(3));
  return true;
}

class SimPoller : public http::Poller {
 public:
  explicit SimPoller(World& world) : world_(world) {}
  bool watch(int, unsigned, Client*) override { return true; }
  void park(int) override {}
  void forget(int) override {}
  bool wait(int timeout_ms, const std::function<void()>& before_wait) override {
    return world_.wait(timeout_ms, before_wait);
  }

 private:
  World& world_;
};

class SimResolver : public http::Resolver {
 public:
  explicit SimResolver(World& world) : world_(world) {}

  void lookup(const std::string& name, Callback callback) override {
    Host& host = world_.host(name);
    const auto kept = kept_.find(name);
    if (kept != kept_.end() && kept->second.expires_ns > world_.now_ns) {
      const http::Resolution answer = kept->second;
      return tell(host, {std::move(callback)}, answer);
    }
    std::vector<Callback>& waiting = pending_[name];
    waiting.push_back(std::move(callback));
    host.looked_up = true;
    if (waiting.size() == 1) ask(host);
  }
  void advance() override {
    const std::vector<std::pair<std::int64_t, std::string>> timers = std::exchange(timers_, {});
    for (const auto& [when_ns, name] : timers) {
      if (when_ns <= world_.now_ns) {
        settle(world_.host(name));
      } else {
        timers_.emplace_back(when_ns, name);
      }
    }
    timer_ns_ = soonest();
  }
  int timeout_ms() const override {
    const std::int64_t at = stale_timer ? timer_ns_ : soonest();
    if (at == INT64_MAX) return -1;
    return static_cast<int>(std::max<std::int64_t>(0, (at - world_.now_ns + kMs - 1) / kMs));
  }

  // The fault to inject: timeout_ms() does not know lookups that began since advance().
  bool stale_timer = false;

 private:
  std::int64_t soonest() const {
    std::int64_t at = INT64_MAX;
    for (const auto& timer : timers_) at = std::min(at, timer.first);
    return at;
  }
  void ask(Host& host) {
    Random& random = world_.random;
    const bool slow = host.kind == Host::Kind::kSlowName;
    const bool by_timer = host.kind == Host::Kind::kSilentNames || random.one_in(8);
    const std::int64_t delay =
        host.kind == Host::Kind::kSilentNames
            ? world_.options.limits.connect_ms * kMs
            : random.between(0, slow ? 400 * kMs : 20 * kMs) * (random.one_in(3) ? 0 : 1);
    if (by_timer) {
      timers_.emplace_back(world_.now_ns + delay, host.name);
    } else if (delay == 0 && random.one_in(2)) {
      settle(host);  // c-ares may answer from within its call
    } else {
      world_.at(world_.now_ns + delay, [this, &host] { settle(host); });
    }
  }
  void settle(Host& host) {
    const bool fails = host.kind == Host::Kind::kNameless ||
                       host.kind == Host::Kind::kSilentNames ||
                       (host.kind == Host::Kind::kMixed && world_.random.one_in(8));
    http::Resolution answer;
    if (fails) {
      answer.error = "no such host";
      answer.own_trouble = world_.random.one_in(4);
    } else {
      answer.addresses = {*parse_ip("9.9.9.9")};
    }
    const bool short_lived = world_.random.one_in(3);
    answer.expires_ns =
        world_.now_ns + (short_lived ? world_.random.between(1, 100) : 3'600'000) * kMs;
    kept_[host.name] = answer;
    tell(host, std::exchange(pending_[host.name], {}), answer);
  }
  void tell(Host& host, const std::vector<Callback>& callbacks, const http::Resolution& answer) {
    host.looked_up = false;
    for (const Callback& callback : callbacks) callback(answer);
  }

  World& world_;
  std::map<std::string, http::Resolution> kept_;
  std::map<std::string, std::vector<Callback>> pending_;
  std::vector<std::pair<std::int64_t, std::string>> timers_;  // answers that only advance() brings
  std::int64_t timer_ns_ = INT64_MAX;
};

// An exchange, with the steps that the seed has chosen.
class Play : public http::Wire::Exchange {
 public:
  struct Step {
    enum class What { kConnected, kHeader, kBody, kEnd, kNothing } what;
    std::int64_t delay_ns;
    std::string bytes;
    http::WireEnd end = http::WireEnd::kDone;
  };
  Host* host = nullptr;
  std::uint64_t ticket = 0;
  http::WireHandler* handler = nullptr;
  std::deque<Step> steps;
  Host* leads_to = nullptr;  // a redirect's target
  bool over = false;
  bool paused = false;
  bool connected = false;
  bool heard = false;
  std::int64_t stage_ns = 0;  // when the stage began: start, connection, or the last byte
};

class SimWire : public http::Wire {
 public:
  explicit SimWire(World& world) : world_(world) {}
  ~SimWire() override {
    if (under_way_ != 0) world_.fail("exchanges are left");
  }

  http::Wire::Exchange* start(const http::WireCall& call, http::WireHandler& handler) override;
  void drop(http::Wire::Exchange* handle) override;
  void resume(http::Wire::Exchange* handle) override;
  http::WireTimes times(const http::Wire::Exchange*) const override { return {}; }
  void forget_host(const std::string&, int) override {}
  Status save_cookies() override { return {}; }
  int timeout_ms() const override { return started_.empty() && broken_.empty() ? -1 : 0; }
  void advance() override;

  std::size_t started() const { return count_; }

 private:
  using Step = Play::Step;
  using What = Step::What;
  void write_script(Play& exchange, const std::string& hops, bool fresh_connection);
  void write_answer(Play& exchange, int hops);
  void write_trouble(Play& exchange, bool fresh_connection);
  void go_on(Play& exchange);
  bool take_step(Play& exchange);
  void end(Play& exchange, http::WireEnd how);
  void finish(Play& exchange, http::WireEnd how, bool told);
  void check_limits(const Play& exchange) const;
  std::int64_t pause() {
    if (at_once_ || world_.random.one_in(3)) return 0;
    return world_.random.between(0, 30 * kMs);
  }
  bool is(const Play& exchange, Host::Kind kind) const { return exchange.host->kind == kind; }

  World& world_;
  std::vector<std::unique_ptr<Play>> all_;
  std::vector<Play*> started_;
  std::deque<std::pair<Play*, http::WireEnd>> ended_;
  std::deque<Play*> broken_;
  std::size_t under_way_ = 0;
  std::size_t count_ = 0;
  // The answer is complete while its request is being sent.
  bool at_once_ = false;
};

inline http::Wire::Exchange* SimWire::start(const http::WireCall& call,
                                            http::WireHandler& handler) {
  all_.push_back(std::make_unique<Play>());
  Play& exchange = *all_.back();
  // http://hN.test/TICKET/HOPS
  const std::size_t path = call.url.find('/', 7);
  const std::size_t hops = call.url.find('/', path + 1);
  exchange.host = &world_.host(call.url.substr(7, path - 7));
  exchange.ticket = std::stoull(call.url.substr(path + 1, hops - path - 1));
  exchange.handler = &handler;
  exchange.stage_ns = world_.now_ns;
  world_.flies(exchange.ticket, *exchange.host);
  world_.note(exchange.ticket);
  ++under_way_;
  ++count_;
  write_script(exchange, call.url.substr(hops + 1), call.fresh_connection);
  if (world_.random.one_in(64)) {
    broken_.push_back(&exchange);
  } else {
    started_.push_back(&exchange);
  }
  return &exchange;
}

inline void SimWire::write_script(Play& exchange, const std::string& hops, bool fresh_connection) {
  at_once_ = world_.random.one_in(3);
  if (is(exchange, Host::Kind::kUnreachable)) {
    return exchange.steps.push_back({What::kNothing, 0, {}});
  }
  if (is(exchange, Host::Kind::kRefusing)) {
    return exchange.steps.push_back({What::kEnd, pause(), {}, http::WireEnd::kConnect});
  }
  if (is(exchange, Host::Kind::kMixed) && world_.random.one_in(2)) {
    return write_trouble(exchange, fresh_connection);
  }
  exchange.steps.push_back({What::kConnected, pause(), {}});
  if (is(exchange, Host::Kind::kSilent)) {
    return exchange.steps.push_back({What::kNothing, 0, {}});
  }
  write_answer(exchange, std::stoi(hops));
}

inline void SimWire::write_answer(Play& exchange, int hops) {
  auto& steps = exchange.steps;
  if (hops > 0) {
    exchange.leads_to = &world_.hosts[world_.random.below(world_.hosts.size())];
    const std::string where = "http://" + exchange.leads_to->name + "/" +
                              std::to_string(exchange.ticket) + "/" + std::to_string(hops - 1);
    steps.push_back({What::kHeader, pause(), "HTTP/1.1 302 Found\r\n"});
    steps.push_back({What::kHeader, pause(), "Location: " + where + "\r\n"});
  } else {
    steps.push_back({What::kHeader, pause(), "HTTP/1.1 200 OK\r\n"});
  }
  const std::size_t length = world_.random.below(4) * 1'000;
  steps.push_back({What::kHeader, pause(), "Content-Length: " + std::to_string(length) + "\r\n"});
  steps.push_back({What::kHeader, pause(), "\r\n"});
  for (std::size_t sent = 0; sent < length;) {
    const std::size_t piece = std::min<std::size_t>(length - sent, 1 + world_.random.below(length));
    steps.push_back({What::kBody, pause(), std::string(piece, 'x')});
    sent += piece;
  }
  steps.push_back({What::kEnd, pause(), {}});
}

// Adds trouble before, within or after an answer.
inline void SimWire::write_trouble(Play& exchange, bool fresh_connection) {
  Random& random = world_.random;
  auto& steps = exchange.steps;
  switch (random.below(8)) {
    case 0: return steps.push_back({What::kEnd, pause(), {}, http::WireEnd::kConnect});
    case 1: return steps.push_back({What::kEnd, pause(), {}, http::WireEnd::kTls});
    // A kept connection that was closed, or closes under the request. A new one does neither.
    case 2:
      if (!fresh_connection && random.one_in(2)) {
        steps.push_back({What::kConnected, pause(), {}});
        return steps.push_back({What::kEnd, pause(), {}, http::WireEnd::kDropped});
      }
      return steps.push_back({What::kEnd,
                              pause(),
                              {},
                              fresh_connection ? http::WireEnd::kConnect : http::WireEnd::kStale});
    case 3:
      steps.push_back({What::kConnected, pause(), {}});
      return steps.push_back({What::kEnd, pause(), {}, http::WireEnd::kNoAnswer});
    case 4: return steps.push_back({What::kEnd, pause(), {}, http::WireEnd::kRefusedAddress});
    default: break;
  }
  steps.push_back({What::kConnected, pause(), {}});
  write_answer(exchange, random.one_in(2) ? 1 : 0);
  // The answer is cut short, or it stops: then only a limit ends it.
  const std::size_t keep = 1 + random.below(steps.size() - 1);
  steps.resize(keep);
  if (random.one_in(2)) {
    const bool heard = keep > 1;
    steps.push_back(
        {What::kEnd, pause(), {}, heard ? http::WireEnd::kCut : http::WireEnd::kNoAnswer});
  } else {
    steps.push_back({What::kNothing, 0, {}});
  }
  exchange.leads_to = nullptr;  // an incomplete answer leads nowhere
}

// Takes the steps whose time has come, and schedules the next.
inline void SimWire::go_on(Play& exchange) {
  while (!exchange.over && !exchange.paused && !exchange.steps.empty()) {
    Step& step = exchange.steps.front();
    if (step.what == What::kNothing) return;
    if (step.delay_ns > 0) {
      const std::int64_t when_ns = world_.now_ns + std::exchange(step.delay_ns, 0);
      return world_.at(when_ns, [this, &exchange] { go_on(exchange); });
    }
    if (!take_step(exchange)) return;
  }
}

inline bool SimWire::take_step(Play& exchange) {
  const Step step = exchange.steps.front();
  http::WireStep wish = http::WireStep::kGoOn;
  switch (step.what) {
    case What::kConnected:
      exchange.connected = true;
      exchange.handler->on_connected("9.9.9.9");
      break;
    case What::kHeader:
      if (!exchange.heard) exchange.heard = exchange.host->answered = true;
      wish = exchange.handler->on_header(step.bytes);
      break;
    case What::kBody: wish = exchange.handler->on_body(step.bytes); break;
    case What::kEnd: end(exchange, step.end); return false;
    case What::kNothing: return false;
  }
  if (wish == http::WireStep::kPause) {
    exchange.paused = true;
    return false;
  }
  exchange.stage_ns = world_.now_ns;
  exchange.steps.pop_front();
  if (wish == http::WireStep::kStop) end(exchange, http::WireEnd::kStopped);
  return true;
}

inline void SimWire::end(Play& exchange, http::WireEnd how) {
  exchange.over = true;
  ended_.emplace_back(&exchange, how);
}

inline void SimWire::finish(Play& exchange, http::WireEnd how, bool told) {
  exchange.over = true;
  --under_way_;
  world_.note(static_cast<std::uint64_t>(how) + 100);
  if (how == http::WireEnd::kConnect || !exchange.connected) exchange.host->answered = false;
  world_.lands(exchange.ticket);
  // A ticket that is neither answered nor tried again waits: where it was, or where its redirect
  // leads.
  const bool leads = how == http::WireEnd::kDone && exchange.leads_to != nullptr;
  world_.waits(exchange.ticket, leads ? *exchange.leads_to : *exchange.host);
  if (told) exchange.handler->on_end(how, "simulated");
}

inline void SimWire::check_limits(const Play& exchange) const {
  const http::FetchLimits& limits = world_.options.limits;
  const std::int64_t limit = !exchange.connected ? limits.connect_ms
                             : !exchange.heard   ? limits.first_byte_ms
                                                 : 2 * limits.low_speed_ms;
  if (!exchange.paused && world_.now_ns - exchange.stage_ns > limit * kMs + kLateNs) {
    world_.fail("a limit of " + std::to_string(limit) + " ms was kept late");
  }
}

inline void SimWire::drop(http::Wire::Exchange* handle) {
  auto& exchange = *static_cast<Play*>(handle);
  check_limits(exchange);
  std::erase(started_, &exchange);
  std::erase(broken_, &exchange);
  std::erase_if(ended_, [&](const auto& at) { return at.first == &exchange; });
  finish(exchange, http::WireEnd::kStopped, false);
}

inline void SimWire::resume(http::Wire::Exchange* handle) {
  auto& exchange = *static_cast<Play*>(handle);
  exchange.paused = false;
  if (!exchange.over) go_on(exchange);
}

inline void SimWire::advance() {
  for (Play* const exchange : std::exchange(started_, {})) go_on(*exchange);
  while (!ended_.empty()) {
    const auto [exchange, how] = ended_.front();
    ended_.pop_front();
    check_limits(*exchange);
    finish(*exchange, how, true);
  }
  for (std::size_t count = broken_.size(); count > 0 && !broken_.empty(); --count) {
    Play& exchange = *broken_.front();
    broken_.pop_front();
    finish(exchange, http::WireEnd::kOwnTrouble, true);
  }
}

inline http::EngineParts parts_of(World& world) {
  return {std::make_unique<SimPoller>(world), std::make_unique<SimResolver>(world),
          std::make_unique<SimWire>(world)};
}

}  // namespace spinneret::sim

#endif  // SPINNERET_TESTS_SUPPORT_SIM_NET_H_
