// SPDX-License-Identifier: Apache-2.0
// Measures the indexes of near copies at full size: CPU time and memory of a page, and how fast the
// sketches are made from text.
//
//   bench-dedupe_near [PAGES]     PAGES sketches in each index (1000000); a tenth are near copies
//   bench-dedupe_near --truth     reads names of HTML files, such as those of several versions of
//                                 documentation packages, and compares what the sketches say with
//                                 the exact Jaccard similarity: error by similarity, precision and
//                                 recall at 0.9, and what is found of edited pages
//     for v in 14 15 16; do apt-get download llvm-$v-doc clang-$v-doc; done
//     for p in *.deb; do dpkg-deb -x $p ${p%%_*}; done
//     find -name '*.html' | sort | bench-dedupe_near --truth
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/random.h"
#include "base/hash.h"
#include "dedupe/near_index.h"
#include "dedupe/page_text.h"
#include "dedupe/sketch.h"

namespace {
using namespace spinneret;
using support::Random;

// CPU time in nanoseconds, because the machine is shared.
std::int64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// `change` makes a near copy of the sketch that it is given, or draws a new one.
template <typename Change>
void run(const char* name, dedupe::NearIndex& index, std::uint64_t pages, const Change& change) {
  Random random;
  std::string sketch(index.entry_bytes(), '\0');
  std::int64_t longest = 0;
  std::uint64_t found = 0;
  const std::int64_t start = cpu_ns();
  for (std::uint64_t i = 0; i < pages; ++i) {
    change(random, sketch);
    const std::int64_t before = cpu_ns();
    dedupe::Neighbour nearest;
    if (index.find(sketch, nearest)) {
      ++found;
    } else {
      index.add(sketch);
    }
    longest = std::max(longest, cpu_ns() - before);
  }
  const auto spent = static_cast<double>(cpu_ns() - start);
  std::printf("%s\t%llu pages\t%llu copies\t%.0f ns/page\t%.0f B/original\tlongest %.1f ms\n", name,
              static_cast<unsigned long long>(pages), static_cast<unsigned long long>(found),
              spent / static_cast<double>(pages), static_cast<double>(index.bytes()) / index.size(),
              static_cast<double>(longest) / 1e6);
}

void draw(Random& random, std::string& sketch) {
  for (std::size_t i = 0; i < sketch.size(); i += 8) {
    const std::uint64_t bits = random.next();
    std::memcpy(sketch.data() + i, &bits, 8);
  }
}

template <typename Sketch>
void speed(const char* name, const std::string& text, const Sketch& sketch) {
  const std::int64_t start = cpu_ns();
  std::uint64_t sum = 0;
  for (int i = 0; i < 20; ++i) sum += sketch(text);
  const auto spent = static_cast<double>(cpu_ns() - start);
  std::printf("%s\t%.0f MB/s\t(%llu)\n", name, static_cast<double>(text.size()) * 20 / spent * 1e3,
              static_cast<unsigned long long>(sum % 10));
}

// The earlier form of the sketch, as the baseline: 128 bins of 8 bits, empty ones filled from
// others.
class OldSketch {
 public:
  explicit OldSketch(const std::string& words) {
    std::array<std::uint32_t, 128> bins;
    bins.fill(UINT32_MAX);
    dedupe::for_each_shingle(
        words, {},
        [](std::uint64_t hash, void* context) {
          std::uint32_t& bin = (*static_cast<std::array<std::uint32_t, 128>*>(context))[hash >> 57];
          bin = std::min({bin, static_cast<std::uint32_t>(hash >> 8), UINT32_MAX - 1});
        },
        &bins);
    for (std::uint64_t i = 0; i < 128; ++i) {
      std::uint32_t value = bins[i];
      for (std::uint64_t attempt = 1; value == UINT32_MAX; ++attempt) {
        value = bins[mix(i << 32 | attempt) % 128];
      }
      bytes_[i] = static_cast<unsigned char>(mix(value));
    }
  }
  double similarity(const OldSketch& other) const {
    int equal = 0;
    for (std::size_t i = 0; i < 128; ++i) equal += bytes_[i] == other.bytes_[i];
    return std::max(0.0, (equal / 128.0 - 1 / 256.0) / (1 - 1 / 256.0));
  }

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
    return x ^ x >> 32;
  }
  std::array<unsigned char, 128> bytes_{};
};

