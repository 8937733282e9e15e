// SPDX-License-Identifier: Apache-2.0
// A folder beside a store's log, which has the log's keys sorted in files that can be searched
// without being read as a whole, so that a store of any size opens at once.
//
//   seen                    the log: the only truth
//   seen.index/FROM-TO.run  the keys of the log's bytes [FROM, TO), in hexadecimal digits
//
//   run file  [ keys, ascending | ranks | sums | filter | footer ]
//
// sorted_run.h describes these parts; the footer is IndexFooter.
//
// A run file is written under another name, synced and renamed, and never changes. It contains the
// sum of the log's block that ends where the run ends, so that a run of another log, or of a log
// that was compacted since, is recognised and ignored. Whatever is missing, torn or damaged in the
// folder is read from the log instead: the folder may be removed, and nothing is lost with it.
//
// Neighbouring run files are merged. A kill between the rename and the removal of the old ones
// leaves both, and the longer one is used. Only the process that holds the log's lock writes to the
// folder.
#ifndef SPINNERET_DEDUPE_STORE_INDEX_H_
#define SPINNERET_DEDUPE_STORE_INDEX_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "dedupe/seen_log.h"
#include "dedupe/sorted_run.h"

namespace spinneret::dedupe {

// Asked before each call that changes a file: returns 0, or the errno with which the call is to
// fail (for tests).
using FaultCheck = std::function<int()>;

template <typename F>
struct IndexRun {
  explicit IndexRun(RunFile opened) : file(std::move(opened)) {}
  RunFile file;
  SortedRun<F> run;
  SavedRun saved;
  LogMark from, to;
  std::string path;
};

template <typename F>
class StoreIndex {
 public:
  using Run = std::shared_ptr<const IndexRun<F>>;
  using Fill = std::function<Result<SortedRun<F>>(RunFile& file)>;

  // With `holds`, stretches of runs stay in memory once they are read.
  StoreIndex(std::string store, bool holds, FaultCheck fault)
      : folder_(std::move(store) + ".index"), holds_(holds), fault_(std::move(fault)) {}

  // Returns whether the folder can be written to, or made. A store works without the folder.
  bool may_write() const;
  // Opens the runs that follow one another from the log's beginning, as far as they reach. Filters
  // are read as long as they take at most `filter_bytes` in all, those of the last runs first.
  std::vector<Run> open(const SeenLog& log, std::uint64_t filter_bytes) const;
  // Removes files that do not belong to `runs`. Only the writer may call it.
  void remove_others(const std::vector<Run>& runs) const;
  // Writes a new run with the keys that `fill` gives, and syncs it. An Error leaves everything as
  // before. Thread-safe.
  Result<Run> write(std::uint64_t seed, const LogMark& from, const LogMark& to,
                    const Fill& fill) const;
  void remove(const IndexRun<F>& run) const;

 private:
  std::vector<std::shared_ptr<IndexRun<F>>> open_chain(const SeenLog& log,
                                                       const std::vector<std::string>& names) const;
  std::shared_ptr<IndexRun<F>> open_run(const std::string& name, const SeenLog& log,
                                        const LogMark& from) const;
  Status finish(IndexRun<F>& run, std::uint64_t seed) const;
  int fault() const { return fault_ ? fault_() : 0; }

  std::string folder_;
  bool holds_;
  FaultCheck fault_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_STORE_INDEX_H_
