// SPDX-License-Identifier: Apache-2.0
// Writes a realistic stream of URLs, the same for the same arguments: hosts by Zipf, shared path
// prefixes, a mean of about 70 bytes. A given share of the lines are repeats, of popular lines more
// often than of rare ones.
//
//   bench-urlstream COUNT [SHARE [SEED]]      COUNT lines; SHARE of them repeats (0.3); SEED (1)
//
// The k-th distinct URL is a function of k and SEED alone and contains k, so that no two are the
// same: the number of distinct lines is exact, and is printed on stderr.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../support/random.h"
#include "base/file.h"

namespace {

using spinneret::support::Random;

constexpr const char* kWords[] = {
    "news",    "article", "archive", "product", "catalog", "images", "wiki",   "user",
    "profile", "forum",   "thread",  "search",  "tag",     "2019",   "2020",   "2021",
    "2022",    "en",      "de",      "fr",      "blog",    "post",   "static", "download",
    "docs",    "api",     "v1",      "v2",      "item",    "review", "shop",   "category"};
constexpr const char* kTlds[] = {".com", ".org", ".net", ".co.uk", ".de", ".io", ".fr", ".com.br"};

void put(std::string& out, const char* text) { out += text; }

void put_base36(std::string& out, std::uint64_t value) {
  char digits[16];
  std::size_t at = sizeof digits;
  do {
    digits[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
    value /= 36;
  } while (value != 0);
  out.append(digits + at, sizeof digits - at);
}

// Appends the index-th distinct URL. Of 2^20 hosts the h-th is chosen with a density of about 1/h.
void append_url(std::string& out, std::uint64_t index, std::uint64_t seed) {
  Random random{seed * 0x2545F4914F6CDD1D ^ index * 0xD1342543DE82EF95};
  const auto host = static_cast<std::uint64_t>(std::exp2(random.unit() * 20));
  put(out, random.next() % 4 == 0 ? "http://" : "https://");
  if (host % 3 != 0) put(out, "www.");
  put(out, kWords[host % 32]);
  put_base36(out, host * 7919);
  put(out, kTlds[host % 8]);
  const std::uint64_t depth = 2 + random.next() % 5;
  for (std::uint64_t i = 0; i < depth; ++i) {
    out += '/';
    // A site has few folders at the top and more below them.
    put(out, kWords[(host + random.next() % (4 << (2 * i))) % 32]);
  }
  const std::uint64_t form = random.next() % 4;
  put(out, form == 0 ? "?id=" : form == 1 ? "/page-" : "/");
  put_base36(out, index);
  if (form == 0) put(out, "&lang=en&sort=date");
  if (form == 2) put(out, ".html");
  if (form == 3) put(out, "-the-long-name-of-a-story");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench-urlstream COUNT [SHARE [SEED]]\n", stderr);
    return 2;
  }
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const double share = argc > 2 ? std::atof(argv[2]) : 0.3;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  Random random{seed};
  std::string out;
  std::uint64_t distinct = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t index = distinct;
    if (distinct != 0 && random.unit() < share) {
      // Half of the repeats are chosen by popularity (1/rank over all earlier lines), half among
      // recent ones.
      const double rank = std::exp2(random.unit() * std::log2(static_cast<double>(distinct)));
      index = random.next() % 2 == 0 ? static_cast<std::uint64_t>(rank) - 1
                                     : distinct - static_cast<std::uint64_t>(rank);
    } else {
      ++distinct;
    }
    append_url(out, index, seed);
    out += '\n';
    if (out.size() >= (std::size_t{1} << 20)) {
      if (spinneret::write_all(STDOUT_FILENO, out) != 0) return 2;
      out.clear();
    }
  }
  if (spinneret::write_all(STDOUT_FILENO, out) != 0) return 2;
  std::fprintf(stderr, "%llu lines, %llu distinct\n", static_cast<unsigned long long>(count),
               static_cast<unsigned long long>(distinct));
}
