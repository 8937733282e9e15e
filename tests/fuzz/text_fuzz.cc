// SPDX-License-Identifier: Apache-2.0
// Text of pages. The first byte chooses the charset that HTTP names, and whether the page may be
// read as XML. Beyond "no crash":
//  - a reader that was used before gives the same, and so does the page in pieces;
//  - every fast path gives what its slow twin does;
//  - blocks and spans lie in the text, in order; a node comes behind its parent; all of it is valid
//    UTF-8;
//  - what is chosen are blocks; every form can be made, is valid UTF-8 and leaves no letter out;
//  - weighted text repeats what it must, once.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "fuzz/turn.h"
#include "text/facts.h"
#include "text/features.h"
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

// Returns the least size of a form with all blocks: only white space and controls are left out.
std::size_t least_size(const Page& page) {
  std::size_t size = 0;
  for (const char c : page.text) size += c > ' ' && c < 0x7F;
  return size;
}

// Returns the greatest size of weighted text: the text, its emphasised and its linked parts, each
// with a blank behind a byte, and what is no text.
std::size_t most_weighted(const Page& page) {
  std::size_t size = 6 * page.text.size() + 2 * page.values.size() + page.title.size() + 200;
  for (const MetaFact& meta : page.metas) size += meta.value.size() + 1;
  return size;
}

// Compares what is read sixteen bytes or eight rows at a time with what is read one by one.
void check_twins(const Page& page) {
  for (std::string_view rest = page.text; !rest.empty();) {
    bool within = false, slow_within = false;
    const PlainRun run = plain_run(rest, within);
    // A vertical tab ends one of the two runs and not the other, with the blank before it.
    if (rest.substr(0, run.size + 2).find('\v') == std::string_view::npos) {
      const PlainRun slow = plain_run_slow(rest, slow_within);
      check(run.size == slow.size && run.words == slow.words && within == slow_within);
    }
    rest.remove_prefix(run.size);
  }
  const PageFeatures features(page, "http://h/a/b");
  const std::vector<float> likely = likelihoods(page, "http://h/a/b");
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    const std::string_view text = page.text_of(page.blocks[i]);
    check(signs_of(text) == signs_of_slow(text));
    float row[kFeatureCount];
    features.row(i, row);
    check(likely[i] == kMainModel.likelihood(row));
  }
}

// A new reader gives the same, and so does one that gets the page in pieces.
void check_again(const Page& page, std::string_view document, std::string_view charset,
                 html::Syntax syntax, std::size_t piece) {
  PageReader fresh;
  const Page& again = fresh.read(document, charset, syntax);
  check(page.text == again.text && page.blocks.size() == again.blocks.size() &&
        page.spans.size() == again.spans.size());
  static PageReader in_pieces;
  const Page& pieces = in_pieces.read(document, charset, syntax, piece);
  check(page.text == pieces.text && page.title == pieces.title && page.json == pieces.json &&
        page.values == pieces.values && page.nodes.size() == pieces.nodes.size());
}

void check_forms(const Page& page) {
  const std::vector<float> likely = likelihoods(page, "http://h/a/b");
  for (const float value : likely) check(value >= 0 && value <= 1);
  const std::vector<bool> chosen = choose_main(page, likely);
  check(chosen.size() == page.blocks.size());
  for (const Format format : {Format::kText, Format::kMarkdown, Format::kWeighted}) {
    check(is_valid_utf8(render(page, chosen, {format, true, true})));
    const std::vector<bool> all(chosen.size(), true);
    const std::string whole = render(page, all, {format, false, false});
    check(is_valid_utf8(whole));
    check(format == Format::kWeighted ? whole.size() <= most_weighted(page)
                                      : whole.size() >= least_size(page));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kCharsets[] = {"utf-8", "", "windows-1252", "shift_jis", "utf-16le"};
  if (size == 0) return 0;
  std::string_view charset = kCharsets[data[0] % std::size(kCharsets)];
  const Turn turn({reinterpret_cast<const char*>(data), size});
  // Guessing the encoding takes longer than all else.
  if (charset.empty() && !turn.is_one_in(64)) charset = "windows-1252";
  const html::Syntax syntax = data[0] < 128 ? html::Syntax::kHtml : html::Syntax::kXml;
  const std::string_view document(reinterpret_cast<const char*>(data) + 1, size - 1);
  static PageReader used;
  const Page& page = used.read(document, charset, syntax);
  check_log(page);
  if (turn.is(0, 4)) check_again(page, document, charset, syntax, 1 + size % 13);
  if (turn.is(1, 4)) check_twins(page);
  if (turn.is(2, 4)) check_forms(page);
  if (turn.is(3, 4)) {
    find_facts(page, "http://h/2024/01/02");
    guess_language(page.text);
  }
  return 0;
}
