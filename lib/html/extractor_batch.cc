// SPDX-License-Identifier: Apache-2.0
// Links given in batches: a page of nothing but links takes no more memory than another.
#include <algorithm>
#include <utility>

#include "html/extractor.h"

namespace spinneret::html {

// The page's facts by a reading of their own. A charset that is declared behind what was read so far makes the
// present reading start anew, before any link was given.
void LinkExtractor::read_facts_first() {
  if (!facts_) {
    ExtractOptions options;
    options.selection = LinkSelection::nothing();
    options.text = false;
    facts_.reset(new LinkExtractor(std::move(options), depth_));
  }
  LinkExtractor& facts = *facts_;
  facts.begin(nullptr);
  facts.page_.charset = page_.charset;
  facts.xml_ = xml_;
  facts.read(page_.source, !page_.charset.encoding->ascii_compatible());
  facts_known_ = true;
  restart_ = facts.page_.charset.encoding != page_.charset.encoding;
  adopt_facts();
}

void LinkExtractor::adopt_facts() {
  std::vector<Link> links = std::move(page_.links);
  page_ = facts_->page_;
  page_.links = std::move(links);
  body_drop_ = body_dropped_ ? kNoOffset : facts_->body_drop_;
}

// All links but those from the one on whose text is being read. An anchor that holds thousands of links more has
// had its text.
void LinkExtractor::give_links() {
  if (!facts_known_) read_facts_first();
  if (restart_) return;
  if (body_drop_ != kNoOffset && body_seen_) {
    end_text();
    drop_body_links();
  }
  if (anchor_.open() && page_.links.size() - anchor_.link() > kMaxInAnchor) end_text();
  const std::size_t count = std::min(anchor_.link(), page_.links.size());
  if (count == 0) return;
  std::vector<Link> later(page_.links.begin() + static_cast<std::ptrdiff_t>(count),
                          page_.links.end());
  page_.links.resize(count);
  taker_->take(page_);
  page_.links = std::move(later);
  if (anchor_.open()) anchor_.move_to(0);
  if (body_seen_) body_links_ = 0;
}

// The same where nothing but the links that stay refers to the arena.
void LinkExtractor::give_links_between_tokens() {
  give_links();
  if (restart_) return;
  spare_arena_.clear();
  for (Link& link : page_.links) {
    for (std::string_view Link::*const field : kLinkTexts)
      link.*field = spare_arena_.keep(link.*field);
  }
  std::swap(arena_, spare_arena_);
}

// Within a value that holds many links: gives them, and what the arena has got since `mark`, where there are
// many. False: the reading starts anew.
bool LinkExtractor::make_room(const TextArena::Mark& mark) {
  if (taker_ == nullptr || page_.links.size() < options_.batch) return !restart_;
  give_links();
  if (page_.links.empty()) arena_.release(mark);
  return !restart_;
}

// A frameset took the body's place: what the body held is gone, but not what a late <html> gave the root.
void LinkExtractor::drop_body(std::size_t offset) {
  end_text();
  drop_body_links();
  ids_.clear();
  body_dropped_ = true;
  body_drop_ = taker_ == nullptr ? offset : kNoOffset;
}

void LinkExtractor::drop_body_links() {
  const auto first =
      page_.links.begin() + static_cast<std::ptrdiff_t>(std::min(page_.links.size(), body_links_));
  page_.links.erase(std::remove_if(first, page_.links.end(),
                                   [](const Link& link) { return link.element != "html"; }),
                    page_.links.end());
}

}  // namespace spinneret::html
