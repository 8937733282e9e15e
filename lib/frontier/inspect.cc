// SPDX-License-Identifier: Apache-2.0
#include "frontier/inspect.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "frontier/keys.h"
#include "frontier/meta.h"
#include "frontier/url_table.h"
#include "frontier/vias.h"
#include "url/parse.h"

namespace spinneret::frontier {
namespace {

Error damaged(const char* what, std::string_view key) {
  return Error{"the state is damaged: " + std::string(what) + " " + excerpt(key)};
}

using Problem = std::function<void(const std::string&)>;
using HostsById = std::unordered_map<HostId, HostEntry>;

// Checks whether a URL stands in the table in which its row says that it does.
void verify_place(Store& store, const HostEntry& host, std::string_view rest, const UrlRow& row,
                  const Problem& problem) {
  std::string key;
  std::string value;
  const bool queued = row.state == UrlState::kWaiting && row.due_ms == 0;
  if (queued) {
    make_queue_key(key, host.row.id, Place::of(row.priority, row.arrival));
    QueueEntry entry;
    const bool there = store.get(Table::kQueue, key, value) && decode_queue_entry(value, entry);
    if (!there || entry.rest != rest || entry.visited != (row.visits != 0)) {
      problem(join_url(host.origin, rest) + " waits, but is in no queue");
    }
  } else if (row.due_ms != 0) {
    make_later_key(key, row, host.row.id, rest);
    if (!store.get(Table::kLater, key, value)) {
      problem(join_url(host.origin, rest) + " is due later, but is not in the list of those");
    }
  }
}

bool same_states(const HostCounts& a, const HostCounts& b) {
  return a.waiting == b.waiting && a.done == b.done && a.error == b.error && a.blocked == b.blocked;
}

// Finds places in a queue whose URL does not know of it.
Status verify_queue(Store& store, const HostsById& hosts, const Problem& problem) {
  std::string key;
  std::string bytes;
  const std::unique_ptr<Cursor> at = store.scan(Table::kQueue);
  for (at->seek({}); at->valid(); at->next()) {
    HostId id = 0;
    Place place;
    QueueEntry entry;
    if (!split_queue_key(at->key(), id, place) || !decode_queue_entry(at->value(), entry)) {
      return damaged("place in a queue", at->key());
    }
    const auto host = hosts.find(id);
    if (host == hosts.end()) {
      problem("a place in the queue of host " + std::to_string(id) + ", which is not there");
      continue;
    }
    UrlRow row;
    const bool known = get_url(store, id, entry.rest, key, bytes) &&
                       decode_url(key, bytes, host->second.origin, row);
    if (!known || row.state != UrlState::kWaiting ||
        Place::of(row.priority, row.arrival) != place) {
      problem(join_url(host->second.origin, entry.rest) +
              " is in a queue, but does not wait there");
    }
  }
  return store.status();
}

// Finds URLs that are to be tried again, and do not wait for that. (Some visits that fall due are
// not needed any more.)
Status verify_retries(Store& store, const HostsById& hosts, const Problem& problem) {
  std::string key;
  std::string bytes;
  LaterKey later;
  const std::unique_ptr<Cursor> at = store.scan(Table::kLater);
  for (at->seek({}); at->valid(); at->next()) {
    if (!split_later_key(at->key(), later)) return damaged("place by its time", at->key());
    if (later.kind != LaterKind::kRetry) continue;
    const auto host = hosts.find(later.host);
    UrlRow row;
    const bool known = host != hosts.end() && get_url(store, later.host, later.rest, key, bytes) &&
                       decode_url(key, bytes, host->second.origin, row);
    if (known && row.state == UrlState::kWaiting && row.due_ms == later.due_ms) continue;
    const std::string origin =
        host == hosts.end() ? "host " + std::to_string(later.host) + " " : host->second.origin;
    problem(join_url(origin, later.rest) + " is to be tried again, but does not wait for that");
  }
  return store.status();
}

// Reads a row of kUrls and, where it is a stub, what stands with its place in the queue. If that is
// missing it stays a stub. False where the bytes are no row.
bool read_row(Store& store, HostId host, std::string_view origin, std::string_view key,
              std::string_view bytes, UrlRow& row) {
  if (!decode_url(key, bytes, origin, row)) return false;
  if (!row.is_stub) return true;
  const Place place = Place::of(row.priority, row.arrival);
  std::string at;
  std::string value;
  make_queue_key(at, host, place);
  QueueEntry entry;
  if (!store.get(Table::kQueue, at, value) || !decode_queue_entry(value, entry) || entry.visited)
    return true;
  // A place that was given to another URL since is not that of this one.
  if (is_old_url_key(key)) {
    make_old_url_key(at, host, entry.rest);
  } else {
    make_url_key(at, host, entry.rest);
  }
  if (at == key) fill_row(row, entry, place, origin);
  return true;
}

// Collects a run of a host's rows, and gives them in order.
class SortedRows {
 public:
  using Each = std::function<bool(std::string_view, const UrlRow&)>;
  SortedRows(Store& store, std::string_view origin, const Each& each)
      : vias_(store), origin_(origin), each_(each) {}
  // False: `each` wants no more.
  bool add(const UrlRow& row) {
    encode_url_row(bytes_, row, origin_);
    // An encoded row takes a sixth of what a UrlRow takes.
    rows_.emplace_back(row.rest, bytes_);
    return rows_.size() < kSortedUrls || give();
  }
  bool give() {
    std::sort(rows_.begin(), rows_.end());
    UrlRow row;
    for (const auto& [rest, bytes] : rows_) {
      if (!decode_url_row(bytes, origin_, row)) continue;
      vias_.name(row);
      if (!each_(rest, row)) return false;
    }
    rows_.clear();
    return true;
  }

