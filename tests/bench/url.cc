// SPDX-License-Identifier: Apache-2.0
// Measures lib/url alone, over a file of URLs in memory: nanoseconds a URL for the parser, for
// resolution and for every variant of the canonical scan.
//
//   bench-url urls.txt
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/file.h"
#include "url/canonical_scan.h"
#include "url/normalize.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

// CPU time of this thread, in nanoseconds, which other processes do not add to.
double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Prints the best of several rounds, in nanoseconds for each of `count`.
void measure(const char* what, std::size_t count, const std::function<void()>& work) {
  double best = 1e18;
  for (int i = 0; i < 15; ++i) {
    const double begin = cpu_ns();
    work();
    best = std::min(best, cpu_ns() - begin);
  }
  std::printf("%-22s %8.1f ns each %10.2f M/s\n", what, best / static_cast<double>(count),
              1e3 * static_cast<double>(count) / best);
}

// Runs the scan over all lines. A line that the scan does not pass is skipped.
void scan_all(const ScanVariant& variant, const CanonicalScan& scan, std::string_view rest) {
  std::uint64_t lines = 0;
  while (!rest.empty()) {
    rest.remove_prefix(variant.function(scan.rules(), rest, lines));
    cut(rest, '\n');
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const Result<std::string> text = read_file(argv[1]);
  if (!text.ok()) return 2;
  std::vector<std::string_view> lines;
  for (std::string_view rest = *text; !rest.empty();) lines.push_back(cut(rest, '\n'));
  std::vector<std::string> links;
  Url url;
  for (const std::string_view line : lines) {
    if (parse(line, url)) links.emplace_back(url.path_and_query());
  }
  measure("parse", lines.size(), [&] {
    for (const std::string_view line : lines) parse(line, url);
  });
  // For refused lines the reason is found, too: run this on a file of them.
  UrlError why;
  measure("parse, with reasons", lines.size(), [&] {
    for (const std::string_view line : lines) parse(line, url, &why);
  });
  Url base;
  parse("https://www.example.com/some/page/of/it.html", base);
  measure("resolve /path?query", links.size(), [&] {
    for (const std::string& link : links) resolve(link, base, url);
  });
  measure("resolve path?query", links.size(), [&] {
    for (const std::string& link : links) resolve(std::string_view(link).substr(1), base, url);
  });
  for (const ProfileInfo& profile : all_profiles()) {
    Normalizer normalizer({.steps = profile.steps});
    std::string_view out;
    measure(std::string("normalize ").append(profile.name).c_str(), lines.size(), [&] {
      for (const std::string_view line : lines) normalizer.normalize(line, nullptr, out);
    });
  }
  const CanonicalScan scan(0, '\n');
  for (const ScanVariant& variant : scan_variants()) {
    measure(std::string("scan ").append(variant.name).c_str(), lines.size(),
            [&] { scan_all(variant, scan, *text); });
  }
  return 0;
}
