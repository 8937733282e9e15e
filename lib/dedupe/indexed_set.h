// SPDX-License-Identifier: Apache-2.0
// The set of a store that need not be in memory: what the log's index holds (store_index.h), and a table of what came since.
//
//   table     keys of the log's end, which no run has yet; when it is full it is frozen, and becomes a run
//   frozen    a table that is being written, by a thread
//   runs      of the log's beginning, each with a filter; neighbours of about one size are merged, by another thread
//
// A batch waits for neither, but where the table is full again before the one before it is written. Lookups are exact: a
// filter only saves reads. Not thread-safe itself.
//
// Where no run can be written (a full disk), the runs there are and the tables are all there is from then on, and grow: the
// log has all keys. Only a bound of memory makes that an Error.
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
#include "dedupe/store_index.h"

namespace spinneret::dedupe {

template <typename F>
class IndexedSet : public FingerprintSet<F> {
 public:
  // `memory`: 0 is without bound, with tables of some 4 million keys. Nothing is written where `read_only`.
  IndexedSet(StoreIndex<F> index, std::uint64_t memory, bool read_only);
  ~IndexedSet() override;

  // Before anything else: takes the runs there are. What the log holds behind the mark is to be recalled.
  LogMark open(const SeenLog& log);

  Status insert_batch(std::span<const F> keys, bool* fresh) override;
  Status find_batch(std::span<const F> keys, bool* fresh) override;
  Status recall_batch(std::span<const F> keys, bool* fresh) override;
  void logged(const LogMark& mark) override;
  // Waits for what is under way, and leaves little that the next opening has to read from the log.
  Status close() override;
  // Why the index is not up to date.
  std::string report() const override { return report_; }
  std::uint64_t size() const override { return mark_.entries; }
  std::uint64_t bytes() const override;

 private:
  using Run = typename StoreIndex<F>::Run;
  using Table = FingerprintTable<F>;
  struct Merge {
    Merge(std::size_t begin, std::size_t runs, std::future<Result<Run>> merged)
        : first(begin), count(runs), result(std::move(merged)) {}
    std::size_t first, count;  // of runs_
    std::future<Result<Run>> result;
  };
  Status look_behind(std::span<const F> keys, bool* fresh, std::vector<F>* recalled);
  Status keep_bounds();
  Status give_up(const std::string& why, bool closing);
  void forget_recalled();
  Status freeze();
  Status take_written(bool wait, bool closing = false);
  Status take_merged(bool wait, bool closing = false);
  void start_due_merge();
  std::future<Result<Run>> merge_runs(std::vector<Run> runs, std::uint64_t keys);
  void look_again();
  double filter_bits(std::uint64_t keys) const;

  StoreIndex<F> index_;
  std::uint64_t memory_;
  bool read_only_;
  std::uint64_t table_keys_;  // so many are a full table
  std::uint64_t seed_ = 0;
  std::shared_ptr<Table> table_ = std::make_shared<Table>();
  std::vector<F>
      recalled_;  // of the table, those that are behind it, too: the next repeat reads nothing
  std::shared_ptr<const Table> frozen_;
  std::vector<Run> runs_;
  std::vector<typename SortedRun<F>::Sight> sights_;  // of runs_
  LogMark covered_ = SeenLog::start();                // by runs and the frozen table
  LogMark mark_ = SeenLog::start();                   // the log's end
  std::future<Result<Run>> written_;
  std::optional<Merge> merge_;
  RunSearches<F> searches_;
  std::string report_;  // empty as long as runs are written
  Status failed_;       // told to the next batch: the one that is logged is to be passed on
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_INDEXED_SET_H_
