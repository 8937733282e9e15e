// SPDX-License-Identifier: Apache-2.0
// Finds the sketches near a given one among many, without comparing all.
//
// A sketch is filed under several band keys, each made from a part of it. The parts are chosen so
// that near sketches agree in at least one of them:
//
//   simhash  k bits may differ. 64 bits are cut into k + 2 blocks, so that k differing bits leave
//            at least two blocks whole. A band is a pair of blocks: k = 3 has 10 bands of 25 or 26
//            bits (the permuted tables of Manku et al., as masks). No sketch within k bits is
//            missed, up to the bound below.
//   minhash  The bytes for bands are cut into bands of r, where r is chosen by the similarity that
//            is wanted: of sketches with just that similarity 99 in 100 agree in a band, and few
//            of the others do. 32 bits of each band's key are kept.
//
// Thousands of pages made from one template share most of their bands. So a search ends after a
// number of comparisons for each band, 1024 of simhashes and 64 of minhashes, which are spent first
// on bands that few sketches share. Minhashes at a similarity of 0.9, without the bound and with
// it:
//
//                                                                no bound   64 comparisons
//   20,000 pages of 400 words, 368 of them from one template     23.6 s     0.8 s (every copy at
//                                                                           0.95 is found)
//   30,000 sketches from one template (bench-dedupe_near), each  783 us     30 us
//
// In the second row 15 to 18 % of the sketches have a neighbour that is found, by noise alone; with
// a bound of 16 or 256 there are as many.
//
// Memory for a sketch: 8 + 80 bytes (simhash, k = 3), or 128 + 64 + 128 bytes (minhash, 0.9, 128
// bytes). Growth never pauses. A sketch's number is the order in which it was added, from 0. Not
// thread-safe.
#ifndef SPINNERET_DEDUPE_NEAR_INDEX_H_
#define SPINNERET_DEDUPE_NEAR_INDEX_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "dedupe/sketch.h"

namespace spinneret::dedupe {

struct Neighbour {
  std::uint32_t number = 0;
  double similarity = 0;
};

class NearIndex {
 public:
  virtual ~NearIndex() = default;
  // `sketch` has entry_bytes() bytes. Gives the most similar of the compared sketches that are near
  // enough, and the first of several; returns false where there is none.
  virtual bool find(std::string_view sketch, Neighbour& nearest) const = 0;
  // Calls visit for each sketch that is near enough among those that find() would compare, for some
  // more than once.
  using Visit = std::function<void(const Neighbour&)>;
  virtual void each_near(std::string_view sketch, const Visit& visit) const = 0;
  // Calls visit with the key of each band. Near sketches nearly always have the same key in at
  // least one band.
  using VisitBand = std::function<void(std::uint64_t key)>;
  virtual void each_band(std::string_view sketch, const VisitBand& visit) const = 0;
  virtual void add(std::string_view sketch) = 0;
  virtual std::uint32_t size() const = 0;
  virtual std::uint64_t bytes() const = 0;
  // The bytes of a sketch, as it is given and stored.
  virtual std::uint32_t entry_bytes() const = 0;
};

// `distance`: 0 to 7 bits.
std::unique_ptr<NearIndex> make_simhash_index(unsigned distance);
// `similarity`: 0.1 to 1.
std::unique_ptr<NearIndex> make_minhash_index(double similarity, const MinhashForm& form = {});

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_NEAR_INDEX_H_
