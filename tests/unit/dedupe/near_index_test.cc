// SPDX-License-Identifier: Apache-2.0
// Sketches and their indexes, compared with a search over all pages, and on texts edited by known
// amounts.
#include "dedupe/near_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dedupe/clusters.h"
#include "dedupe/sketch.h"

namespace spinneret::dedupe {
namespace {

using Words = std::vector<std::string>;

Words random_words(std::mt19937& random, std::size_t count) {
  Words words(count);
  // A vocabulary with a few common words and many rare ones.
  for (std::string& word : words) {
    word = "w" + std::to_string(
                     static_cast<int>(std::exp2(static_cast<double>(random() % 1000) / 1000 * 14)));
  }
  return words;
}

std::string joined(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += word + " ";
  return out;
}

std::set<std::string> shingles(const Words& words, std::size_t length = 3) {
  std::set<std::string> out;
  for (std::size_t i = length; i <= words.size(); ++i) {
    std::string shingle;
    for (std::size_t j = i - length; j < i; ++j) shingle += words[j] + " ";
    out.insert(shingle);
  }
  return out;
}

constexpr MinhashForm kCodes{128, false};
constexpr MinhashForm kForms[] = {{128, true}, {256, true}, kCodes, {256, false}};

std::string minhash(std::string_view text, const MinhashForm& form = {}) {
  std::string entry;
  dedupe::minhash(text, {}, form, entry);
  return entry;
}

double similarity_of(const std::string& a, const std::string& b, const MinhashForm& form = {}) {
  return dedupe::minhash_similarity(a.data(), b.data(), form);
}

// The slow twin of minhash_similarity: compares code by code.
double similarity_by_code(const std::string& a, const std::string& b, unsigned bytes) {
  double bins = 0, equal = 0, filled = 0;
  for (std::size_t i = 0; i < bytes * 2; ++i) {
    const int x = (a[i / 2] >> i % 2 * 4) & 15;
    const int y = (b[i / 2] >> i % 2 * 4) & 15;
    if (x == 15 && y == 15) continue;
    ++bins;
    if (x != 15 && y != 15) ++filled, equal += x == y;
  }
  return bins == 0 ? 1 : std::max(0.0, (equal - filled / 15) / (14.0 / 15) / bins);
}

// The slow twin of parity: compares bit by bit, and finds the share by bisection: which share would
// leave so many bits in common?
double similarity_by_bit(const std::string& a, const std::string& b, unsigned bytes) {
  const unsigned bits = bytes * 8 - 16;
  unsigned odd = 0;
  for (unsigned i = 0; i < bits; ++i) odd += ((a[i / 8] ^ b[i / 8]) >> i % 8 & 1) != 0;
  const auto count = [&](const std::string& s) {
    return 1 + (static_cast<unsigned char>(s[bytes - 2]) |
                (static_cast<unsigned char>(s[bytes - 1]) & 15) << 8);
  };
  const double one = count(a), other = count(b), bins = bytes * 16;
  if (a.substr(0, bytes) == b.substr(0, bytes)) return 1;
  if (odd >= bits / 2) return 0;
  double balls = std::log(1 - 2.0 * odd / bits) / std::log(1 - 2.0 / bits);
  if (odd == 0 && one == other) balls = 2;
  const double common = std::min((one + other - balls) / 2, std::min(one, other));
  if (common <= 0) return 0;
  const auto shingles = [&](double filled) {
    return filled == bins ? bins * 40 : -bins * std::log(1 - filled / bins);
  };
  double low = 0, high = 2;
  for (int i = 0; i < 60; ++i) {
    const double share = (low + high) / 2;
    const double either =
        bins * (1 - std::exp(-(shingles(one) + shingles(other)) / (1 + share) / bins));
    const double held =
        std::min(std::max({either, one, other}), std::min(bins, one + other - common));
    (share * held < common ? low : high) = share;
  }
  return low;
}

// The value that minhash_similarity estimates.
double jaccard(const Words& a, const Words& b) {
  const std::set<std::string> one = shingles(a);
  const std::set<std::string> other = shingles(b);
  std::size_t both = 0;
  for (const std::string& shingle : one) both += other.contains(shingle);
  return static_cast<double>(both) / static_cast<double>(one.size() + other.size() - both);
}

// Replaces runs of words here and there, together `share` of all words.
Words edited(std::mt19937& random, Words words, double share) {
  auto left = static_cast<std::size_t>(share * static_cast<double>(words.size()));
  while (left > 0) {
    const std::size_t length = std::min<std::size_t>(left, 1 + random() % 10);
    const std::size_t at = random() % (words.size() - length);
    const Words fresh = random_words(random, length);
    std::copy(fresh.begin(), fresh.end(), words.begin() + static_cast<std::ptrdiff_t>(at));
    left -= length;
  }
  return words;
}

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

TEST(Sketch, equal_texts_have_equal_sketches_and_others_have_not) {
  EXPECT_EQ(simhash("a b c d "), simhash("a b c d "));
  EXPECT_NE(simhash("a b c d "), simhash("a b c e "));
  EXPECT_NE(simhash("a "), simhash("b "));
  EXPECT_EQ(minhash("a b "), minhash("a b "));
  EXPECT_LT(similarity_of(minhash("a b "), minhash("b a ")), 0.1);
  EXPECT_EQ(similarity_of(minhash("a b c d "), minhash("a b c d ")), 1);
}

// The one shingle of this page hashes to the value of an empty bin. Bug: minhash() looked for
// another one for ever.
TEST(Sketch, a_page_made_to_look_like_an_empty_bin_ends) {
  const std::string bands = minhash("a b saezoqba ").substr(128);
  for (const char band : bands) EXPECT_EQ(band, bands[0]);
}

TEST(Sketch, shingles_are_runs_of_words_or_characters_each_once) {
  const auto hashes = [](std::string_view text, const Shingling& shingling) {
    std::vector<std::uint64_t> out;
    for_each_shingle(
        text, shingling,
        [](std::uint64_t hash, void* all) {
          static_cast<std::vector<std::uint64_t>*>(all)->push_back(hash);
        },
        &out);
    return out;
  };
  std::mt19937 random(5);
  for (const unsigned length : {1U, 2U, 3U, 5U, 13U, 32U}) {
    // A run has the same hash wherever it stands, and no two runs have the same. Compared with the
    // words themselves.
    const Words words = random_words(random, 500);
    const std::vector<std::uint64_t> found = hashes(joined(words), {length, false});
    ASSERT_EQ(found.size(), words.size() - length + 1);
    EXPECT_EQ(std::set<std::uint64_t>(found.begin(), found.end()).size(),
              shingles(words, length).size());
    Words part(words.begin() + 100, words.begin() + 100 + length);
    EXPECT_EQ(hashes(joined(part), {length, false}), std::vector{found[100]});
  }
  EXPECT_EQ(hashes("a b ", {5, false}).size(), 1U);
  EXPECT_EQ(hashes("abc d ", {3, true}).size(), 3U);
  EXPECT_EQ(hashes("\xC3\xA4\xE4\xB8\xAD\xC3\xB6 ", {2, true}).size(), 2U);
  EXPECT_EQ(hashes("abcde ", {3, true})[2], hashes("cde ", {3, true})[0]);
  EXPECT_EQ(hashes("a ", {24, true}).size(), 1U);
  EXPECT_EQ(hashes("", {24, true}).size(), 0U);
  EXPECT_EQ(hashes("\x80\x80", {1, true}).size(), 1U);
}

TEST(Sketch, minhash_estimates_jaccard) {
  struct Row {
    std::size_t words;
    MinhashForm form;
    // The J from which on the estimate is tested.
    double least;
    double error;
  };
  // In sketches of short pages most bins are empty, in both pages or in one.
  const Row rows[] = {{600, kForms[2], 0, 0.03},     {600, kForms[3], 0, 0.025},
                      {60, kForms[2], 0, 0.03},      {3000, kForms[0], 0.8, 0.016},
                      {3000, kForms[1], 0.8, 0.012}, {600, kForms[0], 0.8, 0.012},
                      {60, kForms[0], 0.8, 0.006}};
  for (const Row& row : rows) {
    std::mt19937 random(11);
    double error = 0;
    double bias = 0;
    int count = 0;
    for (const double share : {0.0, 0.01, 0.03, 0.1, 0.3, 0.8}) {
      for (int i = 0; i < 40; ++i) {
        const Words words = random_words(random, row.words);
        const Words other = edited(random, words, share);
        const double truth = jaccard(words, other);
        const std::string one = minhash(joined(words), row.form);
        const std::string two = minhash(joined(other), row.form);
        const double estimate = similarity_of(one, two, row.form);
        const auto twin = row.form.parity ? similarity_by_bit : similarity_by_code;
        EXPECT_NEAR(estimate, twin(one, two, row.form.bytes), row.form.parity ? 1e-4 : 1e-9);
        EXPECT_EQ(estimate, similarity_of(two, one, row.form));
        EXPECT_EQ(similarity_of(one, one, row.form), 1);
        // Pairs that parity cannot measure are far below the range it is for; they never look near.
        EXPECT_LT(estimate, truth + (row.form.parity ? 0.4 : 0.2));
        if (truth < row.least) continue;
        EXPECT_NEAR(estimate, truth, 0.2);
        error += (estimate - truth) * (estimate - truth);
        bias += estimate - truth;
        ++count;
      }
    }
    std::printf("%zu words, %u bytes, %s: error %.4f, bias %+.4f\n", row.words, row.form.bytes,
                row.form.parity ? "parity" : "codes", std::sqrt(error / count), bias / count);
    EXPECT_LT(std::sqrt(error / count), row.error);
    EXPECT_LT(std::abs(bias / count), 0.01);
  }
}

// Two shingles that fall onto one bit cancel each other: the checksum tells most such pages apart.
TEST(Sketch, parity_tells_pages_of_few_words_apart) {
  int equal = 0;
  constexpr int kPages = 400;
  std::vector<std::string> all;
  for (int i = 0; i < kPages; ++i) all.push_back(minhash("page " + std::to_string(i) + "x "));
  for (int i = 0; i < kPages; ++i) {
    for (int j = 0; j < i; ++j) {
      const double estimate =
          similarity_of(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(j)]);
      equal += estimate > 0;
    }
  }
  // Of 79,800 pairs one in 1008 * 16 is expected to be equal: 5.
  EXPECT_LT(equal, 20);
}

// Nothing within the distance is missed, and nothing beyond it is found. Compared with a search
// over all.
TEST(SimhashIndex, finds_exactly_what_is_near) {
  for (const unsigned distance : {0U, 1U, 3U, 6U, 7U}) {
    std::mt19937_64 random(distance);
    const auto index = make_simhash_index(distance);
    std::vector<std::uint64_t> all;
    for (int i = 0; i < 3000; ++i) {
      std::uint64_t sketch = random();
      if (i % 2 == 1) {
        sketch = all[random() % all.size()];
        for (std::uint64_t flips = random() % 9; flips > 0; --flips) {
          sketch ^= std::uint64_t{1} << random() % 64;
        }
      }
      unsigned best = 65;
      std::uint32_t which = 0;
      for (std::uint32_t j = 0; j < all.size(); ++j) {
        const unsigned apart = simhash_distance(sketch, all[j]);
        if (apart < best) best = apart, which = j;
      }
      Neighbour nearest;
      ASSERT_EQ(index->find(bytes_of(sketch), nearest), best <= distance);
      if (best <= distance) {
        EXPECT_EQ(nearest.number, which);
        EXPECT_EQ(nearest.similarity, 1 - best / 64.0);
      }
      index->add(bytes_of(sketch));
      all.push_back(sketch);
    }
  }
}

TEST(MinhashIndex, finds_what_comparing_all_finds) {
  for (const double similarity : {0.5, 0.8, 0.9, 0.95}) {
    const MinhashForm form{128, similarity >= 0.8};
    std::mt19937 random(3);
    const auto index = make_minhash_index(similarity, form);
    std::vector<Words> texts;
    std::vector<std::string> all;
    int wanted = 0;
    int found = 0;
    for (int i = 0; i < 600; ++i) {
      Words words = random_words(random, 400);
      if (i % 2 == 1)
        words = edited(random, texts[random() % texts.size()],
                       static_cast<double>(random() % 30) / 100);
      const std::string sketch = minhash(joined(words), form);
      double best = 0;
      for (const std::string& other : all)
        best = std::max(best, similarity_of(sketch, other, form));
      Neighbour nearest;
      const bool hit = index->find(sketch, nearest);
      wanted += best >= similarity;
      found += hit;
      if (hit) {
        EXPECT_GE(nearest.similarity, similarity);
        EXPECT_GE(best, similarity);
      }
      index->add(sketch);
      all.push_back(sketch);
      texts.push_back(words);
    }
    EXPECT_GT(wanted, 15);
    EXPECT_GE(found, wanted * 98 / 100) << similarity;
  }
}

// 92 in 100 words of these pages are the same: their bands have chains of thousands. Bug: each
// chain was walked.
TEST(MinhashIndex, finds_copies_among_pages_of_one_frame) {
  std::mt19937 random(23);
  const Words frame = random_words(random, 368);
  const auto index = make_minhash_index(0.9);
  std::vector<Words> pages;
  for (int i = 0; i < 6000; ++i) {
    Words page = frame;
    const Words own = random_words(random, 32);
    page.insert(page.end(), own.begin(), own.end());
    index->add(minhash(joined(page)));
    pages.push_back(page);
  }
  int found = 0;
  int near_found = 0;
  constexpr int kCopies = 300;
  for (int i = 0; i < kCopies; ++i) {
    const std::size_t original = random() % pages.size();
    Neighbour nearest;
    found += index->find(minhash(joined(pages[original])), nearest) && nearest.number == original;
    Words copy = pages[original];
    copy[random() % copy.size()] = "another";
    near_found += index->find(minhash(joined(copy)), nearest);
  }
  EXPECT_GE(found, kCopies * 97 / 100);
  EXPECT_EQ(near_found, kCopies);
}

// A copy that is in long chains alone is found among the newest entries only: this bounds the
// search.
TEST(MinhashIndex, long_chains_are_not_walked_to_their_ends) {
  for (const bool rare : {false, true}) {
    std::mt19937 random(29);
    const auto index = make_minhash_index(0.9);
    // All codes are alike, so that all pages are near; only the bands differ.
    std::string wanted = minhash("a b c d ");
    const std::size_t codes = 128;
    for (std::size_t i = codes; i < wanted.size(); ++i) wanted[i] = static_cast<char>(random());
    // Twelve of the sixteen bands differ in a byte; the four others are those of the frame.
    std::string old = wanted;
    for (std::size_t band = 4; band < 16; ++band) old[codes + band * 8] ^= 1;
    if (rare) old[codes + 4 * 8] ^= 1;
    index->add(old);
    std::string mate = minhash("another text altogether ");
    mate.replace(codes, 32, wanted, codes, 32);
    for (int i = 0; i < 5000; ++i) {
      for (std::size_t bin = codes + 32; bin < mate.size(); ++bin) {
        mate[bin] = static_cast<char>(random());
      }
      index->add(mate);
    }
    Neighbour nearest;
    EXPECT_EQ(index->find(wanted, nearest), rare);
  }
}

// Pages are edited by a known share of their words. The manual's figures for recall and precision
// are from here.
TEST(NearIndex, precision_and_recall_by_edits) {
  struct Row {
    double edit;
    double simhash_low, simhash_high;  // bounds of the share found within 3 bits
    double minhash_low, minhash_high;  // at a similarity of 0.9
  };
  constexpr Row kRows[] = {
      {0, 1, 1, 1, 1},          {0.005, 0.6, 1, 0.97, 1}, {0.01, 0.3, 1, 0.9, 1},
      {0.02, 0.1, 0.9, 0.6, 1}, {0.1, 0, 0.1, 0, 0.02},   {0.5, 0, 0, 0, 0},
  };
  for (const Row& row : kRows) {
    std::mt19937 random(17);
    const auto by_simhash = make_simhash_index(3);
    const auto by_minhash = make_minhash_index(0.9);
    int simhash_found = 0;
    int minhash_found = 0;
    constexpr int kPages = 300;
    for (int i = 0; i < kPages; ++i) {
      const Words words = random_words(random, 800);
      const std::string page = joined(words);
      by_simhash->add(bytes_of(simhash(page)));
      by_minhash->add(minhash(page));
      const std::string copy = joined(edited(random, words, row.edit));
      Neighbour nearest;
      if (by_simhash->find(bytes_of(simhash(copy)), nearest)) {
        ++simhash_found;
        EXPECT_EQ(nearest.number, static_cast<std::uint32_t>(i));
      }
      if (by_minhash->find(minhash(copy), nearest)) {
        ++minhash_found;
        EXPECT_EQ(nearest.number, static_cast<std::uint32_t>(i));
      }
    }
    const double simhash_share = static_cast<double>(simhash_found) / kPages;
    const double minhash_share = static_cast<double>(minhash_found) / kPages;
    RecordProperty("edit_" + std::to_string(row.edit),
                   std::to_string(simhash_share) + " " + std::to_string(minhash_share));
    std::printf("edited %.3f of the words: simhash finds %.3f, minhash %.3f\n", row.edit,
                simhash_share, minhash_share);
    EXPECT_GE(simhash_share, row.simhash_low) << row.edit;
    EXPECT_LE(simhash_share, row.simhash_high) << row.edit;
    EXPECT_GE(minhash_share, row.minhash_low) << row.edit;
    EXPECT_LE(minhash_share, row.minhash_high) << row.edit;
  }
}

// Returns the connected components of "is near", by comparing all with all.
std::vector<std::uint32_t> components(std::size_t count,
                                      const std::function<bool(std::size_t, std::size_t)>& near) {
  std::vector<std::uint32_t> first(count);
  std::iota(first.begin(), first.end(), 0U);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (first[i] == first[j] || !near(i, j)) continue;
        first[i] = first[j] = std::min(first[i], first[j]);
        changed = true;
      }
    }
  }
  return first;
}

