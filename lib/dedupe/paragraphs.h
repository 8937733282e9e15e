// SPDX-License-Identifier: Apache-2.0
// Finds parts of texts that came before, in the same text or another one. Such parts are removed
// from collections for language models.
//
//   ParagraphJudge judge(std::move(set), {.words = 5}, false);
//   judge.add(text, true);                     // each text of a batch; one paragraph a line
//   judge.judge();
//   for (const Paragraph& p : judge.of(0)) if (!p.seen) keep(p.text);
//
// Words are compared as page_text() without markup gives them, so that case, punctuation and
// numbers make no difference. The rules:
//
//   paragraphs   a paragraph is seen if a paragraph with the same words came before
//   shingle      a paragraph is seen if at least `share` of all its runs of `shingle` words came
//                before
//   sentences    parts are sentences; a sentence is seen if it is in a run of so many sentences, in
//                one text, that came before. A shorter text is one run. The end of a line ends a
//                sentence, but runs continue beyond it
//
// Parts with fewer words than `words`, or none, are never seen, and not remembered.
//
// Views point into the texts, which must live until the batch is dealt with. Cost: page_text's and
// a hash for each part; with shingles a hash, and a key of the set, for each word. Not thread-safe.
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
  std::size_t sentences = 0;  // above 0: judge sentences, by runs of so many
  std::size_t shingle = 0;    // above 0: judge paragraphs, by runs of so many words
  double share = 0.8;         // the share of these runs that must have come before
};

struct Paragraph {  // or a sentence, where the rule is about sentences
  std::string_view text;
  bool starts_line = true;
  bool seen = false;
};

class ParagraphJudge {
 public:
  // With `only_look` the set stays as it is.
  ParagraphJudge(std::unique_ptr<SeenSet> set, const ParagraphRule& rule, bool only_look);

  void clear();
  // With `escaped` the text is the value of a record's field, in which \n ends a line; paragraphs
  // stay escaped.
  void add(std::string_view text, bool escaped);
  // Judges the texts of the batch. When it returns, a store has the new keys. After an Error the
  // caller must stop, and write none of the batch.
  Status judge();
  // The paragraphs of text number `i` of the batch, in order.
  std::span<const Paragraph> of(std::size_t i) const {
    return std::span(paragraphs_).subspan(texts_[i], texts_[i + 1] - texts_[i]);
  }
  std::string report() const { return set_->report(); }
  Status close() { return set_->close(); }

 private:
  // A paragraph that has words, and the place of its words in joined_.
  struct Part {
    std::size_t begin;  // its words end where those of the next part begin
    std::uint32_t paragraph;
    std::uint32_t words;
  };
  void add_line(std::string_view line, bool escaped);
  void add_paragraph(std::string_view text, bool starts_line, bool escaped);
  // The words of parts_[first, end).
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
  std::vector<std::size_t> texts_ = {0};  // where each text's paragraphs begin, and the end of all
  std::vector<Part> parts_;
  std::vector<std::size_t> text_parts_ = {0};  // where each text's parts begin, and the end of all
  std::string joined_;
  std::vector<std::string_view> keys_;  // some of the keys, while the set is asked about them
  std::unique_ptr<bool[]> answers_;     // the set's answers for keys_
  std::vector<char> fresh_;             // the answer for each key of the batch, in order
  std::string plain_;
  std::string normal_;
};

// Joins the paragraphs that were not seen, with `separator` between lines. Returns how many were
// left out.
std::size_t join_unseen(std::span<const Paragraph> paragraphs, std::string_view separator,
                        std::string& out);

// Returns the numbers of the paragraphs that were seen, from 1, as "1,4-6".
std::string seen_numbers(std::span<const Paragraph> paragraphs);

// Returns the length of the sentence at the start of `text`, which is one line, with its stop and
// any closing quotes or brackets. A stop does not end a sentence behind an initial ("J. Smith",
// "e.g.") or in front of a small letter. The same words are divided alike wherever they stand.
std::size_t sentence_length(std::string_view text);

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_PARAGRAPHS_H_
