// SPDX-License-Identifier: Apache-2.0
// Tree construction (HTML 13.2.6) without a tree. The insertion modes, the stack of open elements
// and the list of active formatting elements are kept as the standard says, but no node is ever
// made. The result is what matters for links: whether a start tag makes an element at all, in which
// namespace and context, and how the tokenizer must read what follows.
//
//   Tree tree;
//   switch (tokenizer.next(token)) {
//     case TokenType::kStartTag: {
//       const Placement place = tree.start_tag(token);
//       if (place.text != TextMode::kData)
//         tokenizer.set_text_mode(place.text, element_name(place.element));
//       if (place.inserted) use(token, place);
//       break;
//     }
//     case TokenType::kEndTag: tree.end_tag(token); break;
//     case TokenType::kText: tree.text(token); break;
//   }
//   tokenizer.set_foreign(tree.in_foreign());
//
// Scripting is off: the content of <noscript> is parsed.
//
// Three things are simplified, which does not change the links:
// - Documents count as no-quirks, unless set_quirks() says otherwise.
// - The "Noah's Ark" clause compares names and not attributes.
// - The adoption agency drops clones instead of placing them.
//
// Cost: 3 to 8 ns a tag, whatever the depth. Memory: at most 10 MiB. Not thread-safe.
#ifndef SPINNERET_HTML_TREE_H_
#define SPINNERET_HTML_TREE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "html/element.h"
#include "html/open_elements.h"
#include "html/tokenizer.h"

namespace spinneret::html {

// What became of a start tag.
struct Placement {
  bool inserted = false;  // an element was made
  // attributes that the open html or body element lacked were added to it
  bool merged = false;
  bool dropped_body = false;  // a frameset replaced the body and all that it held
  Namespace name_space = Namespace::kHtml;
  Element element = Element::kUnknown;  // that of the token, except for <image>
  TextMode text = TextMode::kData;      // how the content is to be read
};

// An element that tree construction made.
struct MadeElement {
  NameCode name = 0;
  Namespace name_space = Namespace::kHtml;
  const Token* token = nullptr;  // its start tag; nullptr if it is implied, or a copy
  // of a formatting element that is opened again: the number of the element that it copies
  std::uint32_t original = 0;
  // it is on the stack now; otherwise it has no content, except raw text that follows
  bool open = false;
  bool fostered = false;  // it is placed before the open table, not in the current node (13.2.6.1)
};

// Is told of every element when it is made and when it is closed, so that it can keep nodes, or
// match selectors, without asking what each token changed. made() gives the element a number of the
// observer's choice (0 for none). The element's parent is the current node: the topmost entry of
// open() below it. An entry that is closed from the middle is an <a> or <form>, or a formatting
// element that the adoption agency took from around a block that stays open.
class TreeObserver : public StackObserver {
 public:
  virtual std::uint32_t made(const MadeElement& element) = 0;
  // The adoption agency (13.2.6.4.7) takes the formatting element at `index` from around the
  // special elements that are open above it, whose places change. This is called before that entry
  // is closed. Those entries in between that are not formatting elements are closed already, and
  // stay where they were.
  virtual void adopted(std::size_t) {}
  // Whether two formatting elements of one name, given by their numbers, have the same attributes.
  // Of elements that are alike, no more than three are opened again.
  virtual bool alike(std::uint32_t, std::uint32_t) { return true; }
};

// Whether the token is an <input type=hidden>, which a table accepts as a child.
bool is_hidden_input(const Token& token);

class Tree {
  // The insertion modes (13.2.4.1), except "text" and "in table text".
  enum class Mode : std::uint8_t {
    kInitial,
    kBeforeHtml,
    kBeforeHead,
    kInHead,
    kInHeadNoscript,
    kAfterHead,
    kInBody,
    kInTable,
    kInCaption,
    kInColumnGroup,
    kInTableBody,
    kInRow,
    kInCell,
    kInTemplate,
    kAfterBody,
    kInFrameset,
    kAfterFrameset,
    kAfterAfterBody,
    kAfterAfterFrameset,
  };
  static constexpr unsigned bits(std::initializer_list<Mode> modes) {
    unsigned out = 0;
    for (const Mode mode : modes) out |= 1u << static_cast<unsigned>(mode);
    return out;
  }

