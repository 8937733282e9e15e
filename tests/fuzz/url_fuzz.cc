// SPDX-License-Identifier: Apache-2.0
// What holds of every input of lib/url:
//   a parsed URL, serialised, parses to itself; so do resolved ones, against any base;
//   canonical forms are idempotent, whatever the steps;
//   what the scan passes is canonical, by every variant.
// The first four bytes choose steps and base; the rest is input.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "url/canonical_scan.h"
#include "url/normalize.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_parse(std::string_view input, const Url* base) {
  Url url;
  UrlError why;
  const bool parsed = base == nullptr ? parse(input, url, &why) : resolve(input, *base, url, &why);
  if (!parsed) {
    require(!why.message.empty() && why.offset <= input.size());
    return;
  }
  Url again;
  require(parse(url.href(), again) && again.href() == url.href());
  // Resolved against its base, or any other, an absolute URL is itself. An empty reference gives
  // the base.
  if (base == nullptr) return;
  require(resolve(url.href(), *base, again) && again.href() == url.href());
  if (!base->has_opaque_path()) {
    require(resolve("", *base, again) && again.href() == base->href_without_fragment());
  }
}

void check_normalize(std::string_view input, std::uint32_t steps) {
  Normalizer normalizer({.steps = steps});
  std::string_view out;
  if (!normalizer.normalize(input, nullptr, out)) return;
  const std::string once(out);
  require(normalizer.normalize(once, nullptr, out) && out == once);
}

void check_scan(std::string_view run, std::uint32_t steps) {
  const CanonicalScan scan(steps, '\n');
  if (!scan.useful()) return;
  std::uint64_t lines = 0;
  const std::size_t most = scan_variants().front().function(scan.rules(), run, lines);
  for (const ScanVariant& variant : scan_variants()) {
    std::uint64_t some = 0;
    require(variant.function(scan.rules(), run, some) <= most && some <= lines);
  }
  Normalizer normalizer({.steps = steps});
  for (std::string_view passed = run.substr(0, most); !passed.empty();) {
    const std::size_t end = passed.find('\n');
    require(end != std::string_view::npos);
    const std::string_view line = passed.substr(0, end);
    const std::string_view url = line.substr(0, line.find('\t'));
    std::string_view out;
    require(normalizer.normalize(url, nullptr, out) && out == url);
    passed.remove_prefix(end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  std::uint32_t choice = 0;
  std::memcpy(&choice, data, 4);
  const std::string_view input(reinterpret_cast<const char*>(data) + 4, size - 4);
  check_parse(input, nullptr);
  // The text before a line end is a base for what follows.
  Url base;
  const std::size_t end = input.find('\n');
  if (end != std::string_view::npos && parse(input.substr(0, end), base)) {
    check_parse(input.substr(end + 1), &base);
  }
  const std::uint32_t all = (std::uint32_t{kStepSurt} << 1) - 1;
  const auto profiles = all_profiles();
  const std::uint32_t steps =
      (choice & 1) != 0 ? (choice >> 1) & all : profiles[(choice >> 1) % profiles.size()].steps;
  check_normalize(input, steps);
  check_scan(input, steps);
  check_scan(std::string(input) + '\n', steps);
  return 0;
}
