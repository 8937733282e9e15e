// SPDX-License-Identifier: Apache-2.0
// Answers for the tree in a page's body, without a stack of open elements. In the body a start tag
// makes an HTML element whatever else is open, unless an <svg>, <math>, <noscript> or <select> is;
// exceptions are a second <form> and the parts of a table. So tree construction need not see the
// tags until one comes that only the tree can judge. The same holds within a <template>, but there
// every tag is read.
//
//   FlatBody flat;
//   if (tree.is_flat()) flat.begin(position, tree);          // the tree has come this far
//   ...
//   if (!flat.start(token, position, true, place)) ...
//                                      // give the tree everything from flat.begun() on, and ask it
//
// Three elements form units within the body. Each is read by a rule of its own as long as it holds
// only what is common there: in <svg> names that HTML does not know, in <noscript> words, images
// and blocks, in <select> options.
//
// FlatBody must answer as the tree would; fuzz-html and the unit test "Skim" run both. Not
// thread-safe.
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
  // How often the tree may be asked on one page. After that it is given the rest of the page.
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
  // Whether FlatBody is in use and outside of all units, so that ordinary tags may pass unread.
  bool is_open() const { return state_ == State::kOpen && templates_ == 0; }
  bool in_template() const { return templates_ != 0; }
  // The marks; a caller that lets tags pass unread must note them here.
  TagMarks& marks() { return marks_; }
  bool in_foreign() const { return state_ == State::kSvg; }
  // The number of open foreign elements.
  std::size_t foreign() const { return in_foreign() ? depth_ : 0; }
  // The position up to which the tree has read.
  std::size_t begun() const { return begun_; }
  LinkContext context() const {
    return templates_ != 0              ? LinkContext::kTemplate
           : state_ == State::kSvg      ? LinkContext::kForeign
           : state_ == State::kNoscript ? LinkContext::kNoscript
                                        : LinkContext::kNone;
  }

  // Judges a start tag that the tokenizer has given as a token, at `position`. Returns false if the
  // tree must be asked. `may_link` says that the tag may have a link: its context, and whether it
  // makes an element at all, must then be known.
  bool start(const Token& token, std::size_t position, bool may_link, Placement& place);
  // Judges an end tag in the same way.
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
  bool has_body_ = false;  // the tree will find a body element when a second <body> comes
  TagMarks marks_;
  std::size_t templates_ = 0;  // number of open templates
  int runs_ = 0;
  std::size_t begun_ = 0;
  // Size of the tree's stack at begun_.
  std::size_t stack_ = 0;
  // The open names: from the <svg> on, or the blocks in a <noscript>.
  std::array<NameCode, kMaxOpen> open_{};
  std::size_t depth_ = 0;
  // Whether it is uncertain that the <noscript> is still open: a block has begun in it that may
  // have closed a <p>.
  bool in_doubt_ = false;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_FLAT_BODY_H_
