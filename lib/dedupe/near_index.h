// SPDX-License-Identifier: Apache-2.0
// Finds, among many sketches, those near a given one, without comparing all.
//
// A sketch is filed under several band keys, each made of a part of it, so chosen that near sketches agree
// in at least one part:
//
//   simhash  k bits may differ. 64 bits are cut in k + 2 blocks; k differing bits leave two of them whole.
//            A band is a pair of blocks: k = 3 has 10 bands of 25 or 26 bits (the permuted tables of Manku
//            et al., as masks). Nothing within k is missed, up to the bound below.
//   minhash  the bytes for bands are cut in bands of r; r is chosen by the similarity wanted, so that of sketches
//            as similar as that 99 in 100 agree in a band, and few others do. Kept are 32 bits of each band's key.
//
// Pages of one frame share most of their bands, by thousands. So a search ends after so many comparisons for each
// band, 1024 of simhashes and 64 of minhashes, which go to the bands that few share first: 20,000 pages of 400 words,
// 368 of them the same, take 0.8 s at a similarity of 0.9, 40 us each, where comparing all that share a band took
// 23.6 s; every copy at 0.95 was still found. (bench-dedupe_near, 30,000 sketches of one frame: 30 us each, unbounded
// 783.) With 16 or 256 for 64 as many are found; what is near by noise alone, 15 to 18 % of those pages.
//
// Memory a sketch: 8 + 80 bytes (simhash, k = 3), 128 + 64 + 128 (minhash, 0.9, 128 bytes). Growth never pauses. The
// number of a sketch is the order in which it was added, from 0. Not thread-safe.
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
  // `sketch`: entry_bytes() bytes. The most similar one of those compared that is near enough, of several the first.
  virtual bool find(std::string_view sketch, Neighbour& nearest) const = 0;
  // Calls visit for each that is near enough, of those that find() would compare; some more than once.
  using Visit = std::function<void(const Neighbour&)>;
  virtual void each_near(std::string_view sketch, const Visit& visit) const = 0;
  // Calls visit for the key of each band: sketches that are near agree, nearly always, in one of them, and in the same place.
  using VisitBand = std::function<void(std::uint64_t key)>;
  virtual void each_band(std::string_view sketch, const VisitBand& visit) const = 0;
  virtual void add(std::string_view sketch) = 0;
  virtual std::uint32_t size() const = 0;
  virtual std::uint64_t bytes() const = 0;
  // How many bytes a sketch has, as it is given and stored.
  virtual std::uint32_t entry_bytes() const = 0;
};

// `distance`: 0 to 7 bits.
std::unique_ptr<NearIndex> make_simhash_index(unsigned distance);
// `similarity`: 0.1 to 1.
std::unique_ptr<NearIndex> make_minhash_index(double similarity, const MinhashForm& form = {});

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_NEAR_INDEX_H_
