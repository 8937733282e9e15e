// SPDX-License-Identifier: Apache-2.0
// The short ways over what holds no link: in the head what is no title goes by without the tree; in the body, where texts are not asked for, the tags of ordinary elements
// go by without a token, and where FlatBody answers for the tree without the tree. What is out of the ordinary in any
// way is left to the tokenizer and the tree.
//
// Slow twin: no skimmer at all (ExtractOptions::short_ways).
#ifndef SPINNERET_HTML_SKIMMER_H_
#define SPINNERET_HTML_SKIMMER_H_

#include <string_view>

#include "html/document_walk.h"

namespace spinneret::html {

class Skimmer {
 public:
  // Borrowed: the walk whose tokenizer goes on where the skimmer stops.
  explicit Skimmer(DocumentWalk& walk)
      : walk_(walk),
        tokenizer_(walk.tokenizer_),
        list_(walk.parts_.list),
        pages_(walk.parts_.tree),
        tags_(walk.parts_.wanted.tags()) {}

  // From where the tokenizer stands, in a body's data. False: the next token is the tokenizer's.
  bool skim() {
    if (pages_.in_head()) return skim_head();
    return pages_.go_flat(tokenizer_.position()) ? skim_flat() : skim_told();
  }

 private:
  bool skim_head();
  bool skim_flat();
  bool skim_told();
  bool pass_text(const char*& at);
  bool pass_raw(Element element);
  bool skip_flat(const TagRun& run);
  bool take_flat(const TagRun& run);
  bool take_anchor(const char* at, const char* close, const AnchorAttributes& attributes,
                   const Wanted& wanted);
  bool take_tag(const char* at, const char* behind_name, Element element, const Placement& place);
  bool stop(const char* at) {
    tokenizer_.pass_to(at);
    return false;
  }

  DocumentWalk& walk_;
  Tokenizer& tokenizer_;
  LinkList& list_;
  PageTree& pages_;
  const TagTable& tags_;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_SKIMMER_H_
