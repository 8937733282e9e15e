// SPDX-License-Identifier: Apache-2.0
#include "frontier/upkeep.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "frontier/host_log.h"
#include "frontier/keys.h"
#include "frontier/meta.h"
#include "frontier/row_log.h"
#include "frontier/url_table.h"
#include "frontier/vias.h"
#include "url/parse.h"

namespace spinneret::frontier {
namespace {

constexpr std::size_t kBatch = 10'000;

}  // namespace

Result<Upkeep> Upkeep::open(Store& store) { return open(store, {}); }

Result<Upkeep> Upkeep::open_damaged(Store& store) {
  return open(store, [](const std::string&) {});
}

Result<Upkeep> Upkeep::open(Store& store, const RowLog::Problem& problem) {
  Upkeep made(store);
  const Result<Meta> meta = read_meta(store);
  if (!meta.ok()) return meta.error();
  if (const Status done = move_urls(store, *meta); !done.ok()) return done.error();
  made.next_arrival_ = meta->arrivals_reserved;
  made.order_ = meta->order.value_or(Order::kPriority);
  const auto take = [&made](const HostEntry& host) {
    made.next_id_ = std::max(made.next_id_, host.row.id + 1);
    made.hosts_.emplace(host.origin, host);
    return true;
  };
  if (const Status read = for_each_host(store, take, problem); !read.ok()) return read.error();
  if (const Status done = made.empty_row_log(problem); !done.ok()) return done.error();
  return made;
}

// Moves the log of rows into kHosts, where alone rows are written here: first the newest row of
// each host in the log; when all of those are durable, the log is erased in one batch.
Status Upkeep::empty_row_log(const RowLog::Problem& problem) {
  std::unordered_set<HostId> logged;
  RowLog log(store_);
  const Status read =
      log.read([&](RowLog::Number, HostId id, std::string_view) { logged.insert(id); }, problem);
  if (!read.ok() || log.batches() == 0) return read;
  for (const auto& [origin, host] : hosts_) {
    if (!logged.contains(host.row.id)) continue;
    encode_host_row(bytes_, host.row);
    store_.put(Table::kHosts, origin, bytes_);
    if (store_.staged() < kBatch) continue;
    if (const Status done = store_.commit(); !done.ok()) return done;
  }
  if (const Status done = store_.commit(); !done.ok()) return done;
  log.clear();
  return store_.commit();
}

// Counts are committed with the rows that they count, in one batch.
Status Upkeep::commit() {
  for (const std::string& origin : std::exchange(touched_, {})) {
    encode_host_row(bytes_, hosts_.at(origin).row);
    store_.put(Table::kHosts, origin, bytes_);
  }
  staged_keys_.clear();
  forget_host_log(store_);
  store_.put(Table::kMeta, kArrivalsKey, encode_number(next_arrival_));
  if (const Status done = store_.commit(); !done.ok()) return done;
  return store_.sync();
}

Status Upkeep::commit_if_large() { return store_.staged() < kBatch ? Status() : commit(); }

HostEntry& Upkeep::host_of(std::string_view origin) {
  const auto [at, is_new] = hosts_.try_emplace(std::string(origin));
  if (is_new) {
    at->second.origin = origin;
    at->second.row.id = next_id_++;
  }
  return at->second;
}

void Upkeep::put_row(const HostEntry& host, std::string_view rest, const UrlRow& row) {
  make_url_key(key_, host.row.id, rest);
  encode_url_row(bytes_, row, host.origin);
  store_.put(Table::kUrls, key_, bytes_);
}

void Upkeep::put_waiting(const HostEntry& host, std::string_view rest, UrlRow& row) {
  row.arrival = arrival_of(rank_of(order_, row.depth, row.votes), next_arrival_++);
  make_queue_key(key_, host.row.id, Place::of(row.priority, row.arrival));
  encode_queue_entry(bytes_, entry_of(row, host.origin, rest));
  store_.put(Table::kQueue, key_, bytes_);
  make_url_key(key_, host.row.id, rest);
  encode_waiting_row(bytes_, row, host.origin);
  store_.put(Table::kUrls, key_, bytes_);
}

void Upkeep::erase_place(const HostEntry& host, std::string_view rest, const UrlRow& row) {
  if (row.due_ms != 0) {
    make_later_key(key_, row, host.row.id, rest);
    store_.erase(Table::kLater, key_);
  } else if (row.state == UrlState::kWaiting) {
    make_queue_key(key_, host.row.id, Place::of(row.priority, row.arrival));
    store_.erase_single(Table::kQueue, key_);
  }
}

Result<std::uint64_t> Upkeep::forget(const Wanted& wanted, const Gone& gone, const Told& told) {
  const auto commit_told = [&] {
    return told() ? commit() : Status(Error{"what cannot be printed is not forgotten"});
  };
  std::uint64_t forgotten = 0;
  std::string url;
  for (auto& each : hosts_) {
    const std::string& origin = each.first;
    HostEntry& host = each.second;
    Status inner;
    const Status read = for_each_url(store_, host, [&](std::string_view rest, const UrlRow& row) {
      url.clear();
      append_url(url, origin, rest);
      if (!wanted(url)) return true;
      erase_place(host, rest, row);
      make_url_key(key_, host.row.id, rest);
      store_.erase(Table::kUrls, key_);
      --host.row.counts.of(row.state);
      touched_.insert(origin);
      ++forgotten;
      gone(url, row);
      if (store_.staged() >= kBatch) inner = commit_told();
      return inner.ok();
    });
    if (!read.ok()) return read.error();
    if (!inner.ok()) return inner.error();
  }
  if (const Status done = commit_told(); !done.ok()) return done.error();
  return forgotten;
}

// Makes those of a host's URLs wait again that `which` picks.
Result<std::uint64_t> Upkeep::revive(HostEntry& host, const Which& which) {
  std::uint64_t revived = 0;
  Status inner;
  const Status read = for_each_url(store_, host, [&](std::string_view rest, const UrlRow& row) {
    if (!which(row)) return true;
    erase_place(host, rest, row);
    UrlRow again = row;
    --host.row.counts.of(row.state);
    ++host.row.counts.waiting;
    again.state = UrlState::kWaiting;
    again.failures = 0;
    again.due_ms = 0;
    // A page that was fetched, but not as it is wanted now, must not be called unchanged: one that
    // was too large has validators, too.
    if (class_of(row.outcome) == OutcomeClass::kDone) forget_validators(again);
    put_waiting(host, rest, again);
    touched_.insert(host.origin);
    ++revived;
    inner = commit_if_large();
    return inner.ok();
  });
  if (!read.ok()) return read.error();
  if (!inner.ok()) return inner.error();
  return revived;
}

Result<std::uint64_t> Upkeep::clear_errors() {
  std::uint64_t cleared = 0;
  for (auto& [origin, host] : hosts_) {
    if (host.row.finish != Finish::kNot) {
      touched_.insert(origin);
      cleared += host.row.counts.waiting;
    }
    host.row.finish = Finish::kNot;
    host.row.failures = 0;
  }
  const Result<std::uint64_t> revived =
      revive_all([](const UrlRow& row) { return row.state == UrlState::kError; });
  if (!revived.ok()) return revived.error();
  return cleared + *revived;
}

Result<std::uint64_t> Upkeep::clear_outcomes(std::span<const Outcome> outcomes) {
  return revive_all([outcomes](const UrlRow& row) {
    return row.state != UrlState::kWaiting &&
           std::find(outcomes.begin(), outcomes.end(), row.outcome) != outcomes.end();
  });
}

// The same for all hosts.
Result<std::uint64_t> Upkeep::revive_all(const Which& which) {
  std::uint64_t count = 0;
  for (auto& each : hosts_) {
    const Result<std::uint64_t> revived = revive(each.second, which);
    if (!revived.ok()) return revived.error();
    count += *revived;
  }
  if (const Status done = commit(); !done.ok()) return done.error();
  return count;
}

Status Upkeep::revive_blocked() {
  for (auto& [origin, host] : hosts_) {
    if (host.row.finish == Finish::kNot) continue;
    const Result<std::uint64_t> revived = revive(host, [](const UrlRow& row) {
      return row.state == UrlState::kBlocked && row.outcome == Outcome::kBlockedByRobots;
    });
    if (!revived.ok()) return revived.error();
  }
  return commit();
}

// Whether a URL stands where its row says that it does.
bool Upkeep::is_in_place(const HostEntry& host, std::string_view rest, const UrlRow& row) {
  if (row.state != UrlState::kWaiting || row.due_ms != 0) {
    if (row.due_ms == 0) return true;
    make_later_key(key_, row, host.row.id, rest);
    return store_.get(Table::kLater, key_, bytes_);
  }
  make_queue_key(key_, host.row.id, Place::of(row.priority, row.arrival));
  QueueEntry entry;
  return store_.get(Table::kQueue, key_, bytes_) && decode_queue_entry(bytes_, entry) &&
         entry.rest == rest && entry.visited == (row.visits != 0);
}

Status Upkeep::repair_urls(HostEntry& host) {
  HostCounts counts;
  Status inner;
  const auto each = [&](std::string_view rest, const UrlRow& row) {
    ++counts.of(row.state);
    const bool stands = is_in_place(host, rest, row);
    if (stands && !lacks_via(row)) return true;
    if (!stands && row.due_ms != 0) store_.put(Table::kLater, key_, {});
    UrlRow again = row;
    if (lacks_via(row)) again.via_number = 0;
    if (row.state == UrlState::kWaiting && row.due_ms == 0) {
      if (stands) erase_place(host, rest, row);
      put_waiting(host, rest, again);
    } else if (lacks_via(row)) {
      put_row(host, rest, again);
    }
    inner = commit_if_large();
    return inner.ok();
  };
  const Status read = for_each_url(store_, host, each,
                                   [&](std::string_view key) { store_.erase(Table::kUrls, key); });
  if (!read.ok()) return read;
  if (!inner.ok()) return inner;
  for (const UrlState state :
       {UrlState::kWaiting, UrlState::kDone, UrlState::kError, UrlState::kBlocked}) {
    if (host.row.counts.of(state) != counts.of(state)) touched_.insert(host.origin);
    host.row.counts.of(state) = counts.of(state);
  }
  return inner;
}

// Makes the row of a URL anew that was never visited, from the first of its places: all about it
// stands there.
bool Upkeep::restore_row(HostEntry& host, const QueueEntry& entry, Place place) {
  if (entry.visited || !staged_keys_.insert(key_).second) return false;
  UrlRow row;
  fill_row(row, entry, place, host.origin);
  encode_waiting_row(bytes_, row, host.origin);
  store_.put(Table::kUrls, key_, bytes_);
  ++host.row.counts.waiting;
  touched_.insert(host.origin);
  return true;
}

// Reads what repair_urls() has committed.
Status Upkeep::repair_queue() {
  std::unordered_map<HostId, HostEntry*> by_id;
  for (auto& [origin, host] : hosts_) by_id.emplace(host.row.id, &host);
  const std::unique_ptr<Cursor> at = store_.scan(Table::kQueue);
  for (at->seek({}); at->valid(); at->next()) {
    HostId id = 0;
    Place place;
    QueueEntry entry;
    UrlRow row;
    const bool read = split_queue_key(at->key(), id, place) &&
                      decode_queue_entry(at->value(), entry) && by_id.contains(id);
    bool stands = false;
    if (read) {
      make_url_key(key_, id, entry.rest);
      const bool known = store_.get(Table::kUrls, key_, bytes_);
      stands = known ? decode_url_row(bytes_, by_id.at(id)->origin, row) &&
                           row.state == UrlState::kWaiting && row.due_ms == 0 &&
                           Place::of(row.priority, row.arrival) == place
                     : restore_row(*by_id.at(id), entry, place);
    }
    if (stands) continue;
    store_.erase_single(Table::kQueue, at->key());
    if (const Status done = commit_if_large(); !done.ok()) return done;
  }
  return store_.status();
}

// Reads the same. Erases retries of URLs that do not wait for them.
Status Upkeep::repair_retries() {
  std::unordered_map<HostId, const HostEntry*> by_id;
  for (const auto& [origin, host] : hosts_) by_id.emplace(host.row.id, &host);
  const std::unique_ptr<Cursor> at = store_.scan(Table::kLater);
  LaterKey later;
  for (at->seek({}); at->valid() && split_later_key(at->key(), later); at->next()) {
    if (later.kind != LaterKind::kRetry) break;
    UrlRow row;
    make_url_key(key_, later.host, later.rest);
    const bool stands = by_id.contains(later.host) && store_.get(Table::kUrls, key_, bytes_) &&
                        decode_url_row(bytes_, by_id.at(later.host)->origin, row) &&
                        row.state == UrlState::kWaiting && row.due_ms == later.due_ms;
    if (!stands) store_.erase(Table::kLater, at->key());
    if (const Status done = commit_if_large(); !done.ok()) return done;
  }
  return store_.status();
}

Status Upkeep::repair() {
  std::unordered_set<HostId> ids;
  for (auto& [origin, host] : hosts_) {
    if (!ids.insert(host.row.id).second)
      return Error{"two hosts have the number " + std::to_string(host.row.id) +
                   ", so that nobody can tell whose URLs are whose: go back to a --checkpoint"};
  }
  for (auto& [origin, host] : hosts_) {
    if (const Status done = repair_urls(host); !done.ok()) return done;
  }
  if (const Status done = commit(); !done.ok()) return done;
  if (const Status done = repair_queue(); !done.ok()) return done;
  if (const Status done = repair_retries(); !done.ok()) return done;
  return commit();
}

Result<bool> Upkeep::import(std::string_view text, UrlRow row) {
  Url url;
  if (!parse(text, url) || !url.is_http()) return false;
  std::string scratch;
  const UrlParts parts = cut_url(url, scratch);
  HostEntry& host = host_of(parts.origin);
  make_url_key(key_, host.row.id, parts.rest);
  if (staged_keys_.contains(key_) || store_.get(Table::kUrls, key_, bytes_)) return false;
  if (!store_.status().ok()) return store_.status().error();
  staged_keys_.insert(key_);
  touched_.insert(host.origin);
  row.rest = parts.rest;
  row.due_ms = 0;
  row.visit_class = 0;
  if (row.state == UrlState::kWaiting) {
    put_waiting(host, parts.rest, row);
  } else {
    put_row(host, parts.rest, row);
  }
  ++host.row.counts.of(row.state);
  // The next crawl that wants to know works out anew when the URL is to be visited again.
  store_.put(Table::kMeta, kRecrawlKey, {});
  if (const Status done = commit_if_large(); !done.ok()) return done.error();
  return true;
}

bool Upkeep::import_host(std::string_view text, const HostRow& row) {
  Url url;
  if (!parse(text, url) || !url.is_http()) return false;
  std::string scratch;
  HostEntry& host = host_of(cut_url(url, scratch).origin);
  touched_.insert(host.origin);
  HostRow& own = host.row;
  if (own.counts.visits == 0) {
    HostRow merged = row;
    merged.id = own.id;
    merged.counts.waiting = own.counts.waiting;
    merged.counts.done = own.counts.done;
    merged.counts.error = own.counts.error;
    merged.counts.blocked = own.counts.blocked;
    own = merged;
  } else if (row.next_wall_ms > own.next_wall_ms) {
    own.next_wall_ms = row.next_wall_ms;
    own.wait_ms = row.wait_ms;
    own.boot = 0;
  }
  return true;
}

}  // namespace spinneret::frontier
