// SPDX-License-Identifier: Apache-2.0
#include "html/tree.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret::html {
namespace {

using enum Element;

bool is_mathml_text_point(const OpenElements::Entry& entry) {
  if (entry.name_space != Namespace::kMath || entry.name >= kElementCount) return false;
  switch (static_cast<Element>(entry.name)) {
    case kMi:
    case kMo:
    case kMn:
    case kMs:
    case kMtext: return true;
    default: return false;
  }
}

bool is_html_point(const OpenElements::Entry& entry) {
  if (entry.name_space == Namespace::kMath) return entry.html_integration;
  if (entry.name_space != Namespace::kSvg || entry.name >= kElementCount) return false;
  const auto element = static_cast<Element>(entry.name);
  return element == kForeignObject || element == kDesc || element == kTitle;
}

// 13.2.6.5: whether the start tag ends foreign content.
bool breaks_out(const Token& token) {
  if (token.element == kFont) {
    return token.find("color") != nullptr || token.find("face") != nullptr ||
           token.find("size") != nullptr;
  }
  return has_flag(token.element, kBreakoutFlag);
}

bool is_html_encoding(const Attribute* encoding) {
  return encoding != nullptr && (equals_ignore_case(encoding->value, "text/html") ||
                                 equals_ignore_case(encoding->value, "application/xhtml+xml"));
}

bool is_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), is_space); }

bool is_nul(char c) { return c == '\0'; }

// Whether a text leaves frameset-ok as it is: NUL is ignored in the body, and so is the U+FFFD that
// replaces it in foreign content.
bool is_blank_or_nul(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_space(c) || is_nul(c); });
}

}  // namespace

void Tree::reset() {
  open_.clear();
  formatting_.clear();
  template_modes_.clear();
  mode_ = Mode::kInitial;
  form_ = OpenElements::kNone;
  frameset_ok_ = true;
  head_seen_ = body_seen_ = quirks_ = raw_text_ = formatting_pending_ = false;
}

// --- dispatch (13.2.6) ---

bool Tree::reads_as_html(const Token& token) const {
  if (!in_foreign()) return true;
  const OpenElements::Entry& node = open_.top();
  if (token.type == TokenType::kEndTag) return false;
  if (is_html_point(node)) return true;
  if (is_mathml_text_point(node)) {
    return token.type != TokenType::kStartTag ||
           (token.element != kMglyph && token.element != kMalignmark);
  }
  return token.type == TokenType::kStartTag && token.element == kSvg &&
         node.name == code_of(kAnnotationXml) && node.name_space == Namespace::kMath;
}

Placement Tree::start_tag(const Token& token) {
  Tag tag{token, token.element, name_code(token.element, token.name)};
  if (!reads_as_html(token) && foreign_start(tag)) return tag.place;
  html_start(tag);
  return tag.place;
}

void Tree::end_tag(const Token& token) {
  if (raw_text_) {
    raw_text_ = false;
    return;
  }
  Tag tag{token, token.element, name_code(token.element, token.name)};
  if (!in_foreign()) return html_end(tag);
  if (tag.element == kP || tag.element == kBr) {
    leave_foreign();
    return html_end(tag);
  }
  const std::int32_t match = open_.last_foreign(tag.name);
  if (match > open_.last_html()) return pop_through(match);
  html_end(tag);
}

void Tree::text(const Token& token) {
  if (raw_text_ || token.text.empty()) return;
  const bool blank = is_blank(token.text);
  const bool ok = blank || is_blank_or_nul(token.text);
  if (!reads_as_html(token)) {
    frameset_ok_ = frameset_ok_ && ok;
    return;
  }
  if (mode_ <= Mode::kAfterHead) text_before_body(blank);
  switch (mode_) {
    case Mode::kAfterBody:
    case Mode::kAfterAfterBody:
      if (!blank) mode_ = Mode::kInBody;
      break;
    case Mode::kInColumnGroup:
      if (blank || !open_.top_is(kColgroup)) return;
      open_.pop();
      mode_ = Mode::kInTable;
      return;
    case Mode::kInTable:
    case Mode::kInTableBody:
    case Mode::kInRow:
      if (blank) return;
      break;
    case Mode::kInBody:
    case Mode::kInCaption:
    case Mode::kInCell:
    case Mode::kInTemplate: break;
    default: return;
  }
  frameset_ok_ = frameset_ok_ && ok;
  if (ok && std::all_of(token.text.begin(), token.text.end(), is_nul)) return;
  reconstruct_formatting();
}

