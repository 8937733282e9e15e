// SPDX-License-Identifier: Apache-2.0
// A page's body without the stack of open elements. In the body a start tag makes an HTML element whatever is open, as
// long as no <svg>, <math>, <noscript> or <select> is, and but for a second <form> and the parts of a table: so the tree
// construction need not be told of the tags, until one comes of which it must be asked. Within a <template> it is so, too,
// but no tag passes unread there.
//
//   FlatBody flat;
//   if (tree.is_flat()) flat.begin(position, tree);          // the tree stands here
//   ...
//   if (!flat.start(token, position, true, place)) ...             // tell the tree all from flat.begun() on, and ask it
//
// Within it three kinds of elements are units, read by a rule of their own for as long as they hold nothing but what
// is common in them: <svg> names that are unknown to HTML, <noscript> words, images and blocks, <select> options.
//
// What it says is what the tree would say; fuzz-html and the unit test "Skim" run both. Not thread-safe.
#ifndef SPINNERET_HTML_FLAT_BODY_H_
#define SPINNERET_HTML_FLAT_BODY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "html/link.h"
#include "html/open_elements.h"
#include "html/tag_run.h"
#include "html/tokenizer.h"
#include "html/tree.h"

namespace spinneret::html {

class FlatBody {
 public:
  // A new page. Where the tree was asked so often, it is told of the rest of the page.
  static constexpr int kMaxRuns = 3;
  void reset() {
    runs_ = 0;
    end();
  }

  bool may_begin(const Tree& tree) const { return runs_ < kMaxRuns && tree.is_flat(); }
  void begin(std::size_t position, const Tree& tree);
  void end() {
    state_ = State::kOff;
    templates_ = 0;
  }

  bool on() const { return state_ != State::kOff; }
  // On, and within no unit: what is ordinary may pass unread.
  bool is_open() const { return state_ == State::kOpen && templates_ == 0; }
  bool in_template() const { return templates_ != 0; }
  // What passed unread is to be marked here.
  TagMarks& marks() { return marks_; }
  bool in_foreign() const { return state_ == State::kSvg; }
  // Where the tree stands.
  std::size_t begun() const { return begun_; }
  LinkContext context() const {
    return templates_ != 0              ? LinkContext::kTemplate
           : state_ == State::kSvg      ? LinkContext::kForeign
           : state_ == State::kNoscript ? LinkContext::kNoscript
                                        : LinkContext::kNone;
  }

  // What becomes of a start tag of which the tokenizer has given a token, at `position`; false: the tree must be asked.
  // `may_link`: it may have a link, whose context must be known, and whether there is an element for it.
  bool start(const Token& token, std::size_t position, bool may_link, Placement& place);
  // The same for an end tag.
  bool close(const Token& token);

 private:
  enum class State : std::uint8_t { kOff, kOpen, kSvg, kNoscript, kSelect };
  static constexpr std::size_t kMaxOpen = 32;

  bool has_room(std::size_t position) const;
  bool start_in_open(const Token& token, bool may_link, Placement& place);
  bool start_form(const Token& token, bool may_link, Placement& place);
  bool start_in_svg(const Token& token, Placement& place);
  bool close_in_svg(const Token& token);
  bool start_in_noscript(const Token& token, bool may_link, Placement& place);
  bool close_in_noscript(Element element);
  bool open_unit(State state, const Token& token, std::size_t position, Placement& place);

  State state_ = State::kOff;
  bool form_ = false;      // the form element pointer is set
  bool has_body_ = false;  // it is where a second <body> looks for it
  TagMarks marks_;
  std::size_t templates_ = 0;  // open ones
  int runs_ = 0;
  std::size_t begun_ = 0;
  std::size_t stack_ = 0;  // the stack's size there
  // What is open from the <svg> on; of a <noscript> the blocks in it.
  std::array<NameCode, kMaxOpen> open_{};
  std::size_t depth_ = 0;
  bool in_doubt_ =
      false;  // whether the <noscript> is open still: a block has begun in it that may have closed a <p>
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_FLAT_BODY_H_