// The forms that are compared with the earlier sketch.
constexpr std::array kForms{dedupe::MinhashForm{128, false}, dedupe::MinhashForm{256, false},
                            dedupe::MinhashForm{128, true}, dedupe::MinhashForm{256, true}};

struct Page {
  explicit Page(std::string given)
      : words(std::move(given)), old(words), bits(dedupe::simhash(words)) {
    for (std::size_t i = 0; i < kForms.size(); ++i)
      dedupe::minhash(words, {}, kForms[i], sketches[i]);
    dedupe::for_each_shingle(
        words, {},
        [](std::uint64_t hash, void* all) {
          static_cast<std::vector<std::uint64_t>*>(all)->push_back(hash);
        },
        &shingles);
    std::sort(shingles.begin(), shingles.end());
    shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
  }
  std::string words;
  std::vector<std::uint64_t> shingles;
  OldSketch old;
  std::array<std::string, kForms.size()> sketches;
  std::uint64_t bits;
};

double jaccard(const Page& a, const Page& b) {
  std::size_t both = 0;
  for (auto x = a.shingles.begin(), y = b.shingles.begin();
       x != a.shingles.end() && y != b.shingles.end();) {
    both += *x == *y;
    const bool first = *x <= *y, second = *y <= *x;
    x += first, y += second;
  }
  return static_cast<double>(both) /
         static_cast<double>(a.shingles.size() + b.shingles.size() - both);
}

// The earlier sketch, and those of kForms.
constexpr std::size_t kKinds = 1 + kForms.size();
constexpr const char* kKindNames[] = {"128 x 8 bits, borrowed (before)", "256 x 4 bits, 128 B",
                                      "512 x 4 bits, 256 B", "parity of 2048, 128 B",
                                      "parity of 4096, 256 B"};
double estimate(std::size_t kind, const Page& a, const Page& b) {
  if (kind == 0) return a.old.similarity(b.old);
  return dedupe::minhash_similarity(a.sketches[kind - 1].data(), b.sketches[kind - 1].data(),
                                    kForms[kind - 1]);
}

// For each page the earlier pages with J >= 0.65, each with its J.
using Similar = std::vector<std::vector<std::pair<std::size_t, double>>>;
Similar similar_pages(const std::vector<Page>& pages) {
  Similar out(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto [less, more] = std::minmax({pages[i].shingles.size(), pages[j].shingles.size()});
      if (less * 100 < more * 65) continue;
      const double truth = jaccard(pages[i], pages[j]);
      if (truth >= 0.65) out[i].emplace_back(j, truth);
    }
  }
  return out;
}

// Returns the same pages as other hash functions see them. Pairs of pages of one kind err together,
// so that a single hash function proves little.
constexpr std::size_t kSalts = 8;
std::vector<Page> salted(const std::vector<Page>& pages, std::size_t salt) {
  std::vector<Page> out;
  for (const Page& page : pages) {
    std::string words;
    for (const char c : page.words) {
      words += c;
      if (c == ' ' && salt != 0) words += static_cast<char>('0' + salt);
    }
    out.emplace_back(std::move(words));
  }
  return out;
}

struct Bin {
  int pairs = 0;
  std::array<double, kKinds> error{};
  std::array<double, kKinds> bias{};
  std::array<int, kKinds> passed{};
};
using Bins = std::array<Bin, 7>;  // from 0.65 by 0.05

void add_errors(const std::vector<Page>& pages, const Similar& similar, Bins& bins) {
  for (std::size_t i = 0; i < pages.size(); ++i) {
    for (const auto& [j, truth] : similar[i]) {
      if (truth == 1) continue;
      Bin& bin = bins[static_cast<std::size_t>((truth - 0.65) / 0.05)];
      ++bin.pairs;
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        const double found = estimate(kind, pages[i], pages[j]);
        bin.error[kind] += (found - truth) * (found - truth);
        bin.bias[kind] += found - truth;
        bin.passed[kind] += found >= 0.9;
      }
    }
  }
}

void print_errors(const Bins& bins) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (std::size_t i = 0; i < bins.size(); ++i) {
      if (bins[i].pairs == 0) continue;
      std::printf("%-32s J %.2f-%.2f\t%7zu pairs\terror %.4f\tbias %+.4f\tpass 0.9: %5.1f %%\n",
                  kKindNames[kind], 0.65 + 0.05 * static_cast<double>(i),
                  0.7 + 0.05 * static_cast<double>(i),
                  static_cast<std::size_t>(bins[i].pairs) / kSalts,
                  std::sqrt(bins[i].error[kind] / bins[i].pairs),
                  bins[i].bias[kind] / bins[i].pairs, 100.0 * bins[i].passed[kind] / bins[i].pairs);
    }
  }
}