// Text that is not blank opens the elements that it needs, up to the body.
void Tree::text_before_body(bool blank) {
  if (blank) return;
  if (mode_ <= Mode::kBeforeHtml) open_html();
  if (mode_ == Mode::kBeforeHead) open_head();
  if (mode_ == Mode::kInHeadNoscript) {
    open_.pop();
    mode_ = Mode::kInHead;
  }
  if (mode_ == Mode::kInHead) {
    open_.pop();
    mode_ = Mode::kAfterHead;
  }
  open_body();
}

void Tree::html_start(Tag& tag) {
  while (start_in(mode_, tag) == Next::kAgain) {
  }
}

void Tree::html_end(Tag& tag) {
  while (end_in(mode_, tag) == Next::kAgain) {
  }
}

Tree::Next Tree::start_in(Mode mode, Tag& tag) {
  switch (mode) {
    case Mode::kInitial: mode_ = Mode::kBeforeHtml; return Next::kAgain;
    case Mode::kBeforeHtml: return start_before_html(tag);
    case Mode::kBeforeHead: return start_before_head(tag);
    case Mode::kInHead: return start_in_head(tag);
    case Mode::kInHeadNoscript: return start_in_head_noscript(tag);
    case Mode::kAfterHead: return start_after_head(tag);
    case Mode::kInBody: return start_in_body(tag);
    case Mode::kInTable: return start_in_table(tag);
    case Mode::kInCaption: return start_in_caption(tag);
    case Mode::kInColumnGroup: return start_in_column_group(tag);
    case Mode::kInTableBody: return start_in_table_body(tag);
    case Mode::kInRow: return start_in_row(tag);
    case Mode::kInCell: return start_in_cell(tag);
    case Mode::kInTemplate: return start_in_template(tag);
    case Mode::kAfterBody:
    case Mode::kAfterAfterBody:
      if (tag.element == kHtml) return start_in_body(tag);
      mode_ = Mode::kInBody;
      return Next::kAgain;
    case Mode::kInFrameset: return start_in_frameset(tag);
    case Mode::kAfterFrameset:
    case Mode::kAfterAfterFrameset: return start_after_frameset(tag);
  }
  return Next::kDone;
}

Tree::Next Tree::end_in(Mode mode, Tag& tag) {
  switch (mode) {
    case Mode::kInBody: return end_in_body(tag);
    case Mode::kInTable: return end_in_table(tag);
    case Mode::kInCaption: return end_in_caption(tag);
    case Mode::kInColumnGroup: return end_in_column_group(tag);
    case Mode::kInTableBody: return end_in_table_body(tag);
    case Mode::kInRow: return end_in_row(tag);
    case Mode::kInCell: return end_in_cell(tag);
    case Mode::kInTemplate:
      if (tag.element == kTemplate) end_template();
      return Next::kDone;
    case Mode::kAfterBody:
    case Mode::kAfterAfterBody:
      if (mode == Mode::kAfterBody && tag.element == kHtml) {
        mode_ = Mode::kAfterAfterBody;
        return Next::kDone;
      }
      mode_ = Mode::kInBody;
      return Next::kAgain;
    case Mode::kInFrameset: return end_in_frameset(tag);
    case Mode::kAfterFrameset:
      if (tag.element == kHtml) mode_ = Mode::kAfterAfterFrameset;
      return Next::kDone;
    case Mode::kAfterAfterFrameset: return Next::kDone;
    default: return end_before_head_modes(mode, tag);
  }
}

// --- foreign content (13.2.6.5) ---

bool Tree::at_integration_point() const {
  return is_mathml_text_point(open_.top()) || is_html_point(open_.top());
}

void Tree::leave_foreign() {
  while (in_foreign() && !at_integration_point()) open_.pop();
}

// Returns false if the tag ends the foreign content and must be read as HTML.
bool Tree::foreign_start(Tag& tag) {
  if (breaks_out(tag.token)) {
    leave_foreign();
    return false;
  }
  const Namespace name_space = open_.top().name_space;
  tag.place.inserted = true;
  tag.place.element = tag.element;
  tag.place.name_space = name_space;
  const bool integration = name_space == Namespace::kMath && tag.element == kAnnotationXml &&
                           is_html_encoding(tag.token.find("encoding"));
  if (tag.token.self_closing) {
    tell({tag.name, name_space, &tag.token});
  } else {
    push(tag.name, name_space, integration, &tag.token);
  }
  return true;
}

