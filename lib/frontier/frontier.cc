// SPDX-License-Identifier: Apache-2.0
// Opening a frontier and sending from it; settling is in frontier_settle.cc, committing in frontier_commit.cc.
#include "frontier/frontier.h"

#include <algorithm>
#include <utility>

#include "frontier/meta.h"
#include "frontier/upkeep.h"
#include "frontier/url_table.h"

namespace spinneret::frontier {
namespace {

// Of the windows of all hosts: about nine URLs each where there are 100,000 hosts. Of five, next() cost two fifths more.
constexpr std::size_t kWindowBytes = std::size_t{100} << 20;
// Hosts whose windows are read together: at 16 a pop of hosts that are not in play costs twice what it does here.
constexpr std::size_t kReadAhead = 256;

}  // namespace

Result<std::unique_ptr<Frontier>> Frontier::open(Store& store, const Clock& clock,
                                                 const Options& options) {
  std::unique_ptr<Frontier> made(new Frontier(store, clock, options));
  if (const Status loaded = made->load(); !loaded.ok()) return loaded.error();
  if (const Status done = made->commit(); !done.ok()) return done.error();
  return made;
}

Frontier::Frontier(Store& store, const Clock& clock, const Options& options)
    : store_(store),
      clock_(clock),
      options_(options),
      hosts_(store, options.key, options_.politeness, options.hosts_in_play, options.log_page),
      gate_(hosts_, options.tries),
      own_company_(options.company == nullptr ? std::make_unique<Company>(options.in_flight)
                                              : nullptr),
      company_(own_company_ ? *own_company_ : *options.company),
      random_(options.seed),
      lanes_(hosts_, gate_, random_, company_.slots,
             {options_.politeness, options.max_host_pages, options.crowd}),
      patience_(hosts_, lanes_, options_.politeness, options.tries, statistics_, notices_),
      later_(store,
             {options.recrawl, options.retry_delay_ms, options.gone_tries, options.continuous}),
      flights_(store, hosts_, gate_, lanes_, patience_),
      backlog_(store, hosts_, lanes_, statistics_),
      known_urls_(hosts_, backlog_, flights_, later_),
      visits_(hosts_, backlog_, later_, patience_, admission_, random_, statistics_,
              options.continuous) {}

// The company goes on without it.
Frontier::~Frontier() {
  for (const auto& [key, flight] : flights_.all()) company_.slots.end(flight.from.slot);
  if (statistics_.sent != 0) company_.suspects.forget(options_.partition);
}

// What an older version has written. A crash in between does it again, which does no harm.
Status Frontier::migrate() {
  const Result<Meta> meta = read_meta(store_);
  if (!meta.ok()) return meta.error();
  if (meta->format == kFormat) return {};
  if (const Status done = move_urls(store_, *meta); !done.ok()) return done;
  // Before 5 a run without --recrawl did not note that it had given its pages no places.
  if (meta->format < 5) store_.put(Table::kMeta, kRecrawlKey, {});
  if (meta->format != 3) {
    store_.erase(Table::kMeta, kMovingKey);
    return store_.commit();
  }
  Result<Upkeep> upkeep = Upkeep::open(store_);
  if (!upkeep.ok()) return upkeep.error();
  // It goes in batches, and is to be done again unless the last of them is durable.
  if (const Status done = upkeep->revive_blocked(); !done.ok()) return done;
  store_.erase(Table::kMeta, kMovingKey);
  return store_.commit();
}

Status Frontier::load() {
  if (const Status done = migrate(); !done.ok()) return done;
  Result<Meta> meta = read_meta(store_);
  if (!meta.ok()) return meta.error();
  const std::uint32_t run = meta->run + 1;
  store_.put(Table::kMeta, kRunKey, encode_number(run));
  visits_.begin_run(run);
  boot_ = boot_now(store_, clock_);
  boot_.steady_ms = std::max(boot_.steady_ms, later_.load_retries());
  store_.put(Table::kMeta, kBootKey, encode_boot(boot_));
  const std::vector<HostId>& marked =
      flights_.load_marks(std::move(meta->flying), meta->flying_rows);
  if (const Status loaded = load_hosts(meta->clean, marked); !loaded.ok()) return loaded;
  store_.put(Table::kMeta, kCleanKey, encode_number(0));
  const Order order = options_.order.value_or(meta->order.value_or(Order::kPriority));
  if (const Status done = backlog_.load(meta->arrivals_reserved, order, meta->order); !done.ok())
    return done;
  statistics_.hosts = hosts_.size();
  const Later::OriginOf origin_of = [this](HostId id) -> std::optional<std::string_view> {
    HostSlot slot = 0;
    if (!hosts_.lookup(id, slot)) return std::nullopt;
    return hosts_.host(slot).origin;
  };
  const bool is_new = hosts_.size() == 0;
  if (const Status done = later_.load_revisits(now().wall_ms, is_new, meta->recrawl, origin_of);
      !done.ok())
    return done;
  return store_.status();
}

// Those with nothing to do cost no more than that they are known.
Status Frontier::load_hosts(bool clean, const std::vector<HostId>& marked) {
  HostCounts& all = statistics_.all;
  if (!hosts_.load_log(now(), all)) {
    if (!store_.status().ok()) return store_.status();
    if (const Status loaded = hosts_.load_rows(now(), all); !loaded.ok()) return loaded;
    if (!clean) {
      if (const Status counted = recount_waiting(); !counted.ok()) return counted;
    }
    if (const Status begun = hosts_.begin_log(now(), all); !begun.ok()) return begun;
  }
  pages_before_ = all.pages;
  hosts_.mark_visited(now(), marked);
  // In the order of their ids, in which their queues stand on disk: see read_ahead().
  for (HostId id = 0; id < hosts_.id_end(); ++id) {
    HostSlot slot = 0;
    if (hosts_.lookup(id, slot) && hosts_.waiting(hosts_.host(slot)) != 0) lanes_.want(slot);
  }
  return store_.status();
}

Moment Frontier::now() const {
  const std::int64_t mono_ns = clock_.monotonic_ns();
  const std::int64_t boot_ms = clock_.boot_ns() / 1'000'000;
  return {mono_ns / 1'000'000,
          mono_ns % 1'000'000 != 0,
          clock_.unix_ms(),
          boot_.steady_ms + boot_ms - boot_.boot_ms,
          boot_ms,
          boot_.number};
}

Frontier::Offer Frontier::offer(const Candidate& candidate, UrlError* why) {
  if (!parse(candidate.url, url_, why)) return Offer::kNotUrl;
  if (!url_.is_http()) return Offer::kNotHttp;
  if (candidate.depth > options_.max_depth && !is_checked(candidate.depth)) {
    ++statistics_.too_deep;
    return Offer::kTooDeep;
  }
  if (options_.partitions != nullptr) {
    elsewhere_ = options_.partitions->of_host(url_.host());
    if (elsewhere_ != options_.partition) return Offer::kElsewhere;
  }
  admission_.stage(candidate, cut_url(url_, scratch_));
  return Offer::kStaged;
}

// --- what may go out ------------------------------------------------------------------------------

bool Frontier::limit_reached() const {
  const auto over = [](std::uint64_t count, std::uint64_t limit) {
    return limit != 0 && count >= limit;
  };
  return over(statistics_.pages + flights_.pages(), options_.max_pages) ||
         over(pages_before_ + statistics_.pages + flights_.pages(), options_.max_total_pages) ||
         over(statistics_.bytes, options_.max_bytes);
}

void Frontier::note_limits() {
  store_.put(Table::kMeta, kHostPagesKey, encode_number(options_.max_host_pages));
}

void Frontier::note_refusals(const RefusalCounts& counts) {
  if (!counts.empty())
    store_.put(Table::kMeta, kRefusedKey, encode_refusals(sum_of(read_refusals(store_), counts)));
}

bool Frontier::exhausted() {
  if (pending()) return false;
  if (options_.continuous && patience_.next_rest_ms() != INT64_MAX) return false;
  if (limit_reached()) return true;
  if (lanes_.agenda_empty() && flights_.any_passed_over()) {
    flights_.bring_back();
    return false;
  }
  // What falls due again later is for another run, unless this one is to go on.
  if (lanes_.waiting() != 0 || later_.has_revisits(now().wall_ms)) return false;
  if (statistics_.hosts_finished == 0) return !later_.has_retries();
  return !later_.has_retries(patience_.changes(), [this](HostId id) {
    HostSlot slot = 0;
    return hosts_.lookup(id, slot) && !hosts_.host(slot).finished;
  });
}

std::int64_t Frontier::wait_ms() {
  if (limit_reached() || must_wait_alone()) return INT64_MAX;
  const Moment at = now();
  std::int64_t wait = lanes_.wait_ms(at.mono_ms);
  if (patience_.paused()) {
    if (patience_.probe_ms() == INT64_MAX) return INT64_MAX;
    wait = std::max(wait, patience_.probe_ms() - at.mono_ms);
  }
  if (patience_.next_rest_ms() != INT64_MAX)
    wait = std::min(wait, std::max<std::int64_t>(patience_.next_rest_ms() - at.mono_ms, 0));
  wait = std::min(wait, later_.wait_ms(at));
  return wait == INT64_MAX ? wait : std::max(wait, closed_ms(at.wall_ms));
}

std::int64_t Frontier::closed_ms(std::int64_t wall_ms) const {
  if (options_.hours.always()) return 0;
  return wait_for(options_.hours, wall_ms, utc_offset_ms(wall_ms));
}

// --- sending --------------------------------------------------------------------------------------

bool Frontier::next(Dispatch& out) {
  lanes_.arrange();
  const Moment at = now();
  if (closed_ms(at.wall_ms) > 0) return false;
  const std::int64_t now_ms = at.mono_ms;
  if (must_wait_alone()) return false;
  lanes_.age(now_ms);
  patience_.end_rests(at);
  lanes_.arrange();
  weigh_outage(at);
  if (patience_.paused()) return probe(at, out);
  const auto send = [this, &out](HostSlot slot) { return send_from_host(slot, out); };
  if (const std::optional<HostSlot> alone = company_.suspects.take_next(options_.partition)) {
    // Its turn was lost to waiting: it comes first.
    if (!limit_reached() && lanes_.serve_first(*alone, now_ms, send)) return true;
  }
  LaneId lane = 0;
  while (!limit_reached() && !company_.suspects.has_next() && lanes_.take(now_ms, lane)) {
    if (lanes_.serve(lane, now_ms, send)) return true;
  }
  return false;
}

bool Frontier::send_from_host(HostSlot slot, Dispatch& out) {
  if (hosts_.host(slot).rules != Rules::kWanted) return send_page(slot, out);
  if (must_go_alone(Flights::key_of(Purpose::kRobots, gate_.url_of(slot)), slot)) return false;
  send_rules(slot, out);
  return true;
}

bool Frontier::must_go_alone(std::string_view key, HostSlot slot) {
  return company_.suspects.must_go_alone({key, slot, options_.partition},
                                         company_.slots.in_flight() != 0);
}

void Frontier::send_rules(HostSlot slot, Dispatch& out) {
  out = Dispatch();
  out.url = gate_.url_of(slot);
  out.purpose = Purpose::kRobots;
  out.priority = 0;
  gate_.send(slot);
  launch(slot, out, Place{}, {});
}

// Windows of the hosts whose turn comes next, in one walk over the queues: to begin a walk costs more than
// what it reads for a host.
void Frontier::read_ahead(HostSlot first) {
  lanes_.ahead(first, now().mono_ms, kReadAhead, ahead_);
  asleep_ = ahead_;
  hosts_.bring_in(asleep_);
  std::sort(ahead_.begin(), ahead_.end(),
            [this](HostSlot a, HostSlot b) { return hosts_.host(a).id < hosts_.host(b).id; });
  make_queue_end(scratch_, hosts_.host(ahead_.back()).id);
  const std::unique_ptr<Cursor> at = store_.scan(Table::kQueue, scratch_);
  const std::size_t most = kWindowBytes / std::max<std::size_t>(hosts_.size(), 1);
  for (const HostSlot slot : ahead_) {
    HostPlay& play = hosts_.play(slot);
    play.queue.refill(*at, play.row.id, play.flying, play.row.counts.waiting, most);
  }
}

bool Frontier::send_page(HostSlot slot, Dispatch& out) {
  Host& host = hosts_.host(slot);
  if (host.play == nullptr || (host.play->queue.window_empty() && !host.play->queue.complete()))
    read_ahead(slot);
  HostPlay& play = hosts_.play(slot);
  Place place;
  QueueEntry entry;
  if (play.queue.empty()) flights_.bring_back();
  if (play.queue.window_empty()) return false;
  if (!play.queue.front(place, entry)) {  // it is out of the way, and the next commit fails
    hosts_.note_damage("place in the queue of", slot);
    play.queue.pop();
    return false;
  }
  out.url.clear();
  append_url(out.url, host.origin, entry.rest);
  if (must_go_alone(out.url, slot)) return false;
  out.purpose = entry.is_sitemap ? Purpose::kSitemap : Purpose::kPage;
  out.depth = entry.depth;
  out.priority = place.priority();
  out.extra = entry.extra;
  out.etag.clear();
  out.last_modified.clear();
  if (entry.visited) add_validators(slot, entry.rest, out);
  launch(slot, out, place, play.queue.front_bytes());
  play.queue.pop();
  return true;
}

void Frontier::add_validators(HostSlot slot, std::string_view rest, Dispatch& out) {
  UrlRow row;
  if (!backlog_.get(slot, rest, row) || (row.etag.empty() && row.last_modified.empty())) return;
  if (!later_.signals().sends_validators(hosts_.host(slot).id)) return;
  out.etag = row.etag;
  out.last_modified = row.last_modified;
}

void Frontier::launch(HostSlot slot, Dispatch& out, Place place, std::string_view entry) {
  const Host& host = hosts_.host(slot);
  HostPlay& play = hosts_.play(slot);
  const Moment at = now();
  if (play.answered_ms != 0 && note_gap(play.row, at.mono_ms - play.answered_ms, play.owed_ms))
    hosts_.touch(slot);
  out.unheard = !hosts_.lane(host.lane).heard;
  std::string key = Flights::key_of(out.purpose, out.url);
  company_.suspects.note_sent(key);
  flights_.begin(std::move(key), slot, out.purpose, place, entry, at);
  // With one at a time, only a robots.txt makes more than one request: where it leads elsewhere.
  const bool is_rules = out.purpose == Purpose::kRobots;
  out.gap_ms =
      options_.politeness.per_host > 1 || is_rules ? delay_ms(play.row, options_.politeness) : 0;
  out.lane.reset();
  if (out.gap_ms != 0 && options_.key != PolitenessKey::kHost) out.lane = host.lane;
  ++statistics_.sent;
}

}  // namespace spinneret::frontier