TEST(Clusters, are_what_comparing_all_with_all_connects) {
  for (const unsigned distance : {0U, 2U, 5U}) {
    std::mt19937_64 random(distance);
    OriginalOptions options;
    options.method = OriginalOptions::Method::kSimhash;
    options.distance = distance;
    Clusters clusters(options, Clusters::Ties::kFirst);
    std::vector<std::uint64_t> all;
    for (int i = 0; i < 700; ++i) {
      std::uint64_t sketch = random();
      if (i % 3 != 0) {
        sketch = all[random() % all.size()];
        for (std::uint64_t flips = random() % 4; flips > 0; --flips) {
          sketch ^= std::uint64_t{1} << random() % 64;
        }
      }
      clusters.add(bytes_of(sketch), static_cast<double>(random() % 5) - 2);
      all.push_back(sketch);
    }
    clusters.close();
    const std::vector<std::uint32_t> truth = components(
        all.size(),
        [&](std::size_t i, std::size_t j) { return simhash_distance(all[i], all[j]) <= distance; });
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(clusters.first(i), truth[i]);
      EXPECT_EQ(clusters.size(i), std::count(truth.begin(), truth.end(), truth[i]));
      EXPECT_EQ(truth[clusters.best(i)], truth[i]);
    }
  }
}