 private:
  Vias vias_;
  std::string_view origin_;
  const Each& each_;
  std::vector<std::pair<std::string, std::string>> rows_;
  std::string bytes_;
};

// Decodes the newest row of a host, of which kHosts has `bytes`.
bool decode_newest(const LoggedRows& logged, std::string_view bytes, HostRow& row) {
  if (!decode_host_row(bytes, row)) return false;
  const HostId id = row.id;
  const std::string_view newest = logged.of(id, bytes);
  return newest.data() == bytes.data() || (decode_host_row(newest, row) && row.id == id);
}

}  // namespace

Status for_each_host(Store& store, const std::function<bool(const HostEntry&)>& each,
                     const std::function<void(const std::string&)>& problem) {
  LoggedRows logged;
  if (const Status read = logged.read(store, problem); !read.ok()) return read;
  const std::unique_ptr<Cursor> at = store.scan(Table::kHosts);
  HostEntry entry;
  for (at->seek({}); at->valid(); at->next()) {
    entry.origin = at->key();
    if (!decode_newest(logged, at->value(), entry.row)) return damaged("host", at->key());
    if (!each(entry)) break;
  }
  return store.status();
}

Status for_each_url(Store& store, const HostEntry& host,
                    const std::function<bool(std::string_view, const UrlRow&)>& each,
                    const std::function<void(std::string_view)>& lost) {
  std::string begin;
  std::string end;
  make_host_prefix(begin, host.row.id);
  make_host_prefix(end, host.row.id + 1);
  const std::unique_ptr<Cursor> at = store.scan(Table::kUrls, end);
  SortedRows rows(store, host.origin, each);
  UrlRow row;
  bool wanted = true;
  for (at->seek(begin); at->valid() && wanted; at->next()) {
    if (!read_row(store, host.row.id, host.origin, at->key(), at->value(), row))
      return damaged("URL", at->key());
    if (!row.is_stub) {
      wanted = rows.add(row);
    } else if (lost) {
      lost(at->key());
    }
  }
  if (store.status().ok() && wanted) rows.give();
  return store.status();
}

Result<std::optional<FoundUrl>> find_url(Store& store, std::string_view text) {
  LoggedRows logged;
  if (const Status read = logged.read(store); !read.ok()) return read.error();
  return find_url(store, logged, text);
}

Result<std::optional<FoundUrl>> find_url(Store& store, const LoggedRows& logged,
                                         std::string_view text) {
  Url url;
  UrlError why;
  if (!parse(text, url, &why)) return Error{why.message + ": " + excerpt(text)};
  if (!url.is_http()) return Error{"is not http or https: " + excerpt(text)};
  std::string scratch;
  const UrlParts parts = cut_url(url, scratch);
  FoundUrl found;
  found.host.origin = parts.origin;
  found.rest = parts.rest;
  std::string bytes;
  if (store.get(Table::kHosts, parts.origin, bytes)) {
    if (!decode_newest(logged, bytes, found.host.row)) return damaged("host", parts.origin);
    std::string key;
    if (get_url(store, found.host.row.id, parts.rest, key, bytes)) {
      const HostEntry& host = found.host;
      if (!read_row(store, host.row.id, host.origin, key, bytes, found.row))
        return damaged("URL", key);
      Vias(store).name(found.row);
      // A URL that has only the same fingerprint is not the one; of one whose place is lost nobody
      // can tell.
      if (found.row.is_stub || found.row.rest == parts.rest) return std::optional(std::move(found));
    }
  }
  if (!store.status().ok()) return store.status().error();
  return std::optional<FoundUrl>();
}

Result<std::uint64_t> verify(Store& store, const Problem& problem) {
  if (const Status checked = store.verify(); !checked.ok()) return checked.error();
  // In a running crawl, or a killed one, the log of hosts has numbers that their rows lack.
  const Result<Meta> meta = read_meta(store);
  if (!meta.ok()) return meta.error();
  HostsById hosts;
  std::uint64_t urls = 0;
  Status inner;
  const auto each_host = [&](const HostEntry& host) {
    if (!hosts.emplace(host.row.id, host).second) {
      problem("two hosts have the number " + std::to_string(host.row.id));
    }
    HostCounts counts;
    const auto each = [&](std::string_view rest, const UrlRow& row) {
      ++urls;
      ++counts.of(row.state);
      if (lacks_via(row)) problem(join_url(host.origin, rest) + " names a page that is lost");
      verify_place(store, host, rest, row, problem);
      return true;
    };
    inner = for_each_url(store, host, each, [&](std::string_view) {
      problem("a URL of " + host.origin + " waits, but is in no queue, and its name is lost");
      ++counts.waiting;
    });
    if (!meta->clean) counts.waiting = host.row.counts.waiting;
    if (inner.ok() && !same_states(counts, host.row.counts)) {
      problem(host.origin + " has " + std::to_string(counts.waiting) + " URLs waiting and " +
              std::to_string(counts.done) + " done, but counts " +
              std::to_string(host.row.counts.waiting) + " and " +
              std::to_string(host.row.counts.done));
    }
    return inner.ok();
  };
  const Status outer = for_each_host(store, each_host, problem);
  if (!outer.ok()) return outer.error();
  if (!inner.ok()) return inner.error();
  for (const auto check : {verify_queue, verify_retries}) {
    if (const Status checked = check(store, hosts, problem); !checked.ok()) return checked.error();
  }
  return urls;
}

}  // namespace spinneret::frontier