// --- before the body (13.2.6.4.1 to 13.2.6.4.6) ---

void Tree::open_html(const Token* token) {
  push(code_of(kHtml), Namespace::kHtml, false, token);
  mode_ = Mode::kBeforeHead;
}

void Tree::open_head(const Token* token) {
  push(code_of(kHead), Namespace::kHtml, false, token);
  head_seen_ = true;
  mode_ = Mode::kInHead;
}

void Tree::open_body(const Token* token) {
  push(code_of(kBody), Namespace::kHtml, false, token);
  body_seen_ = true;
  mode_ = Mode::kInBody;
}

Tree::Next Tree::start_before_html(Tag& tag) {
  open_html(tag.element == kHtml ? &tag.token : nullptr);
  if (tag.element != kHtml) return Next::kAgain;
  tag.place.inserted = true;
  tag.place.element = kHtml;
  return Next::kDone;
}

Tree::Next Tree::start_before_head(Tag& tag) {
  if (tag.element == kHtml) return start_in_body(tag);
  open_head(tag.element == kHead ? &tag.token : nullptr);
  if (tag.element != kHead) return Next::kAgain;
  tag.place.inserted = true;
  tag.place.element = kHead;
  return Next::kDone;
}

Tree::Next Tree::start_in_head(Tag& tag) {
  switch (tag.element) {
    case kHtml: return start_in_body(tag);
    case kBase:
    case kBasefont:
    case kBgsound:
    case kLink:
    case kMeta: insert_void(tag); return Next::kDone;
    case kTitle: insert_raw(tag, TextMode::kRcdata); return Next::kDone;
    case kNoframes:
    case kStyle: insert_raw(tag, TextMode::kRawtext); return Next::kDone;
    case kScript: insert_raw(tag, TextMode::kScript); return Next::kDone;
    case kTemplate: start_template(tag); return Next::kDone;
    default: break;
  }
  // The rest applies in the head itself, not where other modes borrow these rules.
  if (tag.element == kHead) return Next::kDone;
  if (tag.element == kNoscript) {
    insert(tag);
    mode_ = Mode::kInHeadNoscript;
    return Next::kDone;
  }
  open_.pop();
  mode_ = Mode::kAfterHead;
  return Next::kAgain;
}

Tree::Next Tree::start_in_head_noscript(Tag& tag) {
  switch (tag.element) {
    case kHtml: return start_in_body(tag);
    case kBasefont:
    case kBgsound:
    case kLink:
    case kMeta:
    case kNoframes:
    case kStyle: return start_in_head(tag);
    case kHead:
    case kNoscript: return Next::kDone;
    default: break;
  }
  open_.pop();
  mode_ = Mode::kInHead;
  return Next::kAgain;
}

Tree::Next Tree::start_after_head(Tag& tag) {
  if (tag.element == kHtml) return start_in_body(tag);
  if (tag.element == kHead) return Next::kDone;
  if (tag.element == kFrameset) {
    insert(tag);
    mode_ = Mode::kInFrameset;
    return Next::kDone;
  }
  if (has_flag(tag.element, kHeadFlag)) return start_in_head(tag);
  open_body(tag.element == kBody ? &tag.token : nullptr);
  if (tag.element != kBody) return Next::kAgain;
  frameset_ok_ = false;
  tag.place.inserted = true;
  tag.place.element = kBody;
  return Next::kDone;
}

Tree::Next Tree::end_before_head_modes(Mode mode, Tag& tag) {
  const bool opens = tag.element == kBody || tag.element == kHtml || tag.element == kBr;
  switch (mode) {
    case Mode::kInitial: mode_ = Mode::kBeforeHtml; return Next::kAgain;
    case Mode::kBeforeHtml:
      if (!opens && tag.element != kHead) return Next::kDone;
      open_html();
      return Next::kAgain;
    case Mode::kBeforeHead:
      if (!opens && tag.element != kHead) return Next::kDone;
      open_head();
      return Next::kAgain;
    case Mode::kInHead: return end_in_head(tag);
    case Mode::kInHeadNoscript:
      if (tag.element != kNoscript && tag.element != kBr) return Next::kDone;
      open_.pop();
      mode_ = Mode::kInHead;
      return tag.element == kBr ? Next::kAgain : Next::kDone;
    default: break;  // after head
  }
  if (tag.element == kTemplate) end_template();
  if (!opens) return Next::kDone;
  open_body();
  return Next::kAgain;
}