 public:
  Tree() { reset(); }
  void reset();
  // Sets the observer, which is borrowed; nullptr means none. With an observer plain_start() and
  // plain_end() must not be used.
  void set_observer(TreeObserver* observer) {
    observer_ = observer;
    open_.set_observer(observer);
  }

  // Sets quirks mode, in which a <table> does not close a <p>, until the next reset().
  void set_quirks(bool quirks) { quirks_ = quirks; }

  Placement start_tag(const Token& token);
  void end_tag(const Token& token);
  void text(const Token& token);
  // Whether text(token) could change anything now; most texts need not be looked at.
  bool wants_text() const {
    constexpr unsigned kDeaf =
        bits({Mode::kInBody, Mode::kInTable, Mode::kInCaption, Mode::kInTableBody, Mode::kInRow,
              Mode::kInCell, Mode::kInTemplate, Mode::kInFrameset});
    return frameset_ok_ || formatting_pending_ || (kDeaf >> static_cast<unsigned>(mode_) & 1) == 0;
  }

  // Whether the fast path may be taken for tags of known elements whose start is not raw text,
  // foreign, or a part of the document (html, head, body, frameset): plain_start() and plain_end()
  // do what start_tag() and end_tag() do for such a token without attributes.
  bool is_plain() const {
    return (mode_ == Mode::kInBody || mode_ == Mode::kInCell) && !frameset_ok_ && !raw_text_ &&
           !in_foreign();
  }
  // Whether the position is in the body, and nothing is open that could keep the start tag of an
  // ordinary element from making an HTML element with no particular context: see FlatBody.
  bool is_flat() const {
    constexpr unsigned kBody = bits({Mode::kInBody, Mode::kInTable, Mode::kInCaption,
                                     Mode::kInColumnGroup, Mode::kInTableBody, Mode::kInRow,
                                     Mode::kInCell, Mode::kAfterBody, Mode::kAfterAfterBody});
    return (kBody >> static_cast<unsigned>(mode_) & 1) != 0 && body_seen_ && !frameset_ok_ &&
           !raw_text_ && !open_.has_foreign() && !open_.has(Element::kTemplate) &&
           !open_.has(Element::kNoscript) && !open_.has(Element::kSelect);
  }
  // Whether the position is in the head, and in no element there.
  bool is_head() const {
    return mode_ == Mode::kInHead && !raw_text_ && open_.top_is(Element::kHead);
  }
  // Whether the form element pointer is set.
  bool has_form() const { return form_ != OpenElements::kNone; }
  Placement plain_start(Element element) {
    if (!has_flag(element, kBlockFlag)) return plain_start_of_no_block(element);
    close_p();
    open_.push_plain(element);
    return {.inserted = true, .element = element};
  }
  void plain_end(Element element);
  // A text that consists of NULs counts as none.
  void plain_text(std::string_view text) {
    if (formatting_pending_ && text.find_first_not_of('\0') != std::string_view::npos)
      reconstruct_formatting();
  }

  // For XML, where an element is open from its start tag to its end tag, and its name implies
  // nothing.
  void open_element(const Token& token, Namespace name_space);
  void close_element() { open_.pop_to(open_.size() - 1); }

  // Whether the adjusted current node is not in the HTML namespace.
  bool in_foreign() const { return !open_.empty() && open_.top().name_space != Namespace::kHtml; }
  bool in_template() const { return open_.has(Element::kTemplate); }
  bool in_noscript() const { return open_.has(Element::kNoscript); }
  // Whether the position is inside svg or math, including their integration points.
  bool in_foreign_subtree() const { return open_.has_foreign(); }
  bool in_body() const { return body_seen_; }
  // Whether text that is not blank goes before the open table instead of into the current node.
  bool fosters() const;
  const OpenElements& open() const { return open_; }

 private:
  // The result of a rule: the token is done, or must be read again in the mode that is set now.
  enum class Next : bool { kDone, kAgain };

  // The tag that is being processed.
  struct Tag {
    const Token& token;
    Element element;
    NameCode name;
    Placement place = {};
  };

  struct Formatting {
    NameCode name;             // 0: a marker
    std::int32_t index;        // where it is open, or was
    std::uint32_t number = 0;  // the observer's number for it
  };

