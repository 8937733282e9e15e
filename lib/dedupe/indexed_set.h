// SPDX-License-Identifier: Apache-2.0
// The set of a store, which does not have to be in memory: the keys of the log's index
// (store_index.h), and a table of those that came since.
//
//   table     keys at the log's end, which are in no run yet; a full table is frozen, then a run
//   frozen    a table that a thread is writing as a run
//   runs      the log's beginning, each with a filter; another thread merges neighbours of about
//             the same size
//
// A batch waits for these threads only where the table is full again before the frozen one is
// written. Look-ups are exact; filters only save reads. The set itself is not thread-safe.
//
// Where no run can be written (a full disk), the set keeps the present runs, and the tables grow;
// nothing is lost, since the log has all keys. This is an Error only where memory is bounded.
#ifndef SPINNERET_DEDUPE_INDEXED_SET_H_
#define SPINNERET_DEDUPE_INDEXED_SET_H_

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dedupe/fingerprint_set.h"
#include "dedupe/fingerprint_table.h"
#include "dedupe/run_searches.h"
#include "dedupe/store_index.h"

namespace spinneret::dedupe {

template <typename F>
class IndexedSet : public FingerprintSet<F> {
 public:
  // `memory` 0 means no bound, with tables of some 4 million keys. With `read_only` nothing is
  // written.
  IndexedSet(StoreIndex<F> index, std::uint64_t memory, bool read_only);
  ~IndexedSet() override;

  // Opens the runs that exist; must be called first. The caller then recalls what the log has
  // behind the returned mark.
  LogMark open(const SeenLog& log);

  Status insert_batch(std::span<const F> keys, bool* fresh) override;
  Status find_batch(std::span<const F> keys, bool* fresh) override;
  Status recall_batch(std::span<const F> keys, bool* fresh) override;
  void logged(const LogMark& mark) override;
  // Waits for the work under way, and leaves little in the log for the next opening to read.
  Status close() override;
  // Tells why the index is not up to date.
  std::string report() const override { return report_; }
  std::uint64_t size() const override { return mark_.entries; }
  std::uint64_t bytes() const override;

 private:
  using Run = typename StoreIndex<F>::Run;
  using Table = FingerprintTable<F>;
  struct Merge {
    Merge(std::size_t begin, std::size_t runs, std::future<Result<Run>> merged)
        : first(begin), count(runs), result(std::move(merged)) {}
    std::size_t first, count;  // which of runs_ are merged
    std::future<Result<Run>> result;
  };
  // How a run that is being written is taken over. kClose waits, as kWait does, but a failure is no
  // Error: only the index suffers.
  enum class Take { kIfReady, kWait, kClose };
  Status look_behind(std::span<const F> keys, bool* fresh, std::vector<F>* recalled);
  Status keep_bounds();
  Status give_up(const std::string& why, Take how);
  void forget_recalled();
  Status freeze();
  Status take_written(Take how);
  Status take_merged(Take how);
  void start_due_merge();
  std::future<Result<Run>> merge_runs(std::vector<Run> runs, std::uint64_t keys);
  void look_again();
  double filter_bits(std::uint64_t keys) const;

  StoreIndex<F> index_;
  std::uint64_t memory_;
  bool read_only_;
  std::uint64_t table_keys_;  // a table with so many keys is full
  std::uint64_t seed_ = 0;
  std::shared_ptr<Table> table_ = std::make_shared<Table>();
  // Keys of table_ that runs or the frozen table have, too. They are in table_ so that their next
  // repeat reads nothing.
  std::vector<F> recalled_;
  std::shared_ptr<const Table> frozen_;
  std::vector<Run> runs_;
  std::vector<typename SortedRun<F>::Sight> sights_;  // those of runs_
  LogMark covered_ = SeenLog::start();                // the log's part in runs and the frozen table
  LogMark mark_ = SeenLog::start();                   // the log's end
  std::future<Result<Run>> written_;
  std::optional<Merge> merge_;
  RunSearches<F> searches_;
  std::string report_;  // empty as long as runs are written
  // The Error of the next batch: the batch that was just logged must still be passed on.
  Status failed_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_INDEXED_SET_H_
