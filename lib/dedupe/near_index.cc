// SPDX-License-Identifier: Apache-2.0
#include "dedupe/near_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "dedupe/band_table.h"
#include "dedupe/chunked_vector.h"
#include "dedupe/sketch.h"

namespace spinneret {
namespace {

template <typename Sketch>
Sketch sketch_of(std::string_view bytes) {
  Sketch out{};
  std::memcpy(&out, bytes.data(), std::min(sizeof out, bytes.size()));
  return out;
}

// Sketches, and for each band a table. Derived says what a band's key is and what is similar enough:
//   std::uint64_t key(const Sketch&, std::size_t band) const
//   bool near(const Sketch&, const Sketch&, double& similarity) const
//   static constexpr std::size_t kStepsPerBand
template <typename Sketch, typename Derived>
class BandIndex : public NearIndex {
 public:
  // A step in each chain by turns, and so many in all: short chains, those of bands that few share, come to their
  // ends before a frame that thousands of pages have takes what is left, its newest first.
  bool find(std::string_view bytes, Neighbour& nearest) const override {
    const auto wanted = sketch_of<Sketch>(bytes);
    struct Walk {
      std::uint32_t number;
      std::uint32_t band;
    };
    std::array<Walk, kMaxBands> walks;
    std::size_t open = 0;
    for (std::uint32_t band = 0; band < bands_.size(); ++band) {
      const std::uint32_t first = bands_[band].first(derived().key(wanted, band));
      if (first != BandTable::kNone) walks[open++] = {first, band};
    }
    bool found = false;
    for (std::size_t steps = Derived::kStepsPerBand * bands_.size(); open > 0 && steps >= open;) {
      steps -= open;
      for (std::size_t i = 0; i < open;) {
        Walk& walk = walks[i];
        found |= compare(wanted, walk.number, found, nearest);
        walk.number = bands_[walk.band].following(walk.number);
        if (walk.number == BandTable::kNone) {
          walk = walks[--open];
        } else {
          ++i;
        }
      }
    }
    return found;
  }

  void add(std::string_view bytes) override {
    sketches_.push_back(sketch_of<Sketch>(bytes));
    for (std::size_t band = 0; band < bands_.size(); ++band) {
      bands_[band].add(derived().key(sketches_.back(), band), [&](std::uint32_t number) {
        return derived().key(sketches_[number], band);
      });
    }
  }

  std::uint32_t size() const override { return static_cast<std::uint32_t>(sketches_.size()); }
  std::uint64_t bytes() const override {
    std::uint64_t total = sketches_.bytes();
    for (const BandTable& band : bands_) total += band.bytes();
    return total;
  }
  std::uint32_t entry_bytes() const override { return sizeof(Sketch); }

 protected:
  std::vector<BandTable> bands_;

 private:
  static constexpr std::size_t kMaxBands = kMinhashBins;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  // Whether it is near; if so, and more so than the nearest that was found, that is the nearest.
  bool compare(const Sketch& wanted, std::uint32_t number, bool found, Neighbour& nearest) const {
    double similarity = 0;
    if (!derived().near(wanted, sketches_[number], similarity)) return false;
    const bool better = similarity > nearest.similarity ||
                        (similarity == nearest.similarity && number < nearest.number);
    if (!found || better) nearest = {number, similarity};
    return true;
  }

  ChunkedVector<Sketch> sketches_;
};

class SimhashIndex : public BandIndex<std::uint64_t, SimhashIndex> {
 public:
  static constexpr std::size_t kStepsPerBand = 1024;

  explicit SimhashIndex(unsigned distance) : distance_(distance) {
    const unsigned blocks = distance + 2;
    const auto block_mask = [&](unsigned i) {
      const unsigned begin = 64 * i / blocks;
      const unsigned width = 64 * (i + 1) / blocks - begin;
      return (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << begin;
    };
    for (unsigned i = 0; i < blocks; ++i) {
      for (unsigned j = i + 1; j < blocks; ++j) masks_.push_back(block_mask(i) | block_mask(j));
    }
    bands_.resize(masks_.size());
  }
  std::uint64_t key(std::uint64_t sketch, std::size_t band) const { return sketch & masks_[band]; }
  bool near(std::uint64_t a, std::uint64_t b, double& similarity) const {
    const unsigned distance = simhash_distance(a, b);
    similarity = 1 - distance / 64.0;
    return distance <= distance_;
  }

 private:
  unsigned distance_;
  std::vector<std::uint64_t> masks_;
};

class MinhashIndex : public BandIndex<Minhash, MinhashIndex> {
 public:
  static constexpr std::size_t kStepsPerBand = 64;

  explicit MinhashIndex(double similarity) : similarity_(similarity) {
    while (rows_ > 1 && chance(rows_) < 0.99) rows_ /= 2;
    bands_.resize(kMinhashBins / rows_);
  }
  std::uint64_t key(const Minhash& sketch, std::size_t band) const {
    return hash64({reinterpret_cast<const char*>(sketch.data()) + band * rows_, rows_}, band);
  }
  bool near(const Minhash& a, const Minhash& b, double& similarity) const {
    similarity = minhash_similarity(a, b);
    return similarity >= similarity_;
  }

 private:
  // That two sketches of the wanted similarity agree in some band of so many rows.
  double chance(std::size_t rows) const {
    const std::size_t bands = kMinhashBins / rows;
    return 1 - std::pow(1 - std::pow(similarity_, static_cast<double>(rows)),
                        static_cast<double>(bands));
  }

  double similarity_;
  std::size_t rows_ = 32;
};

}  // namespace

std::unique_ptr<NearIndex> make_simhash_index(unsigned distance) {
  return std::make_unique<SimhashIndex>(distance);
}

std::unique_ptr<NearIndex> make_minhash_index(double similarity) {
  return std::make_unique<MinhashIndex>(similarity);
}

}  // namespace spinneret
