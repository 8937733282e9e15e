// SPDX-License-Identifier: Apache-2.0
// Tells which document came first: remembers the name (URL) of the first document with each
// content, and tells of a later document whose copy it is. Contents are compared by exact bytes,
// normalised text or nearness.
//
//   Result<std::unique_ptr<OriginalIndex>> index =
//       make_original_index({.method = Method::kSimhash});
//   OriginalIndex::Verdict verdict;
//   (*index)->judge(url, body, true, verdict);
//   if (verdict.copy) ... verdict.original, verdict.similarity
//   (*index)->commit();              // a stored index writes new originals: before any output
//
// Only originals are indexed: a copy of a copy is compared with the original, so that copies cannot
// drift. A page that goes back to an earlier content is indexed again, so that the newest entry of
// each name is its present content. Not thread-safe.
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
    std::string_view original;  // name of the original; lives as long as the index
    double similarity = 1;      // 1 where the whole content was compared
    // The content has not changed since the same name was last judged to have changed. Set by the
    // methods that compare words; for bytes the digest says the same.
    bool unchanged = false;
  };
  virtual ~OriginalIndex() = default;

  // Returns false where there is nothing to compare (a text without words); nothing is remembered
  // then. `markup` says that the content is HTML or XML, which matters to the methods that compare
  // words.
  virtual bool judge(std::string_view name, std::string_view content, bool markup,
                     Verdict& verdict) = 0;
  // Judges a sketch that was made before, as ContentSketch::read() gives it.
  virtual void judge_sketch(std::string_view name, std::string_view sketch, Verdict& verdict) = 0;
  // Writes the originals that were found since the last call to the store. See
  // SeenSet::insert_batch.
  virtual Status commit() = 0;
  virtual std::uint64_t size() const = 0;
  virtual std::uint64_t bytes() const = 0;
};

Result<std::unique_ptr<OriginalIndex>> make_original_index(const OriginalOptions& options,
                                                           std::string* notice = nullptr);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_ORIGINAL_INDEX_H_
