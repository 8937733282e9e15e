// SPDX-License-Identifier: Apache-2.0
// Paragraphs of texts that came before, in the same text or in another: what language-model collections take out.
//
//   ParagraphJudge judge(std::move(set), 5, false);
//   judge.add(text, true);                     // each text of a batch, a paragraph a line
//   judge.judge();
//   for (const Paragraph& p : judge.of(0)) if (!p.seen) keep(p.text);
//
// Compared are words: page_text() without markup, so that case, punctuation and numbers make no difference. A paragraph of
// fewer words than `words`, or of none, is never seen, and not remembered.
//
// Views are into the texts, which must live until the batch is done with. Cost: page_text's and a hash. Not thread-safe.
#ifndef SPINNERET_DEDUPE_PARAGRAPHS_H_
#define SPINNERET_DEDUPE_PARAGRAPHS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dedupe/seen_set.h"

namespace spinneret {

struct Paragraph {
  std::string_view text;
  bool seen = false;
};

class ParagraphJudge {
 public:
  // With `only_look` the set stays as it is.
  ParagraphJudge(std::unique_ptr<SeenSet> set, std::uint64_t words, bool only_look)
      : set_(std::move(set)), words_(words < 1 ? 1 : words), only_look_(only_look) {}

  void clear();
  // `escaped`: as the value of a record's field, in which \n ends a line; the paragraphs stay escaped.
  void add(std::string_view text, bool escaped);
  // Before it returns, a store holds what is new. An Error: stop, and write none of the batch.
  Status judge();
  // Of the text that was added as number `i`, in order.
  std::span<const Paragraph> of(std::size_t i) const {
    return std::span(paragraphs_).subspan(texts_[i], texts_[i + 1] - texts_[i]);
  }
  std::string report() const { return set_->report(); }
  Status close() { return set_->close(); }

 private:
  void add_paragraph(std::string_view text, bool escaped);

  std::unique_ptr<SeenSet> set_;
  std::uint64_t words_;
  bool only_look_;
  std::vector<Paragraph> paragraphs_;
  std::vector<std::size_t> texts_ = {0};  // where each one's paragraphs begin, and the end
  std::vector<std::size_t> judged_;       // indices into paragraphs_
  std::vector<std::size_t> ends_;         // of their keys in joined_
  std::string joined_;
  std::string plain_;
  std::string normal_;
};

// Joins what was not seen, with `separator` between. The number of those left out.
std::size_t join_unseen(std::span<const Paragraph> paragraphs, std::string_view separator,
                        std::string& out);

// "1,4-6": which were seen, from 1.
std::string seen_numbers(std::span<const Paragraph> paragraphs);

}  // namespace spinneret

#endif  // SPINNERET_DEDUPE_PARAGRAPHS_H_
