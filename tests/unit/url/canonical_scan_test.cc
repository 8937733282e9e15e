// SPDX-License-Identifier: Apache-2.0
// Compares every variant of the scan with the portable one, and that with the parser.
#include "url/canonical_scan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/file.h"
#include "support/url_soup.h"
#include "url/normalize.h"
#include "url/plain_steps.h"
#include "url/steps.h"

namespace spinneret {
namespace {

// The profiles for which the scan is of use.
std::vector<std::uint32_t> useful_steps() {
  std::vector<std::uint32_t> sets;
  for (const ProfileInfo& profile : all_profiles()) {
    if (CanonicalScan(profile.steps, '\n').useful()) sets.push_back(profile.steps);
  }
  for (const StepInfo& step : all_steps()) {
    if (CanonicalScan(step.step, '\n').useful()) sets.push_back(step.step);
  }
  return sets;
}

// Runs one variant on a copy of exactly that size, so that a sanitizer sees every byte read beyond
// it.
std::size_t scan(const ScanVariant& variant, const CanonicalScan& rules, std::string_view run,
                 std::uint64_t& lines) {
  const auto copy = std::make_unique_for_overwrite<char[]>(run.size());
  if (!run.empty()) std::memcpy(copy.get(), run.data(), run.size());
  return variant.function(rules.rules(), {copy.get(), run.size()}, lines);
}

// The part that passes is whole lines, canonical by the parser. All variants pass the same, except
// for lines for which a vector would reach beyond the end of the run.
void expect_right(std::string_view run, const CanonicalScan& rules, Normalizer& normalizer) {
  std::uint64_t lines = 0;
  const std::size_t size = scan(scan_variants().front(), rules, run, lines);
  std::string_view passed = run.substr(0, size);
  std::uint64_t count = 0;
  while (!passed.empty()) {
    const std::size_t end = passed.find('\n');
    ASSERT_NE(end, std::string_view::npos);
    const std::string_view line = passed.substr(0, end);
    const std::string_view url = line.substr(0, line.find('\t'));
    std::string_view out;
    ASSERT_TRUE(normalizer.normalize(url, nullptr, out)) << url;
    ASSERT_EQ(out, url);
    ASSERT_TRUE(line.empty() || line.back() != '\r');
    passed.remove_prefix(end + 1);
    ++count;
  }
  ASSERT_EQ(lines, count);
  for (const ScanVariant& variant : scan_variants()) {
    std::uint64_t variant_lines = 0;
    const std::size_t variant_size = scan(variant, rules, run, variant_lines);
    if (variant_size == size) {
      ASSERT_EQ(variant_lines, lines) << variant.name;
    } else {
      // The line at which it stopped reaches into the last bytes.
      ASSERT_LT(variant_size, size) << variant.name << testing::PrintToString(run);
      ASSERT_GE(run.substr(variant_size).size(), 64U);
      ASSERT_LT(run.size() - run.find('\n', variant_size), 65U);
    }
  }
}

// Lines like real ones, now and then with a byte or piece in the wrong place.
std::string plausible_lines(UrlSoup& soup) {
  static constexpr std::string_view kHosts[] = {"http://example.com/", "https://www.example.org/",
                                                "http://localhost/",   "https://a-b_c.d.e/",
                                                "http://1.2.3.4/",     "http://x.1a/",
                                                "https://h./",         "http:///",
                                                "https://xn--a/",      "http://h.COM/",
                                                "http://www.www.a.b/", "https://www.com/"};
  static constexpr std::string_view kPaths[] = {
      "",
      "a/b/c",
      "path/that/is/so/long/that/it/needs/two/vectors/or/three/of/them/",
      "a.b/c.d",
      "a/.b",
      "a/%2E",
      "%41",
      "%7e",
      "%3A",
      "%3a",
      "%zz",
      "a%",
      "a%2",
      "?q=1&b=%20",
      "?a?b/..",
      "?",
      "?b=1&a=2",
      "?a=1&&b=%7E",
      "?a&=&b",
      "?utm_source=x&q=1",
      "?PHPSESSID=0123456789abcdef&q=%3a",
      "?Utm%5Fsource=x",
      "?x=1;y=(2)\tvia=?utm_id=1",
      "a//b",
      "A/index.html",
      "B/Index.PHP/",
      "c///",
      "x?/../y",
      "a;b(c)",
      "#f",
      "a b",
      "%E4%BD%A0",
      "%2e%2E/",
      "a/%2e./x",
      "it's",
      "a\\b",
      "a\tvia=x y\tdepth=1",
      "a\tx\r",
      "a\r",
      "[a]|b"};
  std::string lines;
  for (std::size_t count = 1 + soup.number(12); count > 0; --count) {
    std::string line(kHosts[soup.number(std::size(kHosts))]);
    for (std::size_t parts = soup.number(4); parts > 0; --parts) {
      line += kPaths[soup.number(6) == 0 ? soup.number(std::size(kPaths)) : soup.number(4)];
    }
    if (soup.number(8) == 0) line = soup.mutate(std::move(line), 2);
    lines += line;
    if (count > 1 || soup.number(3) != 0) lines += '\n';
  }
  return lines;
}

TEST(CanonicalScan, PassesWhatIsPlain) {
  const CanonicalScan scan(0, '\n');
  std::uint64_t lines = 0;
  const std::string run = "http://h/\nhttps://example.com/a?b=%7e\nHTTP://h/\nhttp://h/\n";
  EXPECT_EQ(scan.prefix(run, lines), run.find("HTTP"));
  EXPECT_EQ(lines, 2U);
}

TEST(CanonicalScan, PassesRecords) {
  const CanonicalScan scan(0, '\n');
  std::uint64_t lines = 0;
  const std::string run = "http://h/\tvia=\xFF HTTP\toutcome=ok\nhttp://i/\n";
  EXPECT_EQ(scan.prefix(run, lines), run.size());
  EXPECT_EQ(lines, 2U);
}

TEST(CanonicalScan, KnowsOtherTerminators) {
  const CanonicalScan scan(0, '\0');
  std::uint64_t lines = 0;
  const std::string run("http://h/\0http://i/a\n\0", 22);
  EXPECT_EQ(scan.prefix(run, lines), 10U);
  EXPECT_EQ(lines, 1U);
}

TEST(CanonicalScan, IsOfNoUseForStepsThatChangePlainUrls) {
  EXPECT_FALSE(CanonicalScan(kStepWww, '\n').useful());
  EXPECT_FALSE(CanonicalScan(kStepSurt, '\n').useful());
  EXPECT_TRUE(CanonicalScan(kStepFragment, '\n').useful());
}

TEST(CanonicalScan, VariantsAgreeWithTheParser) {
  for (const std::uint32_t steps : useful_steps()) {
    const CanonicalScan rules(steps, '\n');
    Normalizer normalizer({.steps = steps});
    UrlSoup soup(steps + 1);
    for (int i = 0; i < 3000; ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_right(plausible_lines(soup), rules, normalizer)) << steps;
    }
  }
}

// Every byte at every place of a line, across the borders of vectors.
TEST(CanonicalScan, EveryByteAtEveryPlace) {
  const std::string line =
      "https://www.example.com/abc/def?ghi=jkl&mno=pqr/stu/vwx/yz0/123/456/7890";
  for (const std::uint32_t steps : useful_steps()) {
    const CanonicalScan rules(steps, '\n');
    Normalizer normalizer({.steps = steps});
    for (std::size_t at = 0; at < line.size(); ++at) {
      for (int byte = 0; byte < 256; byte += steps == 0 ? 1 : 7) {
        std::string changed = line;
        changed[at] = static_cast<char>(byte);
        const std::string run = changed + '\n' + line + '\n' + line + '\n';
        ASSERT_NO_FATAL_FAILURE(expect_right(run, rules, normalizer)) << changed;
      }
    }
  }
}

// All short paths over the bytes that matter.
TEST(CanonicalScan, EveryShortPath) {
  constexpr std::string_view kBytes = "/.%2eE?4a\n";
  const CanonicalScan whatwg(0, '\n');
  const CanonicalScan escapes(kStepHexCase | kStepUnreserved, '\n');
  Normalizer whatwg_normalizer({});
  Normalizer escapes_normalizer({.steps = kStepHexCase | kStepUnreserved});
  for (std::size_t code = 0; code < 100000; ++code) {
    std::string run = "http://h/";
    for (std::size_t rest = code, i = 0; i < 5; ++i, rest /= 10) run += kBytes[rest % 10];
    run += "\n";
    ASSERT_NO_FATAL_FAILURE(expect_right(run, whatwg, whatwg_normalizer)) << run;
    ASSERT_NO_FATAL_FAILURE(expect_right(run, escapes, escapes_normalizer)) << run;
  }
}

// Compares lines that are changed while they are copied with the steps one by one; all variants
// must agree.
TEST(PlainSteps, WriteWhatTheNormalizerDoes) {
  std::vector<std::uint32_t> sets{kStepHttps | kStepWww, kStepHttp | kStepSlashes,
                                  kStepSurt | kStepWww | kStepLowerPath};
  for (const ProfileInfo& profile : all_profiles()) sets.push_back(profile.steps);
  for (const StepInfo& step : all_steps()) sets.push_back(step.step);
  std::size_t written = 0;
  for (const std::uint32_t steps : sets) {
    Normalizer normalizer({.steps = steps});
    const PlainSteps plain(normalizer.rules(), '\n');
    UrlSoup soup(steps + 7);
    for (int round = 0; round < 400; ++round) {
      const std::string lines = plausible_lines(soup);
      for (std::string_view run = lines; !run.empty(); cut(run, '\n')) {
        const std::string_view line = run.substr(0, run.find('\n'));
        std::string first;
        for (const ScanVariant& variant : scan_variants()) {
          const auto copy = std::make_unique_for_overwrite<char[]>(run.size());
          std::memcpy(copy.get(), run.data(), run.size());
          std::string out;
          const std::size_t size = plain.append({copy.get(), run.size()}, out, variant.find);
          if (size == 0) {
            ASSERT_EQ(out, "");
            continue;
          }
          ++written;
          std::string_view wanted;
          ASSERT_EQ(size, line.size() + 1);
          ASSERT_TRUE(normalizer.normalize(line, nullptr, wanted)) << line;
          ASSERT_EQ(out, std::string(wanted) + '\n') << line << " by " << variant.name;
        }
      }
    }
  }
  EXPECT_GT(written, 10'000U);
}

}  // namespace
}  // namespace spinneret
