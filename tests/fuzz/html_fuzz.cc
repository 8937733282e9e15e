// SPDX-License-Identifier: Apache-2.0
// Compares the tokenizer with its slow twin, whole and cut in pieces; XML's elements with those of
// their twin; and the extractor with and without its fast paths, whole and in batches. The first
// byte chooses the state and the cut.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "../unit/html/link_lines.h"
#include "../unit/html/slow_tokenizer.h"
#include "../unit/html/slow_xml.h"
#include "html/extractor.h"

namespace {

using namespace spinneret;
using namespace spinneret::html;

// Extracts in batches of one link, which makes every page be read for its facts first.
std::vector<std::string> in_batches(std::string_view page, LinkExtractor& extractor) {
  class Taker : public LinkTaker {
   public:
    void take(const Page& taken) override {
      for (const Link& link : taken.links) out.push_back(full_line(link));
    }
    std::vector<std::string> out;
  };
  Taker taker;
  extractor.extract(page, "utf-8", &taker);
  return taker.out;
}

std::vector<std::string> whole(std::string_view page, LinkExtractor& extractor) {
  return full_lines(extractor.extract(page, "utf-8"));
}

// Returns the links to pages among all links.
std::vector<std::string> chosen(std::string_view page, LinkExtractor& extractor) {
  const LinkSelection pages;
  std::vector<std::string> out;
  for (const Link& link : extractor.extract(page, "utf-8").links) {
    if (pages.wants(link)) out.push_back(full_line(link));
  }
  return out;
}

ExtractOptions silent(ExtractOptions options) {
  options.text = false;
  return options;
}

ExtractOptions options(bool all, bool guess) {
  ExtractOptions out;
  if (all) out.selection.add_only("all");
  out.comments = true;
  out.scripts = out.plain_text = guess;
  return out;
}

// All checks of a page take two dozen extractions. The fuzzer makes one of them, of the tokens or
// of the links; the replay of the corpus makes all.
constexpr unsigned kLinkChecks = 8;

void check_tokens(std::string_view input, unsigned char choice) {
  constexpr TextMode kModes[] = {TextMode::kData,   TextMode::kRcdata,    TextMode::kRawtext,
                                 TextMode::kScript, TextMode::kPlaintext, TextMode::kCdata};
  const TextMode mode = kModes[choice % 6];
  const std::string last = mode == TextMode::kScript   ? "script"
                           : mode == TextMode::kRcdata ? "title"
                                                       : "style";
  const auto expected = SlowTokenizer(input, mode, last).run();
  if (token_lines(input, mode, last, {}) != expected) std::abort();
  std::vector<std::size_t> cuts;
  const std::size_t step = 1 + choice / 6;
  for (std::size_t cut = step; cut < input.size(); cut += step) cuts.push_back(cut);
  if (token_lines(input, mode, last, cuts) != expected) std::abort();
}

void check_links(std::string_view input, unsigned check) {
  static Twins twins[] = {Twins(options(true, false)), Twins(options(false, false)),
                          Twins(options(true, true)), Twins([] {
                            ExtractOptions out = options(false, false);
                            out.text = false;
                            out.attributes = {{"div", "class"}, {"a", "name"}};
                            return out;
                          }()),
                          Twins([] {
                            // Options with which most elements pass unread.
                            ExtractOptions out;
                            out.selection.add_only("a@href");
                            return out;
                          }())};
  if (check < std::size(twins)) {
    auto& [fast, slow] = twins[check];
    if (whole(input, fast) != whole(input, slow)) std::abort();
  } else if (check == std::size(twins)) {
    // The text of a link must not depend on which links are extracted.
    static LinkExtractor everything(silent(options(true, false)));
    static LinkExtractor some(silent(options(false, false)));
    if (chosen(input, everything) != chosen(input, some)) std::abort();
  } else if (check == std::size(twins) + 1) {
    // XML is read whole, and with the namespace that makes it XHTML.
    static LinkExtractor xml(options(true, true));
    std::string page(input);
    if (const std::size_t at = page.find("<html>"); at != std::string::npos)
      page.replace(at, 6, "<html xmlns='http://www.w3.org/1999/xhtml'>");
    xml.extract_xml(page, "");
    // Its elements are compared, or the fact that it has none.
    if (xml_events(page) != SlowXml(page).run()) std::abort();
    if (xml_events(input) != SlowXml(input).run()) std::abort();
  } else {
    static LinkExtractor batches([] {
      ExtractOptions out = options(true, false);
      out.batch = 1;
      return out;
    }());
    std::vector<std::string> links;
    for (const Link& link : twins[0].fast.extract(input, "utf-8").links)
      links.push_back(full_line(link));
    if (in_batches(input, batches) != links) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 4096) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  // The input stands behind the start of a body, because most fast paths are taken only there.
  const std::string in_body =
      "<!doctype html><body>x<p>" + std::string(input) + "<a href=\"end\">end</a>................";
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  const auto chosen =
      static_cast<unsigned>(std::hash<std::string_view>{}(input) % (4 * kLinkChecks));
  if (chosen % 2 == 0) {
    check_tokens(input, data[0]);
  } else {
    check_links(chosen % 4 == 1 ? input : std::string_view(in_body), chosen / 4);
  }
#else
  check_tokens(input, data[0]);
  for (unsigned check = 0; check < kLinkChecks; ++check) {
    check_links(input, check);
    check_links(in_body, check);
  }
#endif
  return 0;
}
