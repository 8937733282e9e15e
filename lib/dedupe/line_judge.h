// SPDX-License-Identifier: Apache-2.0
// Decides what becomes of each line of a batch: one interface over sets, stores and indexes.
#ifndef SPINNERET_DEDUPE_LINE_JUDGE_H_
#define SPINNERET_DEDUPE_LINE_JUDGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "dedupe/key_counter.h"
#include "dedupe/line_batch.h"
#include "dedupe/original_index.h"
#include "dedupe/seen_set.h"

namespace spinneret::dedupe {

struct LineVerdict {
  enum class Kind : std::uint8_t {
    kExempt,   // not judged: settled, or has nothing to compare
    kFresh,    // the first of its key
    kSame,     // another visit to a page whose content has not changed; passes
    kRepeat,   // not the first of its key
    kUnwanted  // a repeat that is not asked for (--repeated prints each key once)
  };
  Kind kind = Kind::kExempt;
  // For a repeat, where names are kept: the name of the first.
  std::string_view original = {};
  // For kRepeat and kSame. Below 1: near, not equal; below 0: not known.
  double similarity = 1;
};

class LineJudge {
 public:
  virtual ~LineJudge() = default;
  // verdicts[i] is for batch.lines()[i]. When judge() returns, fresh lines are in the store. After
  // an Error the caller must stop, and write none of the batch.
  virtual Status judge(const LineBatch& batch, std::vector<LineVerdict>& verdicts) = 0;
  virtual std::string report() const { return {}; }
  // Call it after the last batch is written. See SeenSet::close().
  virtual Status close() { return {}; }
};

// A line is fresh if the set does not have it. With `only_look` the set stays as it is.
std::unique_ptr<LineJudge> make_seen_judge(std::unique_ptr<SeenSet> set, bool only_look);

// The second line with a key is a repeat; all others are unwanted.
std::unique_ptr<LineJudge> make_second_judge();

// Compares the keys' bytes, and remembers the URL of the first line with each.
std::unique_ptr<LineJudge> make_original_judge(std::unique_ptr<OriginalIndex> index);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_LINE_JUDGE_H_
