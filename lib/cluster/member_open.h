// SPDX-License-Identifier: Apache-2.0
// What a member has while a state is open. For its own files alone.
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

// The engine's table of what is true of a crawl as a whole.
inline constexpr std::string_view kCrawl = "crawl";
// Why a write that the lease fences was refused. Which of the two it was, only a renewal says.
inline constexpr char kNotOurs[] =
    "the engine has forgotten the lease, or another node has the partition now";

// What goes between those of one household.
struct Near {
  struct Batch {
    std::string source;
    std::uint64_t epoch = 0, sequence = 0;
    std::string lines;
  };
  using Acks = std::map<std::string, Ack, std::less<>>;  // by the source
  std::vector<Batch> batches;                            // given to us, and not staged
  Acks to_confirm;  // committed; their senders know what is taken alone
  Acks confirming;  // those of before since_ns
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
  std::uint64_t generation = 0;  // of the household, when it was looked at last
  bus::Place staged_through,
      untrimmed;             // through which all is staged; is committed, and to be trimmed
  bool to_settle = false;    // there may be acks to post, or something to trim
  std::int64_t trip_ms = 0;  // what the engine's last answer took
  std::string unreported;    // its row of the reports, where the engine has not heard it
  bool flush = false;  // open batches go out as they are: nothing more will come into them soon
  bool damaged_told = false;
  std::string error;  // the last one that was told
  std::int64_t error_ms = 0;
  bool error_told = false;       // of the present one
  bool unwritten = false;        // it has taken something not, since the last report
  bool unwritten_told = false;   // that it takes nothing, and not yet that it does again
  std::uint64_t kept_epoch = 0;  // that the state has on its disk
  bool worked = false;           // it was not idle once
  std::int64_t own_ms = 0, read_ms = 0, send_ms = 0, acks_ms = 0, report_ms = 0,
               begun_ms = 0;  // not before
  // When exchange() has something to do of itself.
  std::int64_t due_ms() const { return std::min({own_ms, read_ms, send_ms, acks_ms}); }
  Report report;
  Begun begun;
  Standing standing;  // as it was reported last
  Pace pace;
  Termination termination;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_MEMBER_OPEN_H_
