// SPDX-License-Identifier: Apache-2.0
// Copies of a partition's state, in a place that outlives the machine that made them.
//
//   scheduler       place                  engine, under the lease
//   checkpoint -->  put p3-EPOCH-NUMBER --> manifest: this copy and the one  --> acks name what
//                                           before (by compare-and-set)          the one before has
//
// A link of another partition counts as kept once the **last but one** copy in the manifest has it:
// the newest may turn out unreadable. An owner that was replaced can neither change the manifest
// nor acknowledge. The copies that it still puts bear its epoch, which is lower than its
// successor's.
//
// Whoever takes a partition begins from one of these (restore()):
// - the state in its own folder, where that is the one which the engine names, and no copy has a
//   later epoch;
// - else the newest of the copies and its own folder: that of the highest epoch, since epochs are
//   never reused and each tenure writes its epoch into the state. A copy that cannot be read gives
//   way to the one before it;
// - else nothing, where the partition has not begun yet, or was ordered to begin anew (begun.h). To
//   begin anew unasked where copies were made and cannot be found would lose links that others
//   believe are kept.
// Where it does not go on from its own state, all hosts count as visited at that moment, and the
// state gets another name, which shows that the old machine's state is out of date.
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

// A place for copies. A name consists of a-z, 0-9 and `-`, and is put once.
class CopyPlace {
 public:
  virtual ~CopyPlace() = default;
  // begin_put() begins to put the folder there; it must not change until put_ended() returns the
  // outcome.
  virtual Status begin_put(const std::string& folder, const std::string& name) = 0;
  virtual std::optional<Status> put_ended() = 0;
  // These calls wait. get() creates the folder.
  virtual Status get(const std::string& name, const std::string& folder) = 0;
  virtual Status list(std::vector<std::string>& names) = 0;
  virtual Status drop(const std::string& name) = 0;
};

struct CopyName {
  std::uint64_t epoch = 0, number = 0;
  friend auto operator<=>(const CopyName&, const CopyName&) = default;
};
// Returns a name such as "p3-1764000000000-7".
std::string format_copy(std::uint32_t partition, const CopyName& copy);
// No value where the text is of another partition, or no copy's name.
std::optional<CopyName> parse_copy(std::uint32_t partition, std::string_view text);

// The engine's table of manifests: a row for each partition names its copies, newest first.
inline constexpr std::string_view kCopiesTable = "copies";

// Ships copies, one at a time. Not thread-safe.
class Shipping {
 public:
  Shipping(CopyPlace& place, std::uint32_t partition) : place_(place), partition_(partition) {}

  // Reads the manifest. An Error: the engine did not answer.
  Status open(lease::Leases& leases);
  bool busy() const { return busy_ || shipped_; }
  // Why a copy may be wanted: not at all; because others wait for it and there is nothing else to
  // do; because it is time.
  enum class Call : std::uint8_t { kNone, kWanted, kByTime };
  // Whether a copy is to be made now.
  bool due(Call call, std::int64_t now_ms) const;
  // Begins to ship `folder`, a copy of what is committed at this moment.
  Status begin(const std::string& folder, std::uint64_t epoch, Receiver& receiver,
               std::int64_t now_ms);
  // Goes on with shipping. Returns false where another node has the partition. An Error: the copy
  // did not arrive (another will be made), or the engine is away.
  Result<bool> go_on(Receiver& receiver, lease::Leases& leases, const lease::Lease& lease,
                     std::int64_t now_ms);

 private:
  void sweep();

  CopyPlace& place_;
  std::uint32_t partition_;
  std::optional<std::string> row_;  // the manifest as the engine has it
  std::vector<CopyName> kept_;      // the copies it names, newest first
  CopyName present_;                // the copy on its way
  bool busy_ = false, shipped_ = false;
  bool swept_ = false;
  std::int64_t begun_ms_ = 0, took_ms_ = 0;
  std::uint64_t number_ = 0;
};

struct Restored {
  // The state that the engine named before, which this one is to replace. No value: the state is
  // the one that the engine names.
  std::optional<std::string> replaces;
  std::string from;  // the copy that was restored; empty: none
  // Another machine may have crawled since: no host may be visited sooner than a delay from now.
  bool elsewhere = false;
};
// Turns folder + "/db" into the state with which the owner of the partition is to begin. The state
// must not be open or in use. An older one is left as folder + "/db.old". `say` gets messages for
// the user.
Result<Restored> restore(CopyPlace& place, lease::Leases& leases, std::uint32_t partition,
                         const std::string& folder,
                         const std::function<void(const std::string&)>& say);

// Makes all hosts of the state count as visited when it is opened next, by whatever clock it was
// written; and gives the state another name.
Status begin_elsewhere(frontier::Store& store);

// The rows of kMeta with a state's name: of a state that the crawl goes by, and of one that claims
// to be that. The claim is on disk before the engine hears of it: whoever dies then, or misses the
// answer, comes again under the same name.
inline constexpr std::string_view kStateKey = "state-id", kClaimKey = "state-claim";
// The row that says which list decided what hosts are in the state's partition:
// MemberSettings::map.
inline constexpr std::string_view kMapKey = "map";

// The name and epoch of a state; no value for a state without a name.
struct StateMark {
  std::string id;
  std::uint64_t epoch = 0;
};
std::optional<StateMark> read_mark(frontier::Store& store);
// Returns the state's name; stages a new one where it has none.
std::string name_state(frontier::Store& store, std::string_view key = kStateKey);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_COPIES_H_