  // tree.cc: dispatch, foreign content, the modes before the body and after it
  void html_start(Tag& tag);
  void html_end(Tag& tag);
  bool reads_as_html(const Token& token) const;
  bool at_integration_point() const;
  void leave_foreign();
  bool foreign_start(Tag& tag);
  Next start_in(Mode mode, Tag& tag);
  Next end_in(Mode mode, Tag& tag);
  Next start_before_html(Tag& tag);
  Next start_before_head(Tag& tag);
  Next start_in_head(Tag& tag);
  Next start_in_head_noscript(Tag& tag);
  Next start_after_head(Tag& tag);
  Next start_in_frameset(Tag& tag);
  Next start_after_frameset(Tag& tag);
  Next end_before_head_modes(Mode mode, Tag& tag);
  Next end_in_head(Tag& tag);
  Next end_in_frameset(Tag& tag);
  void open_html(const Token* token = nullptr);
  void open_head(const Token* token = nullptr);
  void open_body(const Token* token = nullptr);
  void start_template(Tag& tag);
  void end_template();
  void reset_mode();
  void text_before_body(bool blank);

  // tree_body.cc
  Next start_in_body(Tag& tag);
  Next start_ordinary(Tag& tag);
  bool prepare_ordinary(Tag& tag);
  void start_object(Tag& tag);
  void start_table(Tag& tag);
  void close_alike(Element element);
  void close_anchor(const Tag& tag);
  bool start_document_part(Tag& tag);
  bool start_void(Tag& tag);
  bool start_raw_text(Tag& tag);
  bool start_list_item(Tag& tag);
  void start_form(Tag& tag);
  void start_foreign_root(Tag& tag);
  Next end_in_body(Tag& tag);
  void end_by_flags(const Tag& tag);
  void end_form();
  void end_heading();
  void end_block(NameCode name);
  void end_any_other(NameCode name);
  void end_formatting(NameCode name);
  void adopt(const Formatting& entry, std::int32_t special);
  void reconstruct_formatting();
  void add_formatting(NameCode name);
  void add_marker();
  void clear_formatting_to_marker();
  std::size_t find_formatting(NameCode name) const;
  bool is_open(const Formatting& entry) const;
  void close_p() {
    if (open_.in_button_scope(Element::kP)) pop_through(Element::kP);
  }
  Placement plain_start_of_no_block(Element element);

  // tree_table.cc
  Next start_in_table(Tag& tag);
  Next start_in_caption(Tag& tag);
  Next start_in_column_group(Tag& tag);
  Next start_in_table_body(Tag& tag);
  Next start_in_row(Tag& tag);
  Next start_in_cell(Tag& tag);
  Next start_in_template(Tag& tag);
  Next end_in_table(Tag& tag);
  Next end_in_caption(Tag& tag);
  Next end_in_column_group(Tag& tag);
  Next end_in_table_body(Tag& tag);
  Next end_in_row(Tag& tag);
  Next end_in_cell(Tag& tag);
  bool close_caption();
  void close_table_body();
  bool close_row();
  void close_cell();
  bool has_table_body_in_scope() const;
  void clear_to(std::initializer_list<Element> context);

  bool push(NameCode name, Namespace name_space = Namespace::kHtml, bool integration = false,
            const Token* token = nullptr, std::uint32_t original = 0);
  std::uint32_t tell(const MadeElement& element);
  void insert(Tag& tag);       // pushes it, unless it is void by its name
  void insert_void(Tag& tag);  // pushes it and pops it at once
  void insert_raw(Tag& tag, TextMode text);
  void generate_implied_end_tags(NameCode except = 0);
  void pop_through(std::int32_t index);
  void pop_through(Element element) { pop_through(open_.last(element)); }

  OpenElements open_;
  TreeObserver* observer_ = nullptr;
  std::uint32_t made_ = 0;  // the observer's number for the element made last
  std::vector<Formatting> formatting_;
  std::vector<Mode> template_modes_;
  Mode mode_ = Mode::kInitial;
  std::int32_t form_ = OpenElements::kNone;  // the form element pointer: where it is open, or was
  bool frameset_ok_ = true;
  bool head_seen_ = false;
  bool body_seen_ = false;
  bool quirks_ = false;
  bool raw_text_ = false;            // the content of a raw-text element is being read
  bool formatting_pending_ = false;  // there may be formatting elements to reconstruct
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_TREE_H_
