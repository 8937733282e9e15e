// SPDX-License-Identifier: Apache-2.0
// XHTML and SVG documents: the same sources of links, with XML's rules for what an element is.
#include <algorithm>

#include "base/ascii.h"
#include "html/document_walk.h"

namespace spinneret::html {
namespace {

bool has_upper(const Attribute& attribute) {
  return std::any_of(attribute.name.begin(), attribute.name.end(), is_upper);
}

}  // namespace

void XmlWalk::scan(std::string_view document) {
  XmlElements elements(document);
  open_.clear();
  raw_depth_ = 0;
  while (!parts_.facts.restart()) {
    if (parts_.list.is_full()) parts_.list.give_between_tokens();
    if (parts_.facts.restart()) return;
    switch (elements.next(token_)) {
      case TokenType::kStartTag: start(elements.space(), elements.name_space()); break;
      case TokenType::kEndTag: end(); break;
      case TokenType::kText: text(); break;
      case TokenType::kComment: parts_.embedded.on_comment(token_); break;
      case TokenType::kEnd: return;
      default: break;
    }
  }
}

void XmlWalk::start(XmlSpace space, Namespace name_space) {
  const bool counts =
      space == XmlSpace::kHtml || space == XmlSpace::kSvg || space == XmlSpace::kMath;
  open_.push_back({counts, counts && token_.element == Element::kA});
  if (!counts) return;
  // The sources' table has only names in lower case.
  token_.attributes.erase(
      std::remove_if(token_.attributes.begin(), token_.attributes.end(), has_upper),
      token_.attributes.end());
  Placement place;
  place.inserted = true;
  place.element = token_.element;
  place.name_space = name_space;
  parts_.tree.tree().open_element(token_, place.name_space);
  if (parts_.list.reads_image(place.element)) parts_.list.note_image(token_);
  // Inside an anchor, the title of a part of a picture belongs to the anchor's words.
  const bool word = place.element == Element::kTitle && parts_.list.anchor().open();
  if (raw_depth_ == 0 && !word) begin_raw_text(place);
  if (parts_.wanted.element(place.element)) parts_.collector.visit(token_, place);
}

void XmlWalk::end() {
  if (open_.empty()) return;
  if (open_.back().is_anchor) parts_.list.end_text();
  if (raw_depth_ != 0 && open_.size() == raw_depth_) end_raw_text();
  if (open_.back().counts) parts_.tree.tree().close_element();
  open_.pop_back();
}

std::string_view XmlWalk::decoded(std::string_view raw) const {
  return token_.mode == TextMode::kCdata ? parts_.values.bytes(raw) : parts_.values.text(raw);
}

void XmlWalk::text() {
  if (raw_depth_ != 0) {
    if (parts_.embedded.reads_raw_text()) add_raw_text();
    return;
  }
  if (parts_.list.wants_words()) parts_.list.add_words(decoded(token_.text));
  if (parts_.options.plain_text) {
    parts_.embedded.add_text_urls(token_.begin, decoded(token_.text), parts_.collector.context());
  }
}

// --- title, style, script ---

void XmlWalk::begin_raw_text(const Placement& place) {
  parts_.embedded.begin_raw_text(token_, place, parts_.tree.in_template());
  if (!parts_.embedded.reads_raw_text() &&
      !is_unseen(name_code(token_.element, token_.name), place.name_space))
    return;
  raw_depth_ = open_.size();
  pieces_ = 0;
  raw_.clear();
  first_piece_ = {};
}

void XmlWalk::add_raw_text() {
  const std::string_view piece = decoded(token_.text);
  if (++pieces_ == 1) raw_begin_ = token_.begin;
  if (pieces_ == 1 && piece.data() == token_.text.data()) {
    first_piece_ = piece;
    return;
  }
  raw_ += first_piece_;
  first_piece_ = {};
  raw_ += piece;
}

void XmlWalk::end_raw_text() {
  raw_depth_ = 0;
  if (pieces_ != 0) {
    Link at;
    at.offset = raw_begin_;
    at.context = parts_.collector.context();
    parts_.embedded.read_raw_text(raw_.empty() ? first_piece_ : std::string_view(raw_), at);
  }
  parts_.embedded.end_raw_text();
}

}  // namespace spinneret::html
