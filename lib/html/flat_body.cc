// SPDX-License-Identifier: Apache-2.0
#include "html/flat_body.h"

namespace spinneret::html {
namespace {

using enum Element;

// Whether the element may pass within <noscript> and leaves that open.
bool is_word_of_noscript(Element element) {
  switch (element) {
    case kA:
    case kB:
    case kBr:
    case kEm:
    case kI:
    case kIframe:
    case kImg:
    case kInput:
    case kLink:
    case kMeta:
    case kScript:
    case kSmall:
    case kSpan:
    case kStrong:
    case kStyle:
    case kTextarea: return true;
    default: return false;
  }
}

// Whether the element is one of these and has an end tag.
bool ends_in_noscript(Element element) {
  return is_word_of_noscript(element) && !has_flag(element, kVoidFlag);
}

TextMode text_mode_of(Element element) {
  switch (element) {
    case kTitle:
    case kTextarea: return TextMode::kRcdata;
    case kScript: return TextMode::kScript;
    case kPlaintext: return TextMode::kPlaintext;
    case kStyle:
    case kNoframes:
    case kXmp:
    case kIframe:
    case kNoembed: return TextMode::kRawtext;
    default: return TextMode::kData;
  }
}

void make(const Token& token, Placement& place) {
  place = {};
  place.inserted = true;
  place.element = token.element == kImage ? kImg : token.element;
  place.text = text_mode_of(token.element);
}

}  // namespace

void FlatBody::begin(std::size_t position, const Tree& tree) {
  ++runs_;
  state_ = State::kOpen;
  begun_ = position;
  const OpenElements& open = tree.open();
  stack_ = open.size();
  form_ = tree.has_form();
  has_body_ = stack_ > 1 && open[1].name == code_of(kBody);
  marks_ = {};
  marks_.paragraph = open.has(kP);
  for (const Element fence : {kApplet, kButton, kMarquee, kObject})
    marks_.below = marks_.below || (marks_.paragraph && open.has(fence));
}

// Beyond its bound the tree's stack keeps nothing, so that a unit would not be open there.
bool FlatBody::has_room(std::size_t position) const {
  constexpr std::size_t kShortestTag = 3;
  constexpr std::size_t kReserve = 1024;
  return stack_ + kReserve + (position - begun_) / kShortestTag < OpenElements::kMaxDepth;
}

bool FlatBody::open_unit(State state, const Token& token, std::size_t position, Placement& place) {
  if (!has_room(position)) return false;
  make(token, place);
  state_ = state;
  depth_ = 0;
  in_doubt_ = false;
  return true;
}

bool FlatBody::start(const Token& token, std::size_t position, bool may_link, Placement& place) {
  switch (state_) {
    case State::kOff: return false;
    case State::kSvg: return start_in_svg(token, place);
    case State::kNoscript: return start_in_noscript(token, may_link, place);
    case State::kSelect:
      if (token.element != kOption && token.element != kOptgroup) return false;
      make(token, place);
      return true;
    case State::kOpen: break;
  }
  switch (token.element) {
    case kNoscript: return open_unit(State::kNoscript, token, position, place);
    case kSelect: return open_unit(State::kSelect, token, position, place);
    case kTemplate:
      if (!has_room(position)) return false;
      make(token, place);
      ++templates_;
      return true;
    case kSvg:
      if (!open_unit(State::kSvg, token, position, place)) return false;
      place.name_space = Namespace::kSvg;
      depth_ = 1;
      open_[0] = code_of(kSvg);
      if (token.self_closing) state_ = State::kOpen;
      return true;
    default: return start_in_open(token, may_link, place);
  }
}

bool FlatBody::start_in_open(const Token& token, bool may_link, Placement& place) {
  marks_.start(mark_of(token.element));
  switch (token.element) {
    case kMath: return false;
    case kHtml:
    case kBody:
    case kHead:
    case kFrame:
    case kFrameset:
      place = {};
      place.element = token.element;
      place.merged =
          templates_ == 0 && (token.element == kHtml || (token.element == kBody && has_body_));
      return true;
    case kForm: return start_form(token, may_link, place);
    // If a <col> is the first tag in a template, nothing else may follow there.
    case kCol:
      if (templates_ != 0) return false;
      break;
    default: break;
  }
  // Only the tree can say whether a part of a table is made. That does not matter if nothing is
  // wanted of it.
  if (has_flag(token.element, kTablePartFlag)) {
    place = {};
    return !may_link;
  }
  make(token, place);
  return true;
}

// Inside a template a form is always made, except in a table.
bool FlatBody::start_form(const Token& token, bool may_link, Placement& place) {
  place = {};
  if (templates_ != 0) return !may_link;
  if (!form_) make(token, place);
  form_ = true;
  return true;
}

bool FlatBody::close(const Token& token) {
  switch (state_) {
    case State::kOff: return false;
    case State::kSvg: return close_in_svg(token);
    case State::kNoscript: return close_in_noscript(token.element);
    case State::kSelect:
      if (token.element == kSelect) state_ = State::kOpen;
      return token.element == kSelect || token.element == kOption || token.element == kOptgroup;
    case State::kOpen: break;
  }
  if (templates_ != 0) {
    if (token.element == kTemplate) --templates_;
    return true;
  }
  if (token.element == kP) marks_.end_paragraph();
  if (token.element == kForm) form_ = false;
  return true;
}

// --- noscript (13.2.6.4.7, "any other start tag") ---

// A block closes a <p> that is open around the <noscript>, and the <noscript> with it. Unless it is
// certain that no <p> is open, only the tree knows. As long as blocks are closed in order, this
// matters only for the context of links.
bool FlatBody::start_in_noscript(const Token& token, bool may_link, Placement& place) {
  const bool block = has_flag(token.element, kBlockFlag | kHeadingFlag);
  if (!block && !is_word_of_noscript(token.element)) return false;
  if (block) {
    const bool on_block = depth_ != 0;
    const auto top = static_cast<Element>(on_block ? open_[depth_ - 1] : 0);
    if (depth_ == kMaxOpen || top == kP || has_flag(top, kHeadingFlag)) return false;
    open_[depth_++] = code_of(token.element);
    in_doubt_ = in_doubt_ || marks_.may_have_paragraph();
  }
  const bool has_links = may_link || token.element == kScript || token.element == kStyle;
  if (in_doubt_ && has_links) return false;
  make(token, place);
  return true;
}

bool FlatBody::close_in_noscript(Element element) {
  if (element == kNoscript) {
    if (depth_ == 0) state_ = State::kOpen;
    return depth_ == 0;
  }
  if (depth_ == 0 || open_[depth_ - 1] != code_of(element)) return ends_in_noscript(element);
  --depth_;
  return true;
}

// --- svg (13.2.6.5) ---

// Most names of HTML end the SVG content.
bool FlatBody::start_in_svg(const Token& token, Placement& place) {
  const auto top = open_[depth_ - 1];
  // The content of these is HTML again.
  if (top == code_of(kTitle) || top == code_of(kDesc)) return false;
  switch (token.element) {
    case kUnknown:
    case kA:
    case kDesc:
    case kImage:
    case kScript:
    case kStyle:
    case kSvg:
    case kTitle:
    case kUse: break;
    default: return false;
  }
  if (!token.self_closing) {
    if (depth_ == kMaxOpen) return false;
    open_[depth_++] = name_code(token.element, token.name);
  }
  place = {};
  place.inserted = true;
  place.element = token.element;
  place.name_space = Namespace::kSvg;
  return true;
}

bool FlatBody::close_in_svg(const Token& token) {
  const NameCode name = name_code(token.element, token.name);
  if (token.element == kP || token.element == kBr) return false;
  std::size_t at = depth_;
  while (at != 0 && open_[at - 1] != name) --at;
  if (at == 0) return false;
  depth_ = at - 1;
  if (depth_ == 0) state_ = State::kOpen;
  return true;
}

}  // namespace spinneret::html
