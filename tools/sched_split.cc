// SPDX-License-Identifier: Apache-2.0
#include "sched_split.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "cluster/begun.h"
#include "cluster/copies.h"
#include "cluster/member.h"
#include "cluster/split.h"
#include "frontier/rocks_store.h"
#include "loop/inbox.h"
#include "sched_node.h"
#include "sched_partition.h"
#include "url/parse.h"

namespace spinneret {
namespace {

namespace fs = std::filesystem;

using frontier::Store;

// Where a half is made: beside its place, until both are whole.
struct Place {
  std::string folder;
  std::string fresh() const { return folder + ".new"; }
};

std::string with_number(std::string text, std::uint32_t number) {
  const std::string digits = std::to_string(number);
  for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += digits.size())
    text.replace(at, 2, digits);
  return text;
}

std::array<Place, 2> places_of(const cli::Options& given, std::uint32_t partition) {
  const std::string text = given.get("split");
  if (text.find("{}") == std::string::npos)
    given.usage_error("--split wants {} in its name, where the number of the new partition goes");
  return {{{with_number(text, 2 * partition)}, {with_number(text, 2 * partition + 1)}}};
}

// Clears the place. Only what a killed split left may be there: a folder with nothing but a store
// in it.
Status make_room(const Place& place) try {
  if (fs::symlink_status(place.folder).type() != fs::file_type::not_found)
    return Error{place.folder + " is there already: name another folder, or take it away"};
  if (fs::symlink_status(place.fresh()).type() != fs::file_type::not_found) {
    std::error_code code;
    for (fs::directory_iterator at(place.fresh(), code), end; !code && at != end;
         at.increment(code)) {
      if (at->path().filename() != "db")
        return Error{at->path().string() + " is in the way, which no split has made"};
    }
    if (code) return Error{place.fresh() + ": " + code.message()};
    fs::remove_all(place.fresh());
  }
  return make_directories(place.fresh());
} catch (const fs::filesystem_error& error) {
  return Error{error.path1().string() + ": " + error.code().message()};
}

// Checks that all of the crawl is at rest, and that this is its state of that partition. Adds to
// `begun` which partitions have begun.
Status at_rest(const CrawlEngine& engine, const std::string& id, cluster::Begun& begun) {
  const std::unique_ptr<lease::Leases> leases =
      engine::leases_of(engine.address, system_clock(), engine.node, engine.ttl_ms);
  const Result<lease::Rows> crawl = leases->read("crawl");
  if (!crawl.ok()) return crawl.error();
  const std::uint32_t count = cluster::partitions_of(*crawl);
  if (count == 0) return Error{"the engine knows no crawl of that name"};
  if (count != engine.part.count)
    return Error{"this crawl has " + std::to_string(count) + " partitions, and not " +
                 std::to_string(engine.part.count)};
  const auto holders = holders_of(*leases, count, cluster::partition_name);
  if (!holders.ok()) return holders.error();
  for (std::uint32_t p = 0; p < count; ++p) {
    if (const std::string& node = (*holders)[p].node; !node.empty())
      return Error{"partition " + std::to_string(p) + " is held by " + node +
                   ": a crawl is split once all of its machines have ended"};
  }
  const Result<lease::Rows> states = leases->read(cluster::kStates);
  if (!states.ok()) return states.error();
  const auto known = states->find(cluster::partition_name(engine.part.index));
  if (known != states->end() && known->second != id)
    return Error{"partition " + std::to_string(engine.part.index) + " has its state elsewhere (" +
                 known->second + ", and here is " + id + ")"};
  begun.add(*states);
  return {};
}

Status split(const cli::Options& given, const CrawlEngine& engine, const cluster::Begun& begun,
             Store& from, const std::array<Place, 2>& places,
             std::array<cluster::Half, 2>& halves) {
  const Result<Partitions> parts =
      Partitions::with_spread(2 * engine.part.count, given.all("spread"));
  if (!parts.ok()) given.usage_error("--spread: " + parts.message());
  std::array<std::unique_ptr<Store>, 2> into;
  for (std::size_t side = 0; side < into.size(); ++side) {
    if (const Status made = make_room(places[side]); !made.ok()) return made;
    Result<std::unique_ptr<Store>> opened =
        frontier::open_rocks_store(places[side].fresh() + "/db", {.partition = true});
    if (!opened.ok()) return opened.error();
    into[side] = opened.take();
  }
  Url scratch;
  return cluster::split_state(
      from, engine.part.index, begun,
      [&](std::string_view url) { return parts->of_text(url, scratch); },
      {into[0].get(), into[1].get()}, halves);
}

// Moves the halves to their places. Both must be whole and closed.
Status put_in_place(const std::array<Place, 2>& places) {
  for (const Place& place : places) {
    if (const Status named = sync_parent(place.fresh() + "/db"); !named.ok()) return named;
    if (std::rename(place.fresh().c_str(), place.folder.c_str()) != 0)
      return system_error("cannot rename " + place.fresh(), errno);
    if (const Status named = sync_parent(place.folder); !named.ok()) return named;
  }
  return {};
}

Status split_locked(cli::Tool& tool, const CrawlEngine& engine, const std::string& state,
                    std::array<cluster::Half, 2>& halves) {
  const cli::Options& given = tool.options();
  const std::array<Place, 2> places = places_of(given, engine.part.index);
  if (loop::has_mail(state + "/inbox"))
    return Error{"seeds that were added wait in " + state +
                 "/inbox: let the crawl take them first, or take the file away"};
  const Result<std::unique_ptr<Store>> from =
      frontier::open_rocks_store(state + "/db", {.read_only = true, .partition = true});
  if (!from.ok()) return from.error();
  const auto mark = cluster::read_mark(**from);
  if (!mark) return Error{"the state in " + state + " is not that of a partition"};
  cluster::Begun begun(engine.part.count);
  Status done = at_rest(engine, mark->id, begun);
  if (done.ok()) done = split(given, engine, begun, **from, places, halves);
  return done.ok() ? put_in_place(places) : done;
}

}  // namespace

int split_partition(cli::Tool& tool, const std::string& state) {
  const cli::Options& given = tool.options();
  if (!given.has("cluster") || !given.has("partition"))
    given.usage_error("--split goes with --cluster and --partition=I/P");
  const CrawlEngine engine = engine_of(given);
  if (2 * engine.part.count > kMostPartitions)
    given.usage_error("--split: there may be " + std::to_string(kMostPartitions) +
                      " partitions at most");
  std::array<cluster::Half, 2> halves;
  {
    const Result<FileLock> lock = FileLock::acquire(state + "/lock");
    if (!lock.ok()) return tool.trouble(lock.message());
    const Status done = split_locked(tool, engine, state, halves);
    if (!done.ok()) return tool.trouble("--split: " + done.message());
  }
  for (std::size_t side = 0; side < halves.size() && !given.has("quiet"); ++side) {
    tool.notice("partition " + std::to_string(2 * engine.part.index + side) + " of " +
                std::to_string(2 * engine.part.count) + ": " + std::to_string(halves[side].urls) +
                " URLs of " + std::to_string(halves[side].hosts) + " hosts, " +
                std::to_string(halves[side].links) + " links on their way");
  }
  return 0;
}

}  // namespace spinneret
