// SPDX-License-Identifier: Apache-2.0
// Copies of a partition's state, in a place that outlives the machine which made them.
//
//   scheduler          place                      engine, under the lease
//   checkpoint  --->   put p3-EPOCH-NUMBER  --->  manifest: this one and the one before it   --->  acks name what the
//                                                 (compare and set)                                 one before it holds
//
// A link of another partition counts as kept once the **last but one** copy in the manifest has it: the newest may turn out
// unreadable. An owner that was replaced can neither change the manifest nor acknowledge. What it still puts bears its epoch,
// which is lower than its successor's.
//
// Whoever takes a partition begins from (restore()):
//   - the state in its own folder, where that is the one which the engine names, and no copy is of a later epoch;
//   - else the newest of the copies and of its own folder: that of the highest epoch, since epochs are never reused and each tenure
//     writes its own into the state; a copy that cannot be read gives way to the one before it;
//   - else nothing, where it has not begun yet, or somebody has said that it may begin anew (begun.h). To begin anew unasked where
//     copies were made, and are not to be found, would lose what others were told is kept.
// Where it does not go on from its own state, all hosts count as visited at that moment, and the state gets another name, by which
// what the old machine still has is known to be old.
#ifndef SPINNERET_CLUSTER_COPIES_H_
#define SPINNERET_CLUSTER_COPIES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/channel.h"
#include "frontier/store.h"
#include "lease/lease.h"

namespace spinneret::cluster {

// Where copies lie. A name is of a-z, 0-9 and `-`, and is put once.
class CopyPlace {
 public:
  virtual ~CopyPlace() = default;
  // Begins to put the folder there, which stays as it is until put_ended() says how that went.
  virtual Status begin_put(const std::string& folder, const std::string& name) = 0;
  virtual std::optional<Status> put_ended() = 0;
  // These wait. get() makes the folder.
  virtual Status get(const std::string& name, const std::string& folder) = 0;
  virtual Status list(std::vector<std::string>& names) = 0;
  virtual Status drop(const std::string& name) = 0;
};

struct CopyName {
  std::uint64_t epoch = 0, number = 0;
  friend auto operator<=>(const CopyName&, const CopyName&) = default;
};
// "p3-1764000000000-7".
std::string format_copy(std::uint32_t partition, const CopyName& copy);
// No value: it is of another partition, or no copy.
std::optional<CopyName> parse_copy(std::uint32_t partition, std::string_view text);

// The manifest's row in the engine's table, newest first.
inline constexpr std::string_view kCopiesTable = "copies";

// Ships copies, one at a time. Not thread-safe.
class Shipping {
 public:
  Shipping(CopyPlace& place, std::uint32_t partition) : place_(place), partition_(partition) {}

  // Reads the manifest.
  Status open(lease::Leases& leases);
  bool busy() const { return busy_ || shipped_; }
  // Why a copy may be wanted: for nothing, because others wait for it and nothing else is to be done, or since it is time.
  enum class Call : std::uint8_t { kNone, kWanted, kByTime };
  // Whether one is to be made now.
  bool due(Call call, std::int64_t now_ms) const;
  // `folder` is a copy of what is committed at this moment.
  Status begin(const std::string& folder, std::uint64_t epoch, Receiver& receiver,
               std::int64_t now_ms);
  // How far it is. False: somebody else has the partition. An Error: the copy did not get there (another will be made), or the
  // engine is away.
  Result<bool> go_on(Receiver& receiver, lease::Leases& leases, const lease::Lease& lease,
                     std::int64_t now_ms);

 private:
  void sweep();

  CopyPlace& place_;
  std::uint32_t partition_;
  std::optional<std::string> row_;  // the manifest, as it stands in the engine
  std::vector<CopyName> kept_;      // what it names, newest first
  CopyName present_;                // on its way
  bool busy_ = false, shipped_ = false;
  bool swept_ = false;
  std::int64_t begun_ms_ = 0, took_ms_ = 0;
  std::uint64_t number_ = 0;
};

struct Restored {
  // What the engine named before: another state, which this one is to replace. No value: it is as the engine has it.
  std::optional<std::string> replaces;
  std::string from;  // the copy; empty: from none
  bool elsewhere =
      false;  // somebody may have crawled since: no host may be visited sooner than a delay from now
};
// Looks at folder + "/db" and makes it what the owner of the partition is to begin with. It is not open, and nobody else's.
// Older states are left as folder + "/db.old". `say`: sentences for the user.
Result<Restored> restore(CopyPlace& place, lease::Leases& leases, std::uint32_t partition,
                         const std::string& folder,
                         const std::function<void(const std::string&)>& say);

// All hosts of the state count as visited when it is opened next, whatever clock it was written by; and it has another name.
Status begin_elsewhere(frontier::Store& store);

// The rows of kMeta that have a state's name: that of one which the crawl goes by, and that of one which it is not known to go by
// yet. The latter is on disk before the engine hears of it: whoever dies then, or does not hear the answer, comes again by the same.
inline constexpr std::string_view kStateKey = "state-id", kClaimKey = "state-claim";
// And that which says by what hosts are in its partition: MemberSettings::map.
inline constexpr std::string_view kMapKey = "map";

// The name of a state, and where it stands: of one that has none, no value.
struct StateMark {
  std::string id;
  std::uint64_t epoch = 0;
};
std::optional<StateMark> read_mark(frontier::Store& store);
// Gives one a name that has none.
std::string name_state(frontier::Store& store, std::string_view key = kStateKey);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_COPIES_H_
