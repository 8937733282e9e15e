// SPDX-License-Identifier: Apache-2.0
// What a member has while a state is open. Only for the files of Member.
#ifndef SPINNERET_CLUSTER_MEMBER_OPEN_H_
#define SPINNERET_CLUSTER_MEMBER_OPEN_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/bus.h"
#include "cluster/begun.h"
#include "cluster/channel.h"
#include "cluster/copies.h"
#include "cluster/member.h"
#include "cluster/standing.h"
#include "cluster/store_tables.h"
#include "cluster/takes.h"
#include "cluster/termination.h"
#include "frontier/store.h"

namespace spinneret::cluster {

// The engine's table about the crawl as a whole.
inline constexpr std::string_view kCrawl = "crawl";
// Why a fenced write was refused. Only a renewal can tell which of the two it was.
inline constexpr char kNotOurs[] =
    "the engine has forgotten the lease, or another node has the partition now";

// What goes between the members of a household.
struct Near {
  struct Batch {
    std::string source;
    std::uint64_t epoch = 0, sequence = 0;
    std::string lines;
  };
  using Acks = std::map<std::string, Ack, std::less<>>;  // by source
  std::vector<Batch> batches;                            // given to us, and not staged yet
  Acks to_confirm;  // committed; their senders know only what is taken
  Acks confirming;  // those committed before since_ns
  std::int64_t since_ns = 0;
};

struct Member::Open {
  Open(frontier::Store& its_store, const MemberSettings& settings,
       std::function<bool(std::uint32_t)> is_near)
      : store(its_store),
        tables(its_store),
        sender(tables,
               {.source = partition_name(settings.partition), .is_near = std::move(is_near)}),
        receiver(tables, {.partition = settings.partition,
                          .copies = settings.copies != nullptr,
                          .one_row = true}),
        cursor{partition_name(settings.partition), {}},
        begun(settings.partitions),
        termination(settings.partitions) {
    if (settings.copies != nullptr) shipping.emplace(*settings.copies, settings.partition);
  }

  frontier::Store& store;
  StateClock clock;
  StoreTables tables;
  Sender sender;
  Receiver receiver;
  std::optional<Shipping> shipping;
  bool idle = false;
  bus::Cursor cursor;
  std::vector<bus::Message> messages;  // read, and not staged
  Near near;
  std::uint64_t generation = 0;  // the household's generation at the last look
  // Places up to which all messages are staged; are committed, and to be trimmed.
  bus::Place staged_through, untrimmed;
  bool to_settle = false;    // there may be acks to post, or something to trim
  std::int64_t trip_ms = 0;  // time that the engine's last answer took
  std::string unreported;    // the row of its report, if the engine does not have it yet
  bool flush = false;        // open batches go out as they are: nothing more will join them soon
  bool damaged_told = false;
  std::string error;  // the last one reported
  std::int64_t error_ms = 0;
  bool error_told = false;       // whether the present error was reported
  bool unwritten = false;        // a write has failed since the last report
  bool unwritten_told = false;   // that was reported, and not yet that writes succeed again
  std::uint64_t kept_epoch = 0;  // the epoch that the state has on its disk
  bool worked = false;           // it was not idle once
  // Earliest times of the next calls of each kind.
  std::int64_t own_ms = 0, read_ms = 0, send_ms = 0, acks_ms = 0, report_ms = 0, begun_ms = 0;
  // When exchange() has something to do by itself.
  std::int64_t due_ms() const { return std::min({own_ms, read_ms, send_ms, acks_ms}); }
  Report report;
  Begun begun;
  Standing standing;  // as last reported
  Pace pace;
  Termination termination;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_MEMBER_OPEN_H_
