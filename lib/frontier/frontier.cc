// SPDX-License-Identifier: Apache-2.0
#include "frontier/frontier.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "frontier/known_urls.h"
#include "frontier/migrate.h"

namespace spinneret::frontier {
namespace {

std::shared_ptr<Company> company_of(const Options& options) {
  if (options.company == nullptr) return std::make_shared<Company>(options.in_flight);
  return {std::shared_ptr<Company>(), options.company};  // borrowed
}

}  // namespace

// --- opening -------------------------------------------------------------------------------------

Result<std::unique_ptr<Frontier>> Frontier::open(Store& store, const Clock& clock,
                                                 const Options& options) {
  std::unique_ptr<Frontier> made(new Frontier(store, clock, options));
  if (const Status loaded = made->load(); !loaded.ok()) return loaded.error();
  if (const Status done = made->commit(); !done.ok()) return done.error();
  return made;
}

Frontier::Frontier(Store& store, const Clock& clock, const Options& options)
    : options_(options),
      store_(store),
      time_(clock),
      company_(company_of(options)),
      hosts_(store, options.key, options_.politeness, options.hosts_in_play, options.log_page),
      gate_(hosts_, options.tries),
      random_(options.seed),
      lanes_(hosts_, gate_, random_, company_->slots,
             {options_.politeness, options.max_host_pages, options.crowd}),
      patience_(hosts_, lanes_, options_.politeness, options.tries, statistics_, notices_),
      later_(store,
             {options.recrawl, options.retry_delay_ms, options.gone_tries, options.continuous}),
      flights_(store, hosts_, gate_, lanes_, patience_),
      backlog_(store, hosts_, lanes_, statistics_),
      limits_(options_, statistics_, flights_),
      intake_(store, hosts_, backlog_, KnownUrls(hosts_, backlog_, flights_, later_), options_,
              statistics_),
      visits_(hosts_, backlog_, later_, patience_, intake_.links(), random_, statistics_,
              {options.continuous, options.whole_before_ms}),
      outgoing_(time_, hosts_, gate_, flights_, backlog_, later_, *company_,
                Windows(store, hosts_, lanes_), options_, statistics_),
      returns_(time_, gate_, flights_, visits_, company_->suspects,
               Answers(hosts_, gate_, lanes_, patience_, options_.politeness, random_, statistics_,
                       notices_),
               statistics_) {}

// The company goes on without this frontier.
Frontier::~Frontier() {
  for (const auto& [key, flight] : flights_.all()) company_->slots.end(flight.from.slot);
  if (statistics_.sent != 0) company_->suspects.forget(options_.partition);
}

Status Frontier::load() {
  if (const Status done = migrate(store_); !done.ok()) return done;
  Result<Meta> meta = read_meta(store_);
  if (!meta.ok()) return meta.error();
  const std::uint32_t run = meta->run + 1;
  store_.put(Table::kMeta, kRunKey, encode_number(run));
  visits_.begin_run(run);
  time_.begin(store_, later_.load_retries());
  const std::vector<HostId>& marked =
      flights_.load_marks(std::move(meta->flying), meta->flying_rows);
  if (const Status loaded = load_hosts(meta->clean, marked); !loaded.ok()) return loaded;
  store_.put(Table::kMeta, kCleanKey, encode_number(0));
  const Order order = options_.order.value_or(meta->order.value_or(Order::kPriority));
  const std::optional<Order> stands = meta->ranks_stand ? meta->order : std::nullopt;
  if (const Status done = backlog_.load(meta->arrivals_reserved, order, stands); !done.ok())
    return done;
  statistics_.hosts = hosts_.size();
  const Later::OriginOf origin_of = [this](HostId id) -> std::optional<std::string_view> {
    HostSlot slot = 0;
    if (!hosts_.lookup(id, slot)) return std::nullopt;
    return hosts_.host(slot).origin;
  };
  const bool is_new = hosts_.size() == 0;
  if (const Status done =
          later_.load_revisits(time_.now().wall_ms, is_new, meta->recrawl, origin_of);
      !done.ok())
    return done;
  return store_.status();
}

// Hosts with nothing to send cost no more than being known.
Status Frontier::load_hosts(bool clean, const std::vector<HostId>& marked) {
  HostCounts& all = statistics_.all;
  if (!hosts_.load_log(time_.now(), all)) {
    if (!store_.status().ok()) return store_.status();
    if (const Status loaded = hosts_.load_rows(time_.now(), all); !loaded.ok()) return loaded;
    if (!clean) {
      if (const Status counted = recount_waiting(); !counted.ok()) return counted;
    }
    if (const Status begun = hosts_.begin_log(time_.now(), all); !begun.ok()) return begun;
  }
  if (const Status loaded = hosts_.load_logged_rows(); !loaded.ok()) return loaded;
  limits_.begin(all.pages);
  hosts_.mark_visited(time_.now(), marked);
  // Lanes are wanted in the order of ids, in which their queues stand on disk: see windows.h.
  for (HostId id = 0; id < hosts_.id_end(); ++id) {
    HostSlot slot = 0;
    if (hosts_.lookup(id, slot) && hosts_.waiting(hosts_.host(slot)) != 0) lanes_.want(slot);
  }
  return store_.status();
}

// Recounts what waits after a run that did not end.
Status Frontier::recount_waiting() {
  std::vector<std::uint64_t> later(hosts_.size());
  later_.for_each_retry([&](const LaterKey& key) {
    HostSlot slot = 0;
    if (hosts_.lookup(key.host, slot)) ++later[slot];
    return false;
  });
  return backlog_.recount(std::move(later));
}

// --- what may go out -----------------------------------------------------------------------------

void Frontier::note_limits() {
  store_.put(Table::kMeta, kHostPagesKey, encode_number(options_.max_host_pages));
  store_.put(Table::kMeta, kLanesKey, encode_number(static_cast<std::uint64_t>(options_.key)));
  if (options_.partitions != nullptr)
    store_.put(
        Table::kMeta, kPartitionKey,
        std::to_string(options_.partition) + '/' + std::to_string(options_.partitions->count()));
}

void Frontier::note_refusals(const RefusalCounts& counts) {
  if (counts.empty()) return;
  if (!earlier_refusals_) earlier_refusals_ = read_refusals(store_);
  store_.put(Table::kMeta, kRefusedKey, encode_refusals(sum_of(*earlier_refusals_, counts)));
}

bool Frontier::exhausted() {
  if (pending()) return false;
  if (options_.continuous && patience_.next_rest_ms() != INT64_MAX) return false;
  if (limit_reached()) return true;
  if (lanes_.agenda_empty() && flights_.any_passed_over()) {
    flights_.bring_back();
    return false;
  }
  // Revisits that fall due later are for another run, unless this one is to go on.
  if (lanes_.waiting() != 0 || later_.has_revisits(time_.now().wall_ms)) return false;
  if (statistics_.hosts_finished == 0) return !later_.has_retries();
  return !later_.has_retries(patience_.changes(), [this](HostId id) {
    HostSlot slot = 0;
    return hosts_.lookup(id, slot) && !hosts_.host(slot).finished;
  });
}

std::int64_t Frontier::wait_ms() {
  if (limit_reached() || must_wait_alone()) return INT64_MAX;
  const Moment at = time_.now();
  std::int64_t wait = lanes_.wait_ms(at.mono_ms);
  if (patience_.paused()) {
    if (patience_.probe_ms() == INT64_MAX) return INT64_MAX;
    wait = std::max(wait, patience_.probe_ms() - at.mono_ms);
  }
  if (patience_.next_rest_ms() != INT64_MAX)
    wait = std::min(wait, std::max<std::int64_t>(patience_.next_rest_ms() - at.mono_ms, 0));
  wait = std::min(wait, later_.wait_ms(at));
  return wait == INT64_MAX ? wait : std::max(wait, limits_.closed_ms(at.wall_ms));
}

bool Frontier::next(Dispatch& out) {
  lanes_.arrange();
  const Moment at = time_.now();
  if (limits_.closed_ms(at.wall_ms) > 0) return false;
  const std::int64_t now_ms = at.mono_ms;
  if (must_wait_alone()) return false;
  if (std::exchange(stirred_, false)) lanes_.note_output(now_ms);
  lanes_.age(now_ms);
  patience_.end_rests(at);
  lanes_.arrange();
  weigh_outage(at);
  if (patience_.paused()) return probe(at, out);
  const auto send = [this, &out](HostSlot slot) { return outgoing_.send(slot, out); };
  if (const std::optional<HostSlot> alone = company_->suspects.take_next(options_.partition)) {
    // It has lost its turn by waiting: so it comes first.
    if (!limit_reached() && lanes_.serve_first(*alone, now_ms, send)) return true;
  }
  LaneId lane = 0;
  while (!limit_reached() && !company_->suspects.has_next() && lanes_.take(now_ms, lane)) {
    if (lanes_.serve(lane, now_ms, send)) return true;
  }
  return false;
}

void Frontier::weigh_outage(const Moment& at) {
  patience_.end_pause_in_time(at);
  if (!patience_.is_suspicious(at)) return;
  const Flights::ByKey& all = flights_.all();
  const auto others = std::count_if(all.begin(), all.end(), [this](const auto& each) {
    return !patience_.is_silent(each.second.host);
  });
  patience_.weigh(static_cast<std::size_t>(others), at);
}

bool Frontier::probe(const Moment& at, Dispatch& out) {
  if (patience_.probe_ms() > at.mono_ms || limit_reached()) return false;
  const auto send = [this, &out](HostSlot slot) { return outgoing_.send(slot, out); };
  bool sent = false;
  if (const std::optional<LaneId> lane = patience_.next_probe(at))
    sent = lanes_.serve(*lane, at.mono_ms, send);
  for (LaneId lane = 0; !sent && lanes_.take_any(at.mono_ms, lane);)
    sent = lanes_.serve(lane, at.mono_ms, send);
  if (sent) patience_.probed();
  return sent;
}

// --- what comes back -----------------------------------------------------------------------------

Settlement Frontier::settle(const Settled& result) {
  Settlement out;
  if (result.outcome == Outcome::kAborted) {
    if (returns_.note_aborted(result)) out.verdict = Verdict::kPassing;
    return out;
  }
  seal();
  out.verdict = returns_.settle(result, out.row);
  if (out.verdict == Verdict::kStranger) return out;
  intake_.links().end_page();
  if (shows_life(result.outcome)) company_->suspects.note_life();
  return out;
}

// This does not call settle(): the tail belongs to a page that is still to come.
void Frontier::expire_leases(bool all) {
  returns_.expire(all ? INT64_MAX : time_.now().mono_ms - options_.lease_ms);
}

bool Frontier::blame_flights(const std::vector<Frontier*>& all, bool fresh) {
  if (all.empty()) return false;
  auto death = fresh ? Suspects::Death::kFresh : Suspects::Death::kUsed;
  std::vector<Suspects::Flight> in_flight;
  for (const Frontier* const each : all) {
    for (const auto& [key, flight] : each->flights_.all()) {
      in_flight.push_back({key, flight.host, each->options_.partition});
      if (flight.aborted) death = Suspects::Death::kEnded;
    }
  }
  const Suspects::Blame blame = all.front()->company_->suspects.blame(in_flight, death);
  for (Frontier* const each : all) {
    switch (blame) {
      case Suspects::Blame::kOthersFirst: each->flights_.pass_over(each->time_.now()); break;
      case Suspects::Blame::kAgain: each->recall_flights(); break;
      case Suspects::Blame::kGuilty:
        if (each->in_flight() != 0) each->returns_.convict_only();
        break;
    }
  }
  return blame == Suspects::Blame::kGuilty;
}

std::vector<Frontier::Finished> Frontier::finished_hosts(std::size_t most, std::size_t& all) const {
  std::vector<HostSlot> slots = patience_.given_up();
  if (options_.max_host_pages != 0) {
    for (HostSlot slot = 0; slot < hosts_.size(); ++slot) {
      const Host& host = hosts_.host(slot);
      if (!host.finished && lanes_.limit_reached(host) && hosts_.waiting(host) != 0)
        slots.push_back(slot);
    }
  }
  std::sort(slots.begin(), slots.end());
  all = slots.size();
  slots.resize(std::min(most, slots.size()));
  std::vector<Finished> out;
  for (const HostSlot slot : slots) {
    const Host& host = hosts_.host(slot);
    out.push_back({std::string(host.origin),
                   why_finished(hosts_.row(slot), options_.max_host_pages), hosts_.waiting(host)});
  }
  return out;
}

GivenUpSum Frontier::given_up() const {
  GivenUpSum sum{.seeds = statistics_.seeds_unreached};
  for (const HostSlot slot : patience_.given_up()) {
    ++sum.hosts;
    sum.waiting += hosts_.waiting(hosts_.host(slot));
  }
  return sum;
}

// --- committing ----------------------------------------------------------------------------------

bool Frontier::pending() const {
  return intake_.links().sealed() != 0 || store_.staged() != 0 || lanes_.any_wanted() ||
         later_.is_due(time_.now());
}

Status Frontier::commit() {
  if (intake_.links().sealed() != 0) intake_.admit(time_.now().wall_ms);
  Status done = commit_staged();
  backlog_.committed();
  // This comes after the commit, because the walk does not see what is staged.
  if (done.ok()) done = promote_due();
  if (done.ok()) done = hosts_.status();
  // A host at rest forgets what its window has passed.
  if (done.ok() && !flights_.any_passed_over()) hosts_.rest();
  statistics_.hosts = hosts_.size();
  lanes_.arrange();
  return done;
}

Status Frontier::commit_staged() {
  hosts_.stage(time_.now(), limits_.sums());
  later_.stage();
  return store_.commit();
}

// Puts what falls due at the end of its host's queue.
Status Frontier::promote_due() {
  const Moment at = time_.now();
  if (!later_.is_due(at)) return {};
  later_.take_due(at, [this](const LaterKey& later) { return visits_.fall_due(later); });
  return commit_staged();
}

// A staged result is committed with its links and its host's row, or not at all.
Status Frontier::commit_flights() {
  const bool any_results = store_.staged() != 0;
  if (!flights_.stage_marks()) return {};
  return any_results ? commit() : store_.commit();
}

Status Frontier::close() {
  recall_flights();
  if (const Status done = commit(); !done.ok()) return done;
  if (const Status done = hosts_.commit_counts(time_.now(), limits_.sums()); !done.ok())
    return done;
  // The next-allowed times in the rows say all there is to say about the gaps.
  flights_.clear_marks();
  store_.put(Table::kMeta, kCleanKey, encode_number(1));
  if (const Status done = store_.commit(); !done.ok()) return done;
  return store_.sync();
}

}  // namespace spinneret::frontier
