// SPDX-License-Identifier: Apache-2.0
// The links of the page that is being read, together with the text of the open anchor. With a
// taker, they are handed over in batches, in document order, once the page's facts are final.
//
//   a b c d* e f        d is open: a, b and c may be handed over; d's text still grows,
//                       so d, e and f stay
#ifndef SPINNERET_HTML_LINK_LIST_H_
#define SPINNERET_HTML_LINK_LIST_H_

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "html/anchor.h"
#include "html/extract_options.h"
#include "html/page_facts.h"
#include "html/tokenizer.h"
#include "html/values.h"

namespace spinneret::html {

class LinkList {
 public:
  // After so many links inside an anchor its text is taken to be complete.
  static constexpr std::size_t kMaxInAnchor = 4096;

  // All arguments are borrowed. `read_facts` reads the page for its facts alone, after which
  // `facts` knows them.
  LinkList(const ExtractOptions& options, Page& page, Values& values, PageFacts& facts,
           std::function<void()> read_facts)
      : options_(options),
        page_(page),
        values_(values),
        facts_(facts),
        read_facts_(std::move(read_facts)) {}

  // Sets the taker; with nullptr the links stay in the page.
  void begin(LinkTaker* taker) { taker_ = taker; }
  void begin_page();

  // Adds the link if it is wanted. Returns whether the last link in the list is wanted now.
  bool push(const Link& link) {
    if (!options_.selection.wants(link)) return false;
    page_.links.push_back(link);
    return true;
  }
  void push_surely(const Link& link) { page_.links.push_back(link); }
  // Adds a link that is wanted; the caller fills it in.
  Link& add_link() { return page_.links.emplace_back(); }

  // Whether a batch is complete and there is a taker.
  bool is_full() const { return taker_ != nullptr && page_.links.size() >= options_.batch; }
  // Hands over all links before the one whose text is being read. It may turn out here that the
  // reading must begin anew.
  void give();
  // Does the same at a point where only the links that stay refer to the arena.
  void give_between_tokens();
  // Makes room within a value that holds many links: hands them over if there are many, and
  // releases what the arena has got since `mark`. Returns false if the reading begins anew.
  bool make_room(const TextArena::Mark& mark);

  // Notes where the body begins: links from then on belong to it.
  void note_body(bool in_body) {
    if (body_seen_ || !in_body) return;
    body_seen_ = true;
    before_body_ = page_.links.size();
  }
  // Drops the links of the body, which a frameset has replaced, but not those that a late <html>
  // tag gave the root.
  void drop_body();

  // Begins the text of the open anchor, whose link is the one pushed last. Its attributes are raw.
  void begin_text(std::string_view label, std::string_view title) {
    if (options_.text) anchor_.begin(page_.links.size() - 1, label, title);
  }
  void end_text() {
    if (anchor_.open()) finish_text();
  }
  const AnchorText& anchor() const { return anchor_; }
  bool wants_words() const { return anchor_.open() && !anchor_.full(); }
  void add_words(std::string_view decoded) { anchor_.add(decoded); }
  // Adds text as written in the page; 15 bytes behind it must be readable.
  void add_raw_words(std::string_view raw);
  // Whether an image counts as words of the anchor.
  bool reads_image(Element element) const {
    return element == Element::kImg && anchor_.open() && anchor_.empty();
  }
  void note_image(const Token& token);

 private:
  void finish_text();
  void drop_body_links();

  const ExtractOptions& options_;
  Page& page_;
  Values& values_;
  PageFacts& facts_;
  std::function<void()> read_facts_;
  LinkTaker* taker_ = nullptr;
  AnchorText anchor_;
  TextArena spare_arena_;
  std::size_t before_body_ = 0;  // number of links before the body
  bool body_seen_ = false;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_LINK_LIST_H_
