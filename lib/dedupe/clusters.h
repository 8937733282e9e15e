// SPDX-License-Identifier: Apache-2.0
// Clusters of documents: the connected components of the relation "is near". A document that is
// near any member of a cluster belongs to it, so that the order of the documents makes no
// difference.
//
//   Clusters clusters(options, Clusters::Ties::kFirst);
//   clusters.add(sketch, rank);                  // documents are numbered from 0
//   clusters.close();
//   clusters.first(number), clusters.best(number), clusters.size(number)
//
// Every document is indexed, but equal sketches only once. Since a search of the index is bounded
// (near_index.h), some pairs are not compared where thousands of documents share all bands; most of
// these are joined through others. Memory: that of the index, and 45 to 60 bytes a document. Not
// thread-safe.
#ifndef SPINNERET_DEDUPE_CLUSTERS_H_
#define SPINNERET_DEDUPE_CLUSTERS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "dedupe/content_sketch.h"
#include "dedupe/fingerprint_table.h"
#include "dedupe/near_index.h"

namespace spinneret::dedupe {

class Clusters {
 public:
  static constexpr std::uint32_t kMost = UINT32_MAX - 1;
  // Says which of several documents with the highest rank is the best.
  enum class Ties { kFirst, kLast };

  Clusters(const OriginalOptions& options, Ties ties)
      : equal_only_(options.method == OriginalOptions::Method::kBytes ||
                    options.method == OriginalOptions::Method::kText),
        ties_(ties),
        index_(ContentSketch(options).make_index()) {}

  // Adds a document. Documents of higher rank are preferred.
  void add(std::string_view sketch, double rank);
  // Ends the input. The following functions may be called only afterwards.
  void close();
  // The first document of its cluster, which serves as the cluster's name.
  std::uint32_t first(std::uint32_t number) const { return parents_[number]; }
  std::uint32_t best(std::uint32_t number) const { return bests_[first(number)]; }
  std::uint32_t size(std::uint32_t number) const { return sizes_[first(number)]; }

  std::uint32_t documents() const { return static_cast<std::uint32_t>(parents_.size()); }

 private:
  std::uint32_t root(std::uint32_t number);
  void join(std::uint32_t a, std::uint32_t b);

  std::uint64_t seed_ = random_seed();
  bool equal_only_;
  Ties ties_;
  std::unique_ptr<NearIndex> index_;
  std::vector<std::uint32_t> indexed_;  // numbers of documents, by their numbers in index_
  FingerprintTable<ValuedFingerprint> sketches_;  // value: the first document that has the sketch
  std::vector<std::uint32_t> parents_;  // never greater than the document; a root is its own parent
  std::vector<double> ranks_;           // empty while all ranks are 0
  std::vector<std::uint32_t> bests_, sizes_;  // of the roots, after close()
};

// Returns the rank that a value gives: a number ranks as itself, a date as its seconds since 1970.
// Dates are in ISO 8601 or RFC 3339, complete at least to the month, or as HTTP, mail and feeds
// write them; zones are +01:00, +0100 or +01. Returns nothing for any other text, for numbers that
// a double cannot hold, and for days that no calendar has.
std::optional<double> rank_of(std::string_view value);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_CLUSTERS_H_