// Scores an index as dedupe uses it: a page counts as a copy where `find` names an earlier page
// that is no copy itself. Beside each finding stands whether the page truly is a copy.
struct Score {
  int hits = 0, right = 0, truths = 0;

  template <typename Find>
  void add(const std::vector<Page>& pages, const Similar& similar, double wanted,
           const Find& find) {
    std::vector<bool> original(pages.size());
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const bool hit = find(original, i);
      const bool truth = std::any_of(similar[i].begin(), similar[i].end(), [&](const auto& pair) {
        return original[pair.first] && pair.second >= wanted;
      });
      hits += hit, truths += truth, right += hit && truth;
      original[i] = !hit;
    }
  }
  template <typename SketchOf>
  void add_index(const std::vector<Page>& pages, const Similar& similar, double wanted,
                 dedupe::NearIndex& index, const SketchOf& sketch_of) {
    add(pages, similar, wanted, [&](const std::vector<bool>&, std::size_t i) {
      dedupe::Neighbour nearest;
      const bool hit = index.find(sketch_of(pages[i]), nearest);
      if (!hit) index.add(sketch_of(pages[i]));
      return hit;
    });
  }
  void print(const char* name, double wanted) const {
    std::printf("%-32s at %.2f\tprecision %.3f\trecall %.3f\t(%d copies)\n", name, wanted,
                static_cast<double>(right) / hits, static_cast<double>(right) / truths,
                truths / static_cast<int>(kSalts));
  }
};

void compare_with_truth(const std::vector<Page>& given) {
  const Similar similar = similar_pages(given);
  constexpr std::array kWanted{0.8, 0.9};
  Bins bins;
  Score scores[kKinds + 1][kWanted.size()];
  for (std::size_t salt = 0; salt < kSalts; ++salt) {
    const std::vector<Page> pages = salted(given, salt);
    add_errors(pages, similar, bins);
    for (std::size_t w = 0; w < kWanted.size(); ++w) {
      const double wanted = kWanted[w];
      scores[0][w].add(pages, similar, wanted,
                       [&](const std::vector<bool>& original, std::size_t i) {
                         for (std::size_t j = 0; j < i; ++j) {
                           if (original[j] && pages[i].old.similarity(pages[j].old) >= wanted)
                             return true;
                         }
                         return false;
                       });
      for (std::size_t i = 0; i < kForms.size(); ++i) {
        scores[1 + i][w].add_index(
            pages, similar, wanted, *dedupe::make_minhash_index(wanted, kForms[i]),
            [i](const Page& page) -> std::string_view { return page.sketches[i]; });
      }
      scores[kKinds][w].add_index(pages, similar, wanted, *dedupe::make_simhash_index(3),
                                  [](const Page& page) -> std::string_view {
                                    return {reinterpret_cast<const char*>(&page.bits), 8};
                                  });
    }
  }
  print_errors(bins);
  for (std::size_t kind = 0; kind <= kKinds; ++kind) {
    for (std::size_t w = 0; w < kWanted.size(); ++w) {
      scores[kind][w].print(kind == kKinds ? "simhash, 3 bits" : kKindNames[kind], kWanted[w]);
    }
  }
}

// Replaces `share` of the words: one by one, or as one piece.
std::string edited(Random& random, const std::string& text, double share, bool scattered) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find(' ', at);
    words.push_back(text.substr(at, end - at + 1));
    at = end + 1;
  }
  const auto count =
      std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(words.size())));
  const std::size_t start = random.next() % (words.size() - count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    words[scattered ? random.next() % words.size() : start + i] =
        "new" + std::to_string(random.next() % 100000) + ' ';
  }
  std::string out;
  for (const std::string& word : words) out += word;
  return out;
}

