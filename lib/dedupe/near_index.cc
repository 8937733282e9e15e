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

namespace spinneret::dedupe {
namespace {

// Finds candidates by a table for each band. Derived keeps the sketches:
//   struct Probe; Probe probe(std::string_view bytes) const
//   std::uint64_t key(const Probe&, std::size_t band) const
//   void keep(const Probe&); std::uint64_t key_of(std::uint32_t number, std::size_t band) const
//   bool near(const Probe&, std::uint32_t number, double& similarity) const
//   static constexpr std::size_t kStepsPerBand
template <typename Derived>
class BandIndex : public NearIndex {
 public:
  bool find(std::string_view bytes, Neighbour& nearest) const override {
    bool found = false;
    walk(bytes, [&](const Neighbour& near) {
      const bool better = near.similarity > nearest.similarity ||
                          (near.similarity == nearest.similarity && near.number < nearest.number);
      if (!found || better) nearest = near;
      found = true;
    });
    return found;
  }

  void each_near(std::string_view bytes, const Visit& visit) const override { walk(bytes, visit); }

  // Keys have 64 bits, although the tables keep fewer. The band is part of the key, so that keys of
  // different bands differ.
  void each_band(std::string_view bytes, const VisitBand& visit) const override {
    for (std::size_t band = 0; band < bands_.size(); ++band) {
      visit(derived().wide_key(bytes, band));
    }
  }

  void add(std::string_view bytes) override {
    const auto probe = derived().probe(bytes);
    static_cast<Derived&>(*this).keep(probe);
    ++size_;
    for (std::size_t band = 0; band < bands_.size(); ++band) {
      bands_[band].add(derived().key(probe, band),
                       [&](std::uint32_t number) { return derived().key_of(number, band); });
    }
  }

  std::uint32_t size() const override { return size_; }
  std::uint64_t bytes() const override {
    std::uint64_t total = derived().kept_bytes();
    for (const BandTable& band : bands_) total += band.bytes();
    return total;
  }

 protected:
  std::vector<BandTable> bands_;

 private:
  static constexpr std::size_t kMaxBands = kBandBins;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  // Takes one step in each chain in turn, up to a total number of steps. Short chains, those of
  // bands that few share, end first; what is left of the steps goes to the long chains of a
  // template that thousands of pages share, the newest of these first.
  template <typename OnNear>
  void walk(std::string_view bytes, const OnNear& on_near) const {
    const auto wanted = derived().probe(bytes);
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
    for (std::size_t steps = Derived::kStepsPerBand * bands_.size(); open > 0 && steps >= open;) {
      steps -= open;
      for (std::size_t i = 0; i < open;) {
        Walk& at = walks[i];
        Neighbour near{at.number, 0};
        if (derived().near(wanted, at.number, near.similarity)) on_near(near);
        at.number = bands_[at.band].following(at.number);
        if (at.number == BandTable::kNone) {
          at = walks[--open];
        } else {
          ++i;
        }
      }
    }
  }

  std::uint32_t size_ = 0;
};

class SimhashIndex : public BandIndex<SimhashIndex> {
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
  std::uint64_t probe(std::string_view bytes) const {
    std::uint64_t out = 0;
    std::memcpy(&out, bytes.data(), std::min(sizeof out, bytes.size()));
    return out;
  }
  std::uint64_t key(std::uint64_t sketch, std::size_t band) const { return sketch & masks_[band]; }
  std::uint64_t key_of(std::uint32_t number, std::size_t band) const {
    return key(sketches_[number], band);
  }
  std::uint64_t wide_key(std::string_view bytes, std::size_t band) const {
    const std::uint64_t part = key(probe(bytes), band);
    return hash64({reinterpret_cast<const char*>(&part), sizeof part}, band);
  }
  void keep(std::uint64_t sketch) { sketches_.push_back(sketch); }
  bool near(std::uint64_t wanted, std::uint32_t number, double& similarity) const {
    const unsigned distance = simhash_distance(wanted, sketches_[number]);
    similarity = 1 - distance / 64.0;
    return distance <= distance_;
  }
  std::uint64_t kept_bytes() const { return sketches_.bytes(); }
  std::uint32_t entry_bytes() const override { return sizeof(std::uint64_t); }

 private:
  unsigned distance_;
  std::vector<std::uint64_t> masks_;
  ChunkedVector<std::uint64_t> sketches_;
};

template <unsigned kBytes>
class MinhashIndex : public BandIndex<MinhashIndex<kBytes>> {
 public:
  static constexpr std::size_t kStepsPerBand = 64;
  using Sketch = std::array<char, kBytes>;
  struct Probe {
    Sketch sketch;
    std::array<std::uint32_t, kBandBins> keys;
  };

  MinhashIndex(double similarity, const MinhashForm& form) : similarity_(similarity), form_(form) {
    while (rows_ > 1 && chance(rows_) < 0.99) rows_ /= 2;
    this->bands_.resize(kBandBins / rows_);
  }
  Probe probe(std::string_view bytes) const {
    Probe out{};
    if (bytes.size() < form_.entry_bytes()) return out;
    std::memcpy(out.sketch.data(), bytes.data(), out.sketch.size());
    for (std::size_t band = 0; band < this->bands_.size(); ++band) {
      out.keys[band] = static_cast<std::uint32_t>(wide_key(bytes, band));
    }
    return out;
  }
  std::uint64_t wide_key(std::string_view bytes, std::size_t band) const {
    return hash64(bytes.substr(kBytes + band * rows_, rows_), band);
  }
  std::uint64_t key(const Probe& probe, std::size_t band) const { return probe.keys[band]; }
  std::uint64_t key_of(std::uint32_t number, std::size_t band) const {
    return keys_[std::size_t{number} * this->bands_.size() + band];
  }
  void keep(const Probe& probe) {
    sketches_.push_back(probe.sketch);
    for (std::size_t band = 0; band < this->bands_.size(); ++band) {
      keys_.push_back(probe.keys[band]);
    }
  }
  bool near(const Probe& wanted, std::uint32_t number, double& similarity) const {
    similarity = minhash_similarity(wanted.sketch.data(), sketches_[number].data(), form_);
    return similarity >= similarity_;
  }
  std::uint64_t kept_bytes() const { return sketches_.bytes() + keys_.bytes(); }
  std::uint32_t entry_bytes() const override { return form_.entry_bytes(); }

 private:
  // Returns the probability that two sketches of the wanted similarity agree in some band of so
  // many rows.
  double chance(std::size_t rows) const {
    const std::size_t bands = kBandBins / rows;
    return 1 - std::pow(1 - std::pow(similarity_, static_cast<double>(rows)),
                        static_cast<double>(bands));
  }

  double similarity_;
  MinhashForm form_;
  std::size_t rows_ = 32;
  ChunkedVector<Sketch> sketches_;
  ChunkedVector<std::uint32_t> keys_;
};

}  // namespace

std::unique_ptr<NearIndex> make_simhash_index(unsigned distance) {
  return std::make_unique<SimhashIndex>(distance);
}

std::unique_ptr<NearIndex> make_minhash_index(double similarity, const MinhashForm& form) {
  if (form.bytes == 256) return std::make_unique<MinhashIndex<256>>(similarity, form);
  return std::make_unique<MinhashIndex<128>>(similarity, form);
}

}  // namespace spinneret::dedupe