// Each page of a chain is near to the one before, and the ends are far apart. In any order they
// make one cluster.
TEST(Clusters, do_not_depend_on_the_order) {
  std::mt19937 random(7);
  std::vector<std::string> chain;
  Words words = random_words(random, 400);
  for (int i = 0; i < 30; ++i) {
    chain.push_back(minhash(joined(words)));
    for (std::size_t j = 0; j < 4; ++j) {
      words[(static_cast<std::size_t>(i) * 4 + j) % words.size()] = "new" + std::to_string(i);
    }
  }
  EXPECT_LT(similarity_of(chain.front(), chain.back()), 0.8);
  OriginalOptions options;
  options.method = OriginalOptions::Method::kMinhash;
  for (int round = 0; round < 10; ++round) {
    std::shuffle(chain.begin(), chain.end(), random);
    Clusters clusters(options, Clusters::Ties::kLast);
    for (const std::string& sketch : chain) clusters.add(sketch, 0);
    clusters.add(minhash("quite another page altogether "), 0);
    clusters.close();
    for (std::uint32_t i = 0; i < 30; ++i) ASSERT_EQ(clusters.first(i), 0U);
    EXPECT_EQ(clusters.best(3), 29U);
    EXPECT_EQ(clusters.size(30), 1U);
  }
}

}  // namespace
}  // namespace spinneret::dedupe
