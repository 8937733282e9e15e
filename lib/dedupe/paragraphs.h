// SPDX-License-Identifier: Apache-2.0
// Parts of texts that came before, in the same text or in another: what language-model collections take out.
//
//   ParagraphJudge judge(std::move(set), {.words = 5}, false);
//   judge.add(text, true);                     // each text of a batch, a paragraph a line
//   judge.judge();
//   for (const Paragraph& p : judge.of(0)) if (!p.seen) keep(p.text);
//
// Compared are words: page_text() without markup, so that case, punctuation and numbers make no difference. By the rule,
//
//   paragraphs   a paragraph is seen where the same words were one
//   shingle      where at least `share` of all its runs of `shingle` words came before
//   sentences    the parts are sentences; each is seen that is in a run of so many, of one text, that came before.
//                A text of fewer is one such run. Line ends end sentences, but runs go on over them
//
// What has fewer words than `words`, or none, is never seen, and not remembered.
//
// Views are into the texts, which must live until the batch is done with. Cost: page_text's and a hash; of shingles, a hash
// and a key of the set for each word. Not thread-safe.
#ifndef SPINNERET_DEDUPE_PARAGRAPHS_H_
#define SPINNERET_DEDUPE_PARAGRAPHS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "dedupe/seen_set.h"

namespace spinneret::dedupe {

struct ParagraphRule {
  std::uint64_t words = 1;
  std::size_t sentences = 0;  // above 0: of runs of so many sentences
  std::size_t shingle = 0;    // above 0: by runs of so many words
  double share = 0.8;         // of these that must have come before
};

struct Paragraph {  // or sentence
  std::string_view text;
  bool starts_line = true;
  bool seen = false;
};

class ParagraphJudge {
 public:
  // With `only_look` the set stays as it is.
  ParagraphJudge(std::unique_ptr<SeenSet> set, const ParagraphRule& rule, bool only_look);

  void clear();
  // `escaped`: as the value of a record's field, in which \n ends a line; the paragraphs stay escaped.
  void add(std::string_view text, bool escaped);
  // Before it returns, a store holds what is new. An Error: stop, and write none of the batch.
  Status judge();
  // The paragraphs of the text that was added as number `i`, in order.
  std::span<const Paragraph> of(std::size_t i) const {
    return std::span(paragraphs_).subspan(texts_[i], texts_[i + 1] - texts_[i]);
  }
  std::string report() const { return set_->report(); }
  Status close() { return set_->close(); }

 private:
  // A paragraph that has words, and where these stand in joined_.
  struct Part {
    std::size_t begin;  // to where the next one's begin
    std::uint32_t paragraph;
    std::uint32_t words;
  };
  void add_line(std::string_view line, bool escaped);
  void add_paragraph(std::string_view text, bool starts_line, bool escaped);
  // Of parts_[first, end).
  std::string_view words_of(std::size_t first, std::size_t end) const {
    const std::size_t last = end < parts_.size() ? parts_[end].begin : joined_.size();
    return std::string_view(joined_).substr(parts_[first].begin, last - parts_[first].begin);
  }
  template <typename Visit>
  void each_run(const Visit& visit) const;
  template <typename Visit>
  void each_key(const Visit& visit) const;
  Status ask();
  void take_runs();
  void take_shares();

  std::unique_ptr<SeenSet> set_;
  ParagraphRule rule_;
  bool only_look_;
  std::vector<Paragraph> paragraphs_;
  std::vector<std::size_t> texts_ = {0};  // where each one's paragraphs begin, and the end
  std::vector<Part> parts_;
  std::vector<std::size_t> text_parts_ = {0};  // where each one's parts begin, and the end
  std::string joined_;
  std::vector<std::string_view> keys_;  // some of them, while they are asked for
  std::unique_ptr<bool[]> answers_;     // to these
  std::vector<char> fresh_;             // each key, in order
  std::string plain_;
  std::string normal_;
};

// Joins what was not seen, with `separator` between lines. The number of those left out.
std::size_t join_unseen(std::span<const Paragraph> paragraphs, std::string_view separator,
                        std::string& out);

// "1,4-6": which were seen, from 1.
std::string seen_numbers(std::span<const Paragraph> paragraphs);

// Length of the sentence that `text`, of one line, begins with: to behind its stop and what closes it. A stop ends none
// behind an initial ("J. Smith", "e.g.") or before a small letter. The same words are cut alike wherever they stand.
std::size_t sentence_length(std::string_view text);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_PARAGRAPHS_H_
