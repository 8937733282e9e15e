// SPDX-License-Identifier: Apache-2.0
#include "frontier/inspect.h"

#include <unordered_map>
#include <utility>

#include "base/excerpt.h"
#include "frontier/keys.h"
#include "frontier/meta.h"
#include "url/parse.h"

namespace spinneret::frontier {
namespace {

Error damaged(const char* what, std::string_view key) {
  return Error{"the state is damaged: " + std::string(what) + " " + excerpt(key)};
}

using Problem = std::function<void(const std::string&)>;
using HostsById = std::unordered_map<HostId, HostEntry>;

// Where a URL's row says that it stands, held against the table that it should stand in.
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

// Places in a queue whose URL does not know of it.
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
    make_url_key(key, id, entry.rest);
    const bool known =
        store.get(Table::kUrls, key, bytes) && decode_url_row(bytes, host->second.origin, row);
    if (!known || row.state != UrlState::kWaiting ||
        Place::of(row.priority, row.arrival) != place) {
      problem(join_url(host->second.origin, entry.rest) +
              " is in a queue, but does not wait there");
    }
  }
  return store.status();
}

// URLs that are to be tried again, and do not wait for that. (Of visits that fall due, some are not needed any more.)
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
    make_url_key(key, later.host, later.rest);
    const bool known = host != hosts.end() && store.get(Table::kUrls, key, bytes) &&
                       decode_url_row(bytes, host->second.origin, row);
    if (known && row.state == UrlState::kWaiting && row.due_ms == later.due_ms) continue;
    const std::string origin =
        host == hosts.end() ? "host " + std::to_string(later.host) + " " : host->second.origin;
    problem(join_url(origin, later.rest) + " is to be tried again, but does not wait for that");
  }
  return store.status();
}

}  // namespace

bool read_url_row(Store& store, HostId host, std::string_view origin, std::string_view bytes,
                  UrlRow& row) {
  if (!decode_url_row(bytes, origin, row)) return false;
  if (!row.is_stub) return true;
  const Place place = Place::of(row.priority, row.arrival);
  std::string key;
  std::string value;
  make_queue_key(key, host, place);
  QueueEntry entry;
  if (store.get(Table::kQueue, key, value) && decode_queue_entry(value, entry) && !entry.visited) {
    fill_row(row, entry, place, origin);
  }
  return true;
}

Status for_each_host(Store& store, const std::function<bool(const HostEntry&)>& each) {
  const std::unique_ptr<Cursor> at = store.scan(Table::kHosts);
  HostEntry entry;
  for (at->seek({}); at->valid(); at->next()) {
    entry.origin = at->key();
    if (!decode_host_row(at->value(), entry.row)) return damaged("host", at->key());
    if (!each(entry)) break;
  }
  return store.status();
}

Status for_each_url(Store& store, const HostEntry& host,
                    const std::function<bool(std::string_view, const UrlRow&)>& each) {
  std::string begin;
  std::string end;
  make_host_prefix(begin, host.row.id);
  make_host_prefix(end, host.row.id + 1);
  const std::unique_ptr<Cursor> at = store.scan(Table::kUrls, end);
  UrlRow row;
  for (at->seek(begin); at->valid(); at->next()) {
    HostId id = 0;
    std::string_view rest;
    if (!split_url_key(at->key(), id, rest) ||
        !read_url_row(store, host.row.id, host.origin, at->value(), row)) {
      return damaged("URL", at->key());
    }
    if (!each(rest, row)) break;
  }
  return store.status();
}

Result<std::optional<FoundUrl>> find_url(Store& store, std::string_view text) {
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
    if (!decode_host_row(bytes, found.host.row)) return damaged("host", parts.origin);
    std::string key;
    make_url_key(key, found.host.row.id, parts.rest);
    if (store.get(Table::kUrls, key, bytes)) {
      const HostEntry& host = found.host;
      if (!read_url_row(store, host.row.id, host.origin, bytes, found.row)) {
        return damaged("URL", key);
      }
      return std::optional(std::move(found));
    }
  }
  if (!store.status().ok()) return store.status().error();
  return std::optional<FoundUrl>();
}

Result<std::uint64_t> verify(Store& store, const Problem& problem) {
  if (const Status checked = store.verify(); !checked.ok()) return checked.error();
  // Of a running crawl, or a killed one, the log of hosts has numbers that their rows lack.
  const Result<Meta> meta = read_meta(store);
  if (!meta.ok()) return meta.error();
  HostsById hosts;
  std::uint64_t urls = 0;
  Status inner;
  const Status outer = for_each_host(store, [&](const HostEntry& host) {
    if (!hosts.emplace(host.row.id, host).second) {
      problem("two hosts have the number " + std::to_string(host.row.id));
    }
    HostCounts counts;
    inner = for_each_url(store, host, [&](std::string_view rest, const UrlRow& row) {
      ++urls;
      ++counts.of(row.state);
      verify_place(store, host, rest, row, problem);
      return true;
    });
    if (!meta->clean) counts.waiting = host.row.counts.waiting;
    if (inner.ok() && !same_states(counts, host.row.counts)) {
      problem(host.origin + " has " + std::to_string(counts.waiting) + " URLs waiting and " +
              std::to_string(counts.done) + " done, but counts " +
              std::to_string(host.row.counts.waiting) + " and " +
              std::to_string(host.row.counts.done));
    }
    return inner.ok();
  });
  if (!outer.ok()) return outer.error();
  if (!inner.ok()) return inner.error();
  for (const auto check : {verify_queue, verify_retries}) {
    if (const Status checked = check(store, hosts, problem); !checked.ok()) return checked.error();
  }
  return urls;
}

}  // namespace spinneret::frontier
