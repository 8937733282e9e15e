// SPDX-License-Identifier: Apache-2.0
// The links of the page that is being read. They are gathered here, together with the text of the open anchor. Where
// there is a taker, they are handed over in batches, in document order, once the page's facts are final.
//
//   a b c d* e f        d is open: a, b and c may be handed over; d's text still grows, so d, e and f stay
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

  // All arguments are borrowed. `read_facts` reads the page for its facts alone, so that `facts` knows them.
  LinkList(const ExtractOptions& options, Page& page, Values& values, PageFacts& facts,
           std::function<void()> read_facts)
      : options_(options),
        page_(page),
        values_(values),
        facts_(facts),
        read_facts_(std::move(read_facts)) {}

  // With nullptr the links stay in the page.
  void begin(LinkTaker* taker) { taker_ = taker; }
  void begin_page();

  // Adds the link if it is wanted. Returns whether the last link in the list is wanted now.
  bool push(const Link& link) {
    if (!options_.selection.wants(link)) return false;
    page_.links.push_back(link);
    return true;
  }
  void push_surely(const Link& link) { page_.links.push_back(link); }
  // Adds a link that is wanted, to be filled in.
  Link& add_link() { return page_.links.emplace_back(); }

  // Whether a batch is complete, and somebody takes it.
  bool is_full() const { return taker_ != nullptr && page_.links.size() >= options_.batch; }
  // Hands over all links before the one whose text is being read. The reading of the page may turn out to begin anew.
  void give();
  // As give(), at a point where only the links that stay refer to the arena.
  void give_between_tokens();
  // Within a value that holds many links: hands them over if there are many, and releases what the arena has got
  // since `mark`. Returns false where the reading begins anew.
  bool make_room(const TextArena::Mark& mark);

  // From now on links belong to the body, or do not.
  void note_body(bool in_body) {
    if (body_seen_ || !in_body) return;
    body_seen_ = true;
    before_body_ = page_.links.size();
  }
  // A frameset has taken the place of the body: drops the body's links, but not what a late <html> tag gave the root.
  void drop_body();

  // Begins the text of the open anchor, which is the link pushed last. Its attributes are raw.
  void begin_text(std::string_view label, std::string_view title) {
    if (options_.text) anchor_.begin(page_.links.size() - 1, label, title);
  }
  void end_text() {
    if (anchor_.open()) finish_text();
  }
  const AnchorText& anchor() const { return anchor_; }
  bool wants_words() const { return anchor_.open() && !anchor_.full(); }
  void add_words(std::string_view decoded) { anchor_.add(decoded); }
  // Adds text as the page has it; 15 bytes behind it must be readable.
  void add_raw_words(std::string_view raw);
  // Whether an image counts as a word of the anchor.
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
