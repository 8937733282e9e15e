// SPDX-License-Identifier: Apache-2.0
#include "html/page_tree.h"

#include "html/scan.h"

namespace spinneret::html {

PageTree::PageTree(const TagTable& tags) : tags_(tags) {
  Tokenizer::Wanted of_tree{};
  for (const Element element : {Element::kInput, Element::kFont, Element::kAnnotationXml})
    of_tree[index_of(element)] = true;
  late_tokenizer_.set_wanted(of_tree);
}

// Tells the tree about tags of plain elements, for as long as it needs no token of them.
void PageTree::tell_plain_tags() {
  const char* at = late_tokenizer_.at();
  const char* const end = late_tokenizer_.input_end();
  while (tree_.is_plain()) {
    const char* const open = at != end && *at == '<' ? at : find_byte(at, end, '<');
    if (end - open < kTagReach) break;
    if (open != at) tree_.plain_text({at, static_cast<std::size_t>(open - at)});
    at = open;
    const TagLook tag = look_at_tag(tags_, open);
    if (tag.way == TagTable::Way::kStop) break;
    bool self_closing = false;
    const char* close = tag.behind_name;
    if (*close != '>') close = Tokenizer::skip_attributes(close, end, self_closing);
    if (close == nullptr) break;
    if (tag.closing) {
      tree_.plain_end(tag.element);
    } else {
      tree_.plain_start(tag.element);
    }
    at = close + 1;
  }
  late_tokenizer_.pass_to(at);
  late_tokenizer_.set_foreign(tree_.in_foreign());
}

void PageTree::tell(const Token& token) {
  switch (token.type) {
    case TokenType::kStartTag: {
      const Placement place = tree_.start_tag(token);
      if (place.text != TextMode::kData)
        late_tokenizer_.set_text_mode(place.text, element_name(place.element));
      break;
    }
    case TokenType::kEndTag: tree_.end_tag(token); break;
    case TokenType::kText:
      if (tree_.wants_text()) tree_.text(token);
      break;
    default: return;
  }
  late_tokenizer_.set_foreign(tree_.in_foreign());
}

// Gives the tree what has passed without it, up to the token that begins at `until`.
void PageTree::catch_up(std::size_t until) {
  late_tokenizer_.reset();
  late_tokenizer_.set_input(source_.substr(0, until), true);
  late_tokenizer_.pass_to(source_.data() + flat_.begun());
  flat_.end();
  TokenType type = TokenType::kText;
  while (type != TokenType::kEnd && type != TokenType::kMore) {
    if (late_tokenizer_.in_data()) tell_plain_tags();
    type = late_tokenizer_.next(late_token_);
    tell(late_token_);
  }
}

}  // namespace spinneret::html
