// SPDX-License-Identifier: Apache-2.0
#include "cluster/split.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "cluster/channel.h"
#include "cluster/copies.h"
#include "cluster/store_tables.h"
#include "frontier/host_log.h"
#include "frontier/host_row.h"
#include "frontier/keys.h"
#include "frontier/meta.h"
#include "frontier/row_log.h"

namespace spinneret::cluster {
namespace {

using frontier::HostId;
using frontier::Table;

constexpr std::size_t kBatch = 10'000;

class Splitting {
 public:
  Splitting(frontier::Store& from, std::uint32_t partition, Begun begun,
            const std::function<std::uint32_t(std::string_view url)>& part_of,
            const std::array<frontier::Store*, 2>& into, std::array<Half, 2>& halves)
      : from_(from),
        partition_(partition),
        begun_(std::move(begun)),
        part_of_(part_of),
        into_(into),
        halves_(halves) {}

  Status run() {
    const Result<frontier::Meta> meta = frontier::read_meta(from_);
    if (!meta.ok()) return meta.error();
    std::string moving;
    if (meta->format != frontier::kFormat || from_.get(Table::kMeta, frontier::kMovingKey, moving))
      return Error{"the state is of an older release: let this one crawl on it first"};
    if (const Status done = hosts(); !done.ok()) return done;
    if (const Status done = whole_state(*meta); !done.ok()) return done;
    for (const Table table : {Table::kUrls, Table::kQueue, Table::kLater}) {
      if (const Status done = rows_of_hosts(table); !done.ok()) return done;
    }
    if (const Status done = outbox(); !done.ok()) return done;
    for (frontier::Store* const half : into_) {
      if (const Status done = half->commit(); !done.ok()) return done;
      if (const Status done = half->sync(); !done.ok()) return done;
    }
    return from_.status();
  }

 private:
  static constexpr char kNowhere = 2;

  Status commit_if_large() {
    for (frontier::Store* const half : into_) {
      if (half->staged() < kBatch) continue;
      if (const Status done = half->commit(); !done.ok()) return done;
    }
    return from_.status();
  }

  Status hosts() {
    frontier::LoggedRows logged;
    if (const Status read = logged.read(from_); !read.ok()) return read;
    const std::unique_ptr<frontier::Cursor> at = from_.scan(Table::kHosts);
    frontier::HostRow row;
    for (at->seek({}); at->valid(); at->next()) {
      const std::string origin(at->key());
      if (!frontier::decode_host_row(at->value(), row) || row.id >= frontier::kMostHosts)
        return Error{"the row of host " + origin + " is damaged"};
      const std::uint32_t part = part_of_(origin);
      if (part / 2 != partition_)
        return Error{"the host " + origin + " is of partition " + std::to_string(part / 2) +
                     ", and not of " + std::to_string(partition_) +
                     ": is this another number of partitions, or another list of public suffixes?"};
      if (row.id >= side_.size()) side_.resize(row.id + std::size_t{1}, kNowhere);
      side_[row.id] = static_cast<char>(part % 2);
      into_[part % 2]->put(Table::kHosts, origin, logged.of(row.id, at->value()));
      ++halves_[part % 2].hosts;
      if (const Status done = commit_if_large(); !done.ok()) return done;
    }
    return from_.status();
  }

  // Copies to both halves what holds for the state as a whole, except the rows that bear its name
  // or name its hosts. What counts its links goes to the first half alone.
  Status whole_state(const frontier::Meta& meta) {
    const std::unique_ptr<frontier::Cursor> at = from_.scan(Table::kMeta);
    for (at->seek({}); at->valid(); at->next()) {
      const std::string_view key = at->key();
      if (key == kStateKey || key == kMapKey || key == frontier::kPartitionKey ||
          key.starts_with(frontier::kFlyingKey) || frontier::is_of_host_log(key) ||
          frontier::is_of_row_log(key))
        continue;
      into_[0]->put(Table::kMeta, key, at->value());
      if (key != frontier::kRefusedKey) into_[1]->put(Table::kMeta, key, at->value());
    }
    for (frontier::Store* const half : into_) {
      begun_.keep_in(*half);
      name_state(*half);
    }
    std::array<std::vector<HostId>, 2> flying;
    for (const HostId host : meta.flying) {
      if (side_of(host) != kNowhere)
        flying[static_cast<std::size_t>(side_of(host))].push_back(host);
    }
    for (std::size_t side = 0; side < 2; ++side) {
      if (!flying[side].empty())
        into_[side]->put(Table::kMeta, frontier::flying_key(0), frontier::encode_ids(flying[side]));
    }
    return commit_if_large();
  }

