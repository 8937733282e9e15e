// SPDX-License-Identifier: Apache-2.0
#include "html/link_list.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "html/scan.h"

namespace spinneret::html {

void LinkList::begin_page() {
  page_.links.clear();
  anchor_.close();
  before_body_ = 0;
  body_seen_ = false;
}

// --- batches ---

void LinkList::give() {
  if (!facts_.known()) read_facts_();
  if (facts_.restart()) return;
  if (facts_.will_drop_body() && body_seen_) {
    end_text();
    drop_body_links();
  }
  // If an anchor holds thousands of further links, its text is taken to be complete.
  if (anchor_.open() && page_.links.size() - anchor_.link() > kMaxInAnchor) end_text();
  const std::size_t count = std::min(anchor_.link(), page_.links.size());
  if (count == 0) return;
  std::vector<Link> later(page_.links.begin() + static_cast<std::ptrdiff_t>(count),
                          page_.links.end());
  page_.links.resize(count);
  taker_->take(page_);
  page_.links = std::move(later);
  if (anchor_.open()) anchor_.move_to(0);
  if (body_seen_) before_body_ = 0;
}

void LinkList::give_between_tokens() {
  give();
  if (facts_.restart()) return;
  for (Link& link : page_.links) {
    for (std::string_view Link::*const field : kLinkTexts)
      link.*field = spare_arena_.keep(link.*field);
  }
  std::swap(values_.arena(), spare_arena_);
  spare_arena_.clear();
}

bool LinkList::make_room(const TextArena::Mark& mark) {
  if (!is_full()) return !facts_.restart();
  give();
  if (page_.links.empty()) values_.arena().release(mark);
  return !facts_.restart();
}

void LinkList::drop_body() {
  end_text();
  drop_body_links();
  facts_.drop_body();
}

void LinkList::drop_body_links() {
  const auto first =
      page_.links.begin() + static_cast<std::ptrdiff_t>(std::min(page_.links.size(), before_body_));
  page_.links.erase(std::remove_if(first, page_.links.end(),
                                   [](const Link& link) { return link.element != "html"; }),
                    page_.links.end());
}

// --- the open anchor ---

void LinkList::add_raw_words(std::string_view raw) {
  const TextLook look = look_at_text(raw.data(), raw.data() + raw.size(), anchor_.ends_blank());
  if (look.odd || raw.size() > anchor_.room() || (look.high && !values_.is_utf8()))
    return anchor_.add(values_.text(raw));
  values_.note_high(look.high);
  anchor_.add_folded(raw);
}

void LinkList::finish_text() {
  Link& link = page_.links[anchor_.link()];
  link.text = values_.keep(anchor_.finish(
      link.text_from, [this](std::string_view raw) { return values_.attribute(raw); }));
  anchor_.close();
}

// Notes an image within an anchor that has no words so far.
void LinkList::note_image(const Token& token) {
  const Attribute* alt = token.find("alt");
  if (alt == nullptr || alt->value.empty()) alt = token.find("aria-label");
  const Attribute* const title = token.find("title");
  anchor_.add_image(alt == nullptr ? std::string_view() : values_.attribute(alt->value),
                    title == nullptr ? std::string_view() : title->value);
}

}  // namespace spinneret::html
