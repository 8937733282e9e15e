// SPDX-License-Identifier: Apache-2.0
#include "html/document_walk.h"

#include "html/skimmer.h"

namespace spinneret::html {

void DocumentWalk::scan(std::string_view document) {
  tokenizer_.set_input(document, true);
  parts_.tree.set_source(document);
  Skimmer skimmer(*this);
  unseen_ = 0;
  in_sheet_ = false;
  sheet_.clear();
  while (!parts_.facts.restart()) {
    if (parts_.list.is_full()) parts_.list.give_between_tokens();
    if (parts_.facts.restart()) return;
    if (may_skim() && skimmer.skim()) continue;
    const bool reads_text = parts_.list.anchor().open() || parts_.embedded.reads_raw_text() ||
                            parts_.options.plain_text;
    tokenizer_.set_wants_text(reads_text || parts_.tree.wants_text());
    switch (tokenizer_.next(token_)) {
      case TokenType::kStartTag: on_start_tag(); break;
      case TokenType::kEndTag: on_end_tag(); break;
      case TokenType::kText: on_text(); break;
      case TokenType::kComment: parts_.embedded.on_comment(token_); break;
      case TokenType::kEnd:
      case TokenType::kMore: return end_unseen();
      default: break;
    }
  }
}

void DocumentWalk::on_start_tag() {
  place(parts_.tree.start_tag(token_, parts_.wanted.may_link(token_)));
}

// Acts on the tree's decision about the present start tag.
void DocumentWalk::place(const Placement& place) {
  tokenizer_.set_foreign(parts_.tree.in_foreign());
  if (place.dropped_body) {
    parts_.list.drop_body();
    parts_.collector.drop_ids();
  }
  parts_.list.note_body(parts_.tree.in_body());
  if (place.text != TextMode::kData) end_sheet();
  if (parts_.tree.foreign() < unseen_) end_unseen();
  if (!place.inserted && !place.merged) return;
  if (place.name_space != Namespace::kHtml) begin_unseen(place);
  if (place.text != TextMode::kData) {
    tokenizer_.set_text_mode(place.text, element_name(place.element));
    parts_.embedded.begin_raw_text(token_, place, parts_.tree.in_template());
  }
  if (parts_.list.reads_image(place.element) && place.name_space == Namespace::kHtml)
    parts_.list.note_image(token_);
  if (parts_.wanted.element(place.element)) parts_.collector.visit(token_, place);
}

void DocumentWalk::on_end_tag() {
  parts_.tree.end_tag(token_);
  tokenizer_.set_foreign(parts_.tree.in_foreign());
  if (!in_sheet_) parts_.embedded.end_raw_text();
  if (parts_.tree.foreign() < unseen_) end_unseen();
  if (token_.element == Element::kA) parts_.list.end_text();
}

void DocumentWalk::on_text() {
  parts_.tree.text(token_);
  parts_.list.note_body(parts_.tree.in_body());
  if (in_sheet_) {
    if (sheet_.empty()) sheet_place_.offset = token_.begin;
    sheet_ += token_.mode == TextMode::kCdata ? parts_.values.bytes(token_.text)
                                              : parts_.values.text(token_.text);
    return;
  }
  if (unseen_ != 0 && !parts_.embedded.reads_raw_text()) return;
  if (parts_.list.wants_words() && token_.mode == TextMode::kData) {
    parts_.list.add_words(parts_.values.text(token_.text));
  } else if (parts_.embedded.reads_raw_text()) {
    Link at;
    at.offset = token_.begin;
    at.context = parts_.collector.context();
    parts_.embedded.read_raw_text(parts_.embedded.reads_title() ? parts_.values.text(token_.text)
                                                                : parts_.values.bytes(token_.text),
                                  at);
  }
  if (parts_.options.plain_text && token_.mode == TextMode::kData) {
    parts_.embedded.add_text_urls(token_.begin, parts_.values.text(token_.text),
                                  parts_.collector.context());
  }
}

// --- content of SVG and MathML that is not shown ---

void DocumentWalk::begin_unseen(const Placement& place) {
  if (token_.self_closing || unseen_ != 0) return;
  if (!is_unseen(name_code(token_.element, token_.name), place.name_space)) return;
  unseen_ = parts_.tree.foreign();
  parts_.embedded.begin_raw_text(token_, place, parts_.tree.in_template());
  in_sheet_ = parts_.embedded.reads_raw_text();
  sheet_place_ = {};
  sheet_place_.context = parts_.collector.context();
}

void DocumentWalk::end_unseen() {
  end_sheet();
  unseen_ = 0;
}

void DocumentWalk::end_sheet() {
  if (!in_sheet_) return;
  in_sheet_ = false;
  if (!sheet_.empty()) parts_.embedded.read_raw_text(sheet_, sheet_place_);
  sheet_.clear();
  parts_.embedded.end_raw_text();
}

}  // namespace spinneret::html
