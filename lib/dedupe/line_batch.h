// SPDX-License-Identifier: Apache-2.0
// The lines of a block of input and their keys, in batches, so that a set can judge many at once.
//
//   LineBatch batch(LineKey::url(), '\n', is_settled);
//   while (!run.empty()) {
//     batch.take(run);                                 // takes lines off the front of `run`
//     seen.insert_batch(batch.keys(), fresh);
//     for (const LineBatch::Line& line : batch.lines())    // fresh[line.key], if line.judged()
//   }
//
// Views point into the run, or into the batch until the next take().
#ifndef SPINNERET_DEDUPE_LINE_BATCH_H_
#define SPINNERET_DEDUPE_LINE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dedupe/line_key.h"

namespace spinneret::dedupe {

class LineBatch {
 public:
  static constexpr std::uint32_t kNotJudged = UINT32_MAX;
  // Lines in a batch: enough to overlap cache misses, and few enough to stay in the cache.
  static constexpr std::size_t kLines = 1024;
  struct Line {
    std::string_view text;           // without its terminator, and without one CR where that is LF
    std::uint32_t key = kNotJudged;  // index into keys()
    bool judged() const { return key != kNotJudged; }
    bool exempt = false;  // the predicate holds: the line passes whatever is asked for
    // The terminator follows the text directly, so that the line can be copied together with its
    // neighbours.
    bool terminated = false;
  };
  // Lines for which this returns true are not judged. It is asked only about lines with a tab.
  using Exempt = bool (*)(std::string_view line);

  LineBatch(LineKey key, char terminator, Exempt exempt, std::size_t lines = kLines);

  // Takes the first lines off `run`, which has whole lines; the last may lack its terminator.
  void take(std::string_view& run);

  std::span<const Line> lines() const { return lines_; }
  std::span<const std::string_view> keys() const { return keys_; }
  const char& terminator() const { return terminator_; }

 private:
  void add_key(Line& line);

  LineKey key_;
  char terminator_;
  Exempt exempt_;
  std::size_t most_lines_;
  std::vector<Line> lines_;
  std::vector<std::string_view> keys_;
  std::vector<std::string> joined_;  // keys of several fields
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_LINE_BATCH_H_
