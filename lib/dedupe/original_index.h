// SPDX-License-Identifier: Apache-2.0
// Which document came first: remembers the name (URL) of the first of every content, by exact bytes, by
// normalised text or by nearness, and tells of a later one whose copy it is.
//
//   Result<std::unique_ptr<OriginalIndex>> index = make_original_index({.method = Method::kSimhash});
//   OriginalIndex::Verdict verdict;
//   (*index)->judge(url, body, true, verdict);
//   if (verdict.copy) ... verdict.original, verdict.similarity
//   (*index)->commit();                       // a stored index writes what is new: before any output
//
// Only originals are indexed: a copy of a copy is compared with the original, and nothing drifts. A page that goes back
// to what it was before its last change is indexed again, so that each name's newest entry is what it has.
// Not thread-safe.
#ifndef SPINNERET_DEDUPE_ORIGINAL_INDEX_H_
#define SPINNERET_DEDUPE_ORIGINAL_INDEX_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "dedupe/content_sketch.h"

namespace spinneret::dedupe {

class OriginalIndex {
 public:
  struct Verdict {
    bool copy = false;
    std::string_view original;  // name of the first; lives as long as the index
    double similarity = 1;      // 1 where the whole was compared
    // The copy is of what the same name had when it last changed. Of the methods that compare words; the bytes' digest
    // says as much.
    bool unchanged = false;
  };
  virtual ~OriginalIndex() = default;

  // False: there is nothing to compare (text without words), and nothing was remembered. `markup`: the
  // content is HTML or XML (matters to the methods that compare words).
  virtual bool judge(std::string_view name, std::string_view content, bool markup,
                     Verdict& verdict) = 0;
  // The same by a sketch that was made before, as ContentSketch::read() gives it.
  virtual void judge_sketch(std::string_view name, std::string_view sketch, Verdict& verdict) = 0;
  // What was judged to be original since the last call goes to the store. See SeenSet::insert_batch.
  virtual Status commit() = 0;
  virtual std::uint64_t size() const = 0;
  virtual std::uint64_t bytes() const = 0;
};

Result<std::unique_ptr<OriginalIndex>> make_original_index(const OriginalOptions& options,
                                                           std::string* notice = nullptr);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_ORIGINAL_INDEX_H_
