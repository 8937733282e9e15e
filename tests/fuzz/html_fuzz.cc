// SPDX-License-Identifier: Apache-2.0
// The tokenizer against its slow twin, whole and cut in pieces; the extractor with and without the scanner's
// short cuts. The first byte chooses the state and the cut.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../unit/html/slow_tokenizer.h"
#include "html/extractor.h"

namespace {

using namespace spinneret;
using namespace spinneret::html;

std::vector<std::string> links_of(std::string_view page, LinkExtractor& extractor, bool filter) {
  const LinkSelection pages;
  std::vector<std::string> out;
  for (const Link& link : extractor.extract(page, "utf-8").links) {
    if (filter && !pages.wants(link)) continue;
    out.push_back(std::string(link.element) + "@" + std::string(link.attribute) + "=" + std::string(link.value));
  }
  return out;
}

// In batches of one link, which makes every page be read for its facts first.
std::vector<std::string> links_in_batches(std::string_view page, LinkExtractor& extractor) {
  class Taker : public LinkTaker {
   public:
    void take(const Page& taken) override {
      for (const Link& link : taken.links) {
        out.push_back(std::string(link.element) + "@" + std::string(link.attribute) + "=" + std::string(link.value));
      }
    }
    std::vector<std::string> out;
  };
  Taker taker;
  extractor.extract(page, "utf-8", &taker);
  return taker.out;
}

ExtractOptions options(bool all, bool guess) {
  ExtractOptions out;
  if (all) out.selection.add_only("all");
  out.comments = true;
  out.scripts = out.plain_text = guess;
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 4096) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr TextMode kModes[] = {TextMode::kData, TextMode::kRcdata, TextMode::kRawtext, TextMode::kScript,
                                 TextMode::kPlaintext, TextMode::kCdata};
  const TextMode mode = kModes[data[0] % 6];
  const std::string last = mode == TextMode::kScript ? "script" : mode == TextMode::kRcdata ? "title" : "style";
  const auto expected = SlowTokenizer(input, mode, last).run();
  if (token_lines(input, mode, last, {}) != expected) std::abort();
  std::vector<std::size_t> cuts;
  const std::size_t step = 1 + data[0] / 6;
  for (std::size_t cut = step; cut < input.size(); cut += step) cuts.push_back(cut);
  if (token_lines(input, mode, last, cuts) != expected) std::abort();

  // Made once: their tables are larger than any input.
  static LinkExtractor everything(options(true, false));
  static LinkExtractor some(options(false, false));
  static LinkExtractor guessing(options(true, true));
  if (links_of(input, everything, true) != links_of(input, some, false)) std::abort();
  static LinkExtractor batches([] {
    ExtractOptions out = options(true, false);
    out.batch = 1;
    return out;
  }());
  if (links_in_batches(input, batches) != links_of(input, everything, false)) std::abort();
  links_of(input, guessing, false);
  return 0;
}