void found_of_edited(const std::vector<Page>& pages) {
  std::vector<const Page*> bases;
  for (std::size_t i = 0; i < pages.size() && bases.size() < 400; ++i) {
    if (pages[i].shingles.size() < 600) continue;
    const bool alone = std::none_of(bases.begin(), bases.end(), [&](const Page* base) {
      return jaccard(*base, pages[i]) > 0.5;
    });
    if (alone) bases.push_back(&pages[i]);
  }
  std::printf("edits of %zu pages of over 600 words\n", bases.size());
  for (const bool scattered : {true, false}) {
    for (const double share : {0.0025, 0.005, 0.01, 0.02, 0.05, 0.1}) {
      Random random;
      const auto simhashes = dedupe::make_simhash_index(3);
      const auto minhashes = dedupe::make_minhash_index(0.9);
      double sum = 0;
      int near = 0, similar = 0;
      for (const Page* base : bases) {
        simhashes->add({reinterpret_cast<const char*>(&base->bits), 8});
        minhashes->add(base->sketches[2]);
        const Page copy(edited(random, base->words, share, scattered));
        dedupe::Neighbour nearest;
        near += simhashes->find({reinterpret_cast<const char*>(&copy.bits), 8}, nearest);
        similar += minhashes->find(copy.sketches[2], nearest);
        sum += jaccard(*base, copy);
      }
      const auto count = static_cast<double>(bases.size());
      std::printf(
          "%-12s %.2f %% of the words\tJ %.3f\t--similarity=0.9 %3.0f %%\t--near %3.0f %%\n",
          scattered ? "scattered" : "in one piece", share * 100, sum / count, 100 * similar / count,
          100 * near / count);
    }
  }
}

int truth() {
  std::vector<Page> pages;
  std::string words;
  for (std::string path; std::getline(std::cin, path);) {
    std::ifstream file(path);
    const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    dedupe::page_text(page, true, words);
    if (!words.empty()) pages.emplace_back(words);
  }
  std::printf("%zu pages\n", pages.size());
  compare_with_truth(pages);
  found_of_edited(pages);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--truth") return truth();
  const std::uint64_t pages = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  Random random;
  std::string text;
  while (text.size() < (4 << 20)) {
    const auto word =
        static_cast<std::uint64_t>(std::exp2(static_cast<double>(random.next() % 1000) / 70));
    for (std::uint64_t w = word * 2654435761; w > 100; w /= 26)
      text += static_cast<char>('a' + w % 26);
    text += ' ';
  }
  std::string words;
  speed("page_text", text, [&](const std::string& t) {
    dedupe::page_text(t, true, words);
    return words.size();
  });
  speed("simhash", text, [](const std::string& t) { return dedupe::simhash(t); });
  std::string entry;
  speed("minhash", text, [&](const std::string& t) {
    dedupe::minhash(t, {}, {}, entry);
    return entry.size();
  });
  speed("page_text and simhash", text, [&](const std::string& t) {
    dedupe::page_text(t, true, words);
    return dedupe::simhash(words);
  });
  speed("page_text and minhash", text, [&](const std::string& t) {
    dedupe::page_text(t, true, words);
    dedupe::minhash(words, {}, {}, entry);
    return entry.size();
  });
  speed("page_text and minhash, 5 words", text, [&](const std::string& t) {
    dedupe::page_text(t, true, words);
    dedupe::minhash(words, {5, false}, {}, entry);
    return entry.size();
  });
  speed("page_text and minhash, 24 chars", text, [&](const std::string& t) {
    dedupe::page_text(t, true, words);
    dedupe::minhash(words, {24, true}, {}, entry);
    return entry.size();
  });
  run("simhash index, 3 bits", *dedupe::make_simhash_index(3), pages,
      [](Random& r, std::string& sketch) {
        if (r.next() % 10 != 0) return draw(r, sketch);
        const std::size_t at = r.next() % 8;
        sketch[at] = static_cast<char>(sketch[at] ^ 1);
      });
  run("minhash index, 0.9", *dedupe::make_minhash_index(0.9), pages,
      [](Random& r, std::string& sketch) {
        if (r.next() % 10 != 0) return draw(r, sketch);
        for (int i = 0; i < 6; ++i) sketch[128 + r.next() % 128] = 'x';
      });
  // In 92 of 100 cases a bin equals that of all other pages: the case that the bound of a search is
  // for.
  run("minhash index, one frame", *dedupe::make_minhash_index(0.9), pages / 10,
      [](Random& r, std::string& sketch) {
        for (char& bin : sketch)
          bin = r.next() % 100 < 92 ? 'e' : static_cast<char>(r.next() & 0x77);
      });
}
