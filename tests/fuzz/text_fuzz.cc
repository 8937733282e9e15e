// SPDX-License-Identifier: Apache-2.0
// Text of pages. The first byte chooses the charset that HTTP says, and whether XML may be read as such. Beyond "no crash": a reader that was used before gives
// the same; blocks and spans lie in the text, in order; a node comes behind its parent; all is valid UTF-8; what is chosen
// are blocks; every form can be had.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "text/facts.h"
#include "text/language.h"
#include "text/model.h"
#include "text/page.h"
#include "text/render.h"

namespace {

using namespace spinneret;
using namespace spinneret::text;

void check(bool holds) {
  if (!holds) std::abort();
}

void check_log(const Page& page) {
  std::uint32_t end = 0;
  for (const Block& block : page.blocks) {
    check(block.begin >= end && block.end > block.begin && block.node < page.nodes.size());
    check(block.link_words <= block.words && block.emphasis_words <= block.words);
    check(is_valid_utf8(page.text_of(block)));
    end = block.end;
  }
  check(end <= page.text.size());
  for (std::size_t i = 1; i < page.nodes.size(); ++i) {
    const Node& node = page.nodes[i];
    check(node.parent < i && node.first_block <= page.blocks.size() &&
          node.end_block <= page.blocks.size());
  }
  for (const Span& span : page.spans) check(span.begin <= span.end && span.end <= page.text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kCharsets[] = {"utf-8", "", "windows-1252", "shift_jis", "utf-16le"};
  if (size == 0) return 0;
  const std::string_view charset = kCharsets[data[0] % std::size(kCharsets)];
  const html::Syntax syntax = data[0] < 128 ? html::Syntax::kHtml : html::Syntax::kXml;
  const std::string_view document(reinterpret_cast<const char*>(data) + 1, size - 1);
  static PageReader used;
  PageReader fresh;
  const Page& page = fresh.read(document, charset, syntax);
  const Page& again = used.read(document, charset, syntax);
  check(page.text == again.text && page.blocks.size() == again.blocks.size() &&
        page.spans.size() == again.spans.size());
  check_log(page);
  const std::vector<float> likely = likelihoods(page, "http://h/a/b");
  for (const float value : likely) check(value >= 0 && value <= 1);
  const std::vector<bool> chosen = choose_main(page, likely);
  check(chosen.size() == page.blocks.size());
  for (const Format format : {Format::kText, Format::kMarkdown, Format::kWeighted}) {
    render(page, chosen, {format, true, true});
    render(page, std::vector<bool>(chosen.size(), true), {format, false, false});
  }
  find_facts(page, "http://h/2024/01/02");
  guess_language(page.text);
  return 0;
}