Tree::Next Tree::end_in_head(Tag& tag) {
  switch (tag.element) {
    case kTemplate: end_template(); return Next::kDone;
    case kHead:
      open_.pop();
      mode_ = Mode::kAfterHead;
      return Next::kDone;
    case kBody:
    case kHtml:
    case kBr:
      open_.pop();
      mode_ = Mode::kAfterHead;
      return Next::kAgain;
    default: return Next::kDone;
  }
}

// --- framesets (13.2.6.4.20 to 13.2.6.4.23) ---

Tree::Next Tree::start_in_frameset(Tag& tag) {
  switch (tag.element) {
    case kHtml: return start_in_body(tag);
    case kFrameset: insert(tag); return Next::kDone;
    case kFrame: insert_void(tag); return Next::kDone;
    case kNoframes: return start_in_head(tag);
    default: return Next::kDone;
  }
}

Tree::Next Tree::start_after_frameset(Tag& tag) {
  if (tag.element == kHtml) return start_in_body(tag);
  return tag.element == kNoframes ? start_in_head(tag) : Next::kDone;
}

Tree::Next Tree::end_in_frameset(Tag& tag) {
  if (tag.element != kFrameset || open_.size() <= 1) return Next::kDone;
  open_.pop();
  if (!open_.top_is(kFrameset)) mode_ = Mode::kAfterFrameset;
  return Next::kDone;
}

// --- templates and the mode to go back to (13.2.4.1) ---

void Tree::start_template(Tag& tag) {
  insert(tag);
  add_marker();
  frameset_ok_ = false;
  mode_ = Mode::kInTemplate;
  if (template_modes_.size() < OpenElements::kMaxDepth) template_modes_.push_back(mode_);
}

void Tree::end_template() {
  if (!open_.has(kTemplate)) return;
  pop_through(kTemplate);
  clear_formatting_to_marker();
  if (!template_modes_.empty()) template_modes_.pop_back();
  reset_mode();
}

void Tree::reset_mode() {
  using Choice = std::pair<Element, Mode>;
  constexpr Choice kChoices[] = {
      {kTd, Mode::kInCell},
      {kTh, Mode::kInCell},
      {kTr, Mode::kInRow},
      {kTbody, Mode::kInTableBody},
      {kThead, Mode::kInTableBody},
      {kTfoot, Mode::kInTableBody},
      {kCaption, Mode::kInCaption},
      {kColgroup, Mode::kInColumnGroup},
      {kTable, Mode::kInTable},
      {kTemplate, Mode::kInTemplate},
      {kHead, Mode::kInHead},
      {kBody, Mode::kInBody},
      {kFrameset, Mode::kInFrameset},
  };
  std::int32_t topmost = OpenElements::kNone;
  mode_ = head_seen_ ? Mode::kAfterHead : Mode::kBeforeHead;
  for (const auto& [element, mode] : kChoices) {
    if (open_.last(element) <= topmost) continue;
    topmost = open_.last(element);
    mode_ = mode;
  }
  if (mode_ == Mode::kInTemplate && !template_modes_.empty()) mode_ = template_modes_.back();
}

// --- common steps ---

void Tree::insert(Tag& tag) {
  tag.place.inserted = true;
  tag.place.element = tag.element;
  push(tag.name, Namespace::kHtml, false, &tag.token);
}

void Tree::insert_void(Tag& tag) {
  tag.place.inserted = true;
  tag.place.element = tag.element;
  if (observer_ != nullptr) tell({code_of(tag.element), Namespace::kHtml, &tag.token});
}

// The element is never pushed: only its end tag can follow its text.
void Tree::insert_raw(Tag& tag, TextMode text) {
  insert_void(tag);
  tag.place.text = text;
  raw_text_ = text != TextMode::kPlaintext;
}

void Tree::generate_implied_end_tags(NameCode except) {
  while (!open_.empty()) {
    const OpenElements::Entry& top = open_.top();
    if (top.name_space != Namespace::kHtml || top.name >= kElementCount || top.name == except)
      return;
    if (!has_flag(static_cast<Element>(top.name), kImpliedFlag)) return;
    open_.pop();
  }
}

void Tree::pop_through(std::int32_t index) {
  open_.pop_to(static_cast<std::size_t>(index));
  formatting_pending_ = !formatting_.empty();
}

}  // namespace spinneret::html
