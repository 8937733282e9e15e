// SPDX-License-Identifier: Apache-2.0
// The fast paths over markup that holds no link. In the head everything but a title passes without
// the tree. In the body, if texts are not asked for, tags of ordinary elements pass without
// becoming tokens, and also without the tree where FlatBody answers for it. Anything unusual is
// left to tokenizer and tree.
//
// The slow twin is a reading without any skimmer (ExtractOptions::short_ways).
#ifndef SPINNERET_HTML_SKIMMER_H_
#define SPINNERET_HTML_SKIMMER_H_

#include <string_view>

#include "html/document_walk.h"

namespace spinneret::html {

class Skimmer {
 public:
  // The walk is borrowed. Its tokenizer continues where the skimmer stops.
  explicit Skimmer(DocumentWalk& walk)
      : walk_(walk),
        tokenizer_(walk.tokenizer_),
        list_(walk.parts_.list),
        pages_(walk.parts_.tree),
        tags_(walk.parts_.wanted.tags()) {}

  // Skims from the tokenizer's position, in the data of a body. Returns false where the tokenizer
  // must give the next token.
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
