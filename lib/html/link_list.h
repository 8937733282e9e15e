// SPDX-License-Identifier: Apache-2.0
// The links of a page under way: they gather here, the text of the anchor that is open is read here, and where somebody
// takes them they leave here by the batch, in document order, once the page's facts are final.
//
//   a b c d* e f        d is open: a, b and c may be given; d, whose text still grows, stays with e and f
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
  // Links behind which an anchor's text is taken to be whole.
  static constexpr std::size_t kMaxInAnchor = 4096;

  // All borrowed. `read_facts` reads the page for its facts alone, which `facts` then knows.
  LinkList(const ExtractOptions& options, Page& page, Values& values, PageFacts& facts,
           std::function<void()> read_facts)
      : options_(options),
        page_(page),
        values_(values),
        facts_(facts),
        read_facts_(std::move(read_facts)) {}

  // nullptr: the links stay in the page.
  void begin(LinkTaker* taker) { taker_ = taker; }
  void begin_page();
  bool has_taker() const { return taker_ != nullptr; }

  // Whether it is wanted, and so is the last one now.
  bool push(const Link& link) {
    if (!options_.selection.wants(link)) return false;
    page_.links.push_back(link);
    return true;
  }
  void push_surely(const Link& link) { page_.links.push_back(link); }
  // One that is wanted, to be filled in.
  Link& add_link() { return page_.links.emplace_back(); }

  // A batch is there, for somebody.
  bool is_full() const { return taker_ != nullptr && page_.links.size() >= options_.batch; }
  // Gives all links but those from the one on whose text is being read. The page may turn out to begin anew.
  void give();
  // The same where nothing but the links that stay refers to the arena.
  void give_between_tokens();
  // Within a value that holds many links: gives them, and what the arena has got since `mark`, where there are many.
  // False: the reading starts anew.
  bool make_room(const TextArena::Mark& mark);

  // The links from now on are the body's.
  void note_body(bool in_body) {
    if (body_seen_ || !in_body) return;
    body_seen_ = true;
    before_body_ = page_.links.size();
  }
  // A frameset took the body's place: what the body held is gone, but not what a late <html> gave the root.
  void drop_body();

  // The text of the anchor that is open, from the one pushed last on; its attributes are raw.
  void begin_text(std::string_view label, std::string_view title) {
    if (options_.text) anchor_.begin(page_.links.size() - 1, label, title);
  }
  void end_text() {
    if (anchor_.open()) finish_text();
  }
  const AnchorText& anchor() const { return anchor_; }
  bool wants_words() const { return anchor_.open() && !anchor_.full(); }
  void add_words(std::string_view decoded) { anchor_.add(decoded); }
  // The text of a page as it stands there; 15 bytes behind it are readable.
  void add_raw_words(std::string_view raw);
  // Whether an image is a word of the anchor.
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
  std::size_t before_body_ = 0;  // links
  bool body_seen_ = false;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_LINK_LIST_H_
