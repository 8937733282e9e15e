// SPDX-License-Identifier: Apache-2.0
// The tree construction of a page: Tree, replaced by FlatBody for as long as that can answer. When
// it no longer can, a second reading gives the tree what has passed without it.
#ifndef SPINNERET_HTML_PAGE_TREE_H_
#define SPINNERET_HTML_PAGE_TREE_H_

#include <cstddef>
#include <string_view>

#include "html/flat_body.h"
#include "html/link.h"
#include "html/tag_run.h"
#include "html/tokenizer.h"
#include "html/tree.h"

namespace spinneret::html {

class PageTree {
 public:
  // `tags` is borrowed.
  explicit PageTree(const TagTable& tags);
  void begin_page() {
    tree_.reset();
    flat_.reset();
  }
  // Sets the text that the tokens come from.
  void set_source(std::string_view source) { source_ = source; }

  // `may_link` says that the tag may have a link, so that its context must be known.
  Placement start_tag(const Token& token, bool may_link) {
    Placement place;
    if (flat_.on()) {
      if (flat_.start(token, token.begin, may_link, place)) return place;
      catch_up(token.begin);
    }
    return tree_.start_tag(token);
  }
  void end_tag(const Token& token) {
    if (flat_.on()) {
      if (flat_.close(token)) return;
      catch_up(token.begin);
    }
    tree_.end_tag(token);
  }
  void text(const Token& token) {
    if (wants_text()) tree_.text(token);
  }
  bool wants_text() const { return !flat_.on() && tree_.wants_text(); }

  bool in_foreign() const { return flat_.in_foreign() || tree_.in_foreign(); }
  // The number of open elements of SVG and MathML, including those around integration points.
  std::size_t foreign() const { return flat_.foreign() + tree_.open().foreign(); }
  bool in_template() const { return flat_.in_template() || tree_.in_template(); }
  bool in_body() const { return tree_.in_body(); }
  LinkContext context() const {
    if (flat_.on() && flat_.context() != LinkContext::kNone) return flat_.context();
    if (tree_.in_template()) return LinkContext::kTemplate;
    if (tree_.in_noscript()) return LinkContext::kNoscript;
    return tree_.in_foreign_subtree() ? LinkContext::kForeign : LinkContext::kNone;
  }

  // For the skimmer: whether tags may pass without the tree from the start of a token on; with
  // FlatBody off, whether plain tags may go to the tree directly.
  bool may_skim() const { return flat_.is_open() || !flat_.on(); }
  // Whether the position is directly in the head. Blanks, comments and what <head> may contain
  // change nothing there, except <noscript>, <template> and the texts of elements.
  bool in_head() const { return !flat_.on() && tree_.is_head(); }
  // Turns FlatBody on from `position` on. Returns false if that is not possible.
  bool go_flat(std::size_t position) {
    if (flat_.is_open()) return true;
    if (!flat_.may_begin(tree_)) return false;
    flat_.begin(position, tree_);
    return true;
  }
  TagMarks& marks() { return flat_.marks(); }
  Tree& tree() { return tree_; }

 private:
  void catch_up(std::size_t until);
  void tell_plain_tags();
  void tell(const Token& token);

  const TagTable& tags_;
  std::string_view source_;
  Tree tree_;
  FlatBody flat_;
  Tokenizer late_tokenizer_;  // reads again what passed without the tree
  Token late_token_;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_PAGE_TREE_H_