  char side_of(HostId host) const { return host < side_.size() ? side_[host] : kNowhere; }

  static bool host_of(Table table, std::string_view key, HostId& host) {
    frontier::Place place;
    frontier::LaterKey later;
    if (table == Table::kUrls) return frontier::split_url_key(key, host);
    if (table == Table::kQueue) return frontier::split_queue_key(key, host, place);
    if (!frontier::split_later_key(key, later)) return false;
    host = later.host;
    return true;
  }

  Status rows_of_hosts(Table table) {
    const std::unique_ptr<frontier::Cursor> at = from_.scan(table);
    for (at->seek({}); at->valid(); at->next()) {
      HostId host = 0;
      const bool is_via = table == Table::kUrls && frontier::is_via_key(at->key());
      if (is_via) {  // URLs of both halves may refer to it
        for (frontier::Store* const half : into_) half->put(table, at->key(), at->value());
        if (const Status done = commit_if_large(); !done.ok()) return done;
        continue;
      }
      const char side = host_of(table, at->key(), host) ? side_of(host) : kNowhere;
      if (side == kNowhere)
        return Error{"a row is of no host that is known: --verify --repair mends that"};
      into_[static_cast<std::size_t>(side)]->put(table, at->key(), at->value());
      if (table == Table::kUrls) ++halves_[static_cast<std::size_t>(side)].urls;
      if (const Status done = commit_if_large(); !done.ok()) return done;
    }
    return from_.status();
  }

  Status outbox() {
    StoreTables tables(from_);
    Sender before(tables, {.source = partition_name(partition_)});
    if (const Status opened = before.open(); !opened.ok()) return opened;
    Receiver received(tables, {.partition = partition_});
    if (const Status opened = received.open(0); !opened.ok()) return opened;
    const std::uint64_t epoch = std::max(before.state_epoch(), received.highest_epoch());
    StoreTables left(*into_[0]), right(*into_[1]);
    Sender sender(left, {.source = partition_name(2 * partition_)});
    Sender(right, {.source = partition_name(2 * partition_ + 1)}).stamp(epoch);
    sender.stamp(epoch);
    Status done;
    for_each_waiting(tables, [&](std::uint32_t, std::string_view lines) {
      while (!lines.empty() && done.ok()) {
        const std::string_view line = cut(lines, '\n');
        sender.offer(part_of_(line.substr(0, line.find('\t'))), line, 0);
        ++halves_[0].links;
      }
      sender.stage(0);
      if (done.ok()) done = commit_if_large();
    });
    sender.stage(0, /*flush=*/true);
    return done.ok() ? from_.status() : done;
  }

  frontier::Store& from_;
  std::uint32_t partition_;
  Begun begun_;
  const std::function<std::uint32_t(std::string_view url)>& part_of_;
  const std::array<frontier::Store*, 2>& into_;
  std::array<Half, 2>& halves_;
  std::vector<char> side_;  // by host id
};

}  // namespace

Status split_state(frontier::Store& from, std::uint32_t partition, const Begun& begun,
                   const std::function<std::uint32_t(std::string_view url)>& part_of,
                   const std::array<frontier::Store*, 2>& into, std::array<Half, 2>& halves) {
  Begun all = begun;
  all.add(from);
  return Splitting(from, partition, all.split(), part_of, into, halves).run();
}

}  // namespace spinneret::cluster
