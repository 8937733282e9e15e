// SPDX-License-Identifier: Apache-2.0
// The indexes of near copies at size: cost of a page and memory, and the sketches' speed on text.
//
//   bench-dedupe_near [PAGES]       PAGES sketches in each index (1000000); a tenth are near copies
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "dedupe/near_index.h"
#include "dedupe/page_text.h"
#include "dedupe/sketch.h"

namespace {
using namespace spinneret;

// CPU time, in nanoseconds: machines are shared.
std::int64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

struct Random {
  std::uint64_t state = 1;
  std::uint64_t next() {
    state += 0x9E3779B97F4A7C15;
    std::uint64_t x = state;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }
};

// `change` makes a near copy of the bytes at hand, or draws new ones.
template <typename Change>
void run(const char* name, NearIndex& index, std::uint64_t pages, const Change& change) {
  Random random;
  std::string sketch(index.entry_bytes(), '\0');
  std::int64_t longest = 0;
  std::uint64_t found = 0;
  const std::int64_t start = cpu_ns();
  for (std::uint64_t i = 0; i < pages; ++i) {
    change(random, sketch);
    const std::int64_t before = cpu_ns();
    Neighbour nearest;
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

}  // namespace

int main(int argc, char** argv) {
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
    page_text(t, true, words);
    return words.size();
  });
  speed("simhash", text, [](const std::string& t) { return simhash(t); });
  speed("minhash", text, [](const std::string& t) { return std::uint64_t{minhash(t)[0]}; });
  speed("page_text and simhash", text, [&](const std::string& t) {
    page_text(t, true, words);
    return simhash(words);
  });
  speed("page_text and minhash", text, [&](const std::string& t) {
    page_text(t, true, words);
    return std::uint64_t{minhash(words)[0]};
  });
  run("simhash index, 3 bits", *make_simhash_index(3), pages, [](Random& r, std::string& sketch) {
    if (r.next() % 10 != 0) return draw(r, sketch);
    const std::size_t at = r.next() % 8;
    sketch[at] = static_cast<char>(sketch[at] ^ 1);
  });
  run("minhash index, 0.9", *make_minhash_index(0.9), pages, [](Random& r, std::string& sketch) {
    if (r.next() % 10 != 0) return draw(r, sketch);
    for (int i = 0; i < 6; ++i) sketch[r.next() % 128] = 'x';
  });
  // Each bin of 92 in 100 is that of all pages: what the bound of a search is for.
  run("minhash index, one frame", *make_minhash_index(0.9), pages / 10,
      [](Random& r, std::string& sketch) {
        for (char& bin : sketch) bin = r.next() % 100 < 92 ? 'f' : static_cast<char>(r.next());
      });
}
