// SPDX-License-Identifier: Apache-2.0
// Tree construction: "in body" (13.2.6.4.7), active formatting elements (13.2.4.3).
#include <algorithm>

#include "base/ascii.h"
#include "html/tree.h"

namespace spinneret::html {

using enum Element;

namespace {

constexpr NameCode kMarker = 0;

}  // namespace

bool is_hidden_input(const Token& token) {
  const Attribute* const type = token.find("type");
  return type != nullptr && equals_ignore_case(type->value, "hidden");
}

namespace {

const Token kBareToken;

// Whether the element's end tag merely pops it if it is the current node.
constexpr bool closes_simply(Element element) {
  return has_flag(element, kBlockFlag | kHeadingFlag) || element == kSpan || element == kLi;
}

}  // namespace

Placement Tree::plain_start_of_no_block(Element element) {
  // An <a> or <nobr> may close another.
  const bool formatting = has_flag(element, kFormattingFlag) && element != kNobr &&
                          (element != kA || find_formatting(code_of(kA)) == formatting_.size());
  if (formatting || element == kSpan) {
    reconstruct_formatting();
    open_.push_plain(element);
    if (formatting) add_formatting(code_of(element));
    return {.inserted = true, .element = element};
  }
  Tag tag{kBareToken, element, code_of(element)};
  html_start(tag);
  return tag.place;
}

void Tree::plain_end(Element element) {
  if (open_.top().name == code_of(element) && closes_simply(element)) {
    open_.pop_plain();
    formatting_pending_ = !formatting_.empty();
    return;
  }
  // The element was opened last, and nothing is open inside it.
  if (!formatting_.empty() && formatting_.back().name == code_of(element) &&
      formatting_.back().index == static_cast<std::int32_t>(open_.size()) - 1 &&
      is_open(formatting_.back())) {
    formatting_.pop_back();
    open_.pop_plain();
    return;
  }
  Tag tag{kBareToken, element, code_of(element)};
  html_end(tag);
}

Tree::Next Tree::start_in_body(Tag& tag) {
  const std::uint16_t flags = kElementFlags[index_of(tag.element)];
  if ((flags & kHeadFlag) != 0) return start_in_head(tag);
  if ((flags & kTablePartFlag) != 0) return Next::kDone;
  if ((flags & kBlockFlag) != 0) {
    if (tag.element == kPre || tag.element == kListing) frameset_ok_ = false;
    close_p();
    insert(tag);
    return Next::kDone;
  }
  if ((flags & kFormattingFlag) != 0 || flags == 0 || tag.element == kSpan)
    return start_ordinary(tag);
  if ((flags & kHeadingFlag) != 0) {
    close_p();
    if (open_.top().name < kElementCount && !in_foreign() &&
        has_flag(static_cast<Element>(open_.top().name), kHeadingFlag)) {
      open_.pop();
    }
    insert(tag);
    return Next::kDone;
  }
  if (start_document_part(tag) || start_void(tag) || start_raw_text(tag) || start_list_item(tag)) {
    return Next::kDone;
  }
  return start_ordinary(tag);
}

// Handles html, body, frameset and the tags that "in body" ignores.
bool Tree::start_document_part(Tag& tag) {
  const bool has_body = open_.size() > 1 && open_[1].name == code_of(kBody);
  switch (tag.element) {
    case kHtml: tag.place.merged = !in_template(); break;
    case kBody:
      if (!has_body || in_template()) break;
      frameset_ok_ = false;
      tag.place.merged = true;
      break;
    case kFrameset:
      if (!has_body || !frameset_ok_) break;
      tag.place.dropped_body = true;
      open_.pop_to(1);
      insert(tag);
      mode_ = Mode::kInFrameset;
      break;
    case kHead:
    case kFrame: break;
    default: return false;
  }
  tag.place.element = tag.element;
  return true;
}

bool Tree::start_void(Tag& tag) {
  switch (tag.element) {
    case kArea:
    case kBr:
    case kEmbed:
    case kImg:
    case kKeygen:
    case kWbr:
      reconstruct_formatting();
      frameset_ok_ = false;
      break;
    case kInput:
      if (open_.in_scope(kSelect)) pop_through(kSelect);
      reconstruct_formatting();
      frameset_ok_ = frameset_ok_ && is_hidden_input(tag.token);
      break;
    case kHr:
      close_p();
      if (open_.in_scope(kSelect)) generate_implied_end_tags();
      frameset_ok_ = false;
      break;
    case kParam:
    case kSource:
    case kTrack: break;
    default: return false;
  }
  insert_void(tag);
  return true;
}

bool Tree::start_raw_text(Tag& tag) {
  switch (tag.element) {
    case kPlaintext:
      close_p();
      insert_raw(tag, TextMode::kPlaintext);
      return true;
    case kTextarea:
      frameset_ok_ = false;
      insert_raw(tag, TextMode::kRcdata);
      return true;
    case kXmp:
      close_p();
      reconstruct_formatting();
      [[fallthrough]];
    case kIframe: frameset_ok_ = false; [[fallthrough]];
    case kNoembed: insert_raw(tag, TextMode::kRawtext); return true;
    default: return false;
  }
}

bool Tree::start_list_item(Tag& tag) {
  if (tag.element != kLi && tag.element != kDd && tag.element != kDt) return false;
  frameset_ok_ = false;
  const std::int32_t stop = open_.last_list_stop();
  if (stop != OpenElements::kNone) {
    const OpenElements::Entry& node = open_[static_cast<std::size_t>(stop)];
    const bool same = tag.element == kLi ? node.name == code_of(kLi)
                                         : node.name == code_of(kDd) || node.name == code_of(kDt);
    if (same && node.name_space == Namespace::kHtml) pop_through(stop);
  }
  close_p();
  insert(tag);
  return true;
}

void Tree::start_form(Tag& tag) {
  if (form_ != OpenElements::kNone && !in_template()) return;
  close_p();
  insert(tag);
  if (!in_template()) form_ = static_cast<std::int32_t>(open_.size()) - 1;
}

void Tree::start_foreign_root(Tag& tag) {
  reconstruct_formatting();
  tag.place.inserted = true;
  tag.place.element = tag.element;
  tag.place.name_space = tag.element == kSvg ? Namespace::kSvg : Namespace::kMath;
  if (tag.token.self_closing) {
    tell({tag.name, tag.place.name_space, &tag.token});
  } else {
    push(tag.name, tag.place.name_space, false, &tag.token);
  }
}

// Handles elements with a scope of their own.
void Tree::start_object(Tag& tag) {
  reconstruct_formatting();
  insert(tag);
  add_marker();
  frameset_ok_ = false;
}

void Tree::start_table(Tag& tag) {
  if (!quirks_) close_p();
  insert(tag);
  frameset_ok_ = false;
  mode_ = Mode::kInTable;
}

// Closes what the start of an option, an optgroup or a part of a ruby closes.
void Tree::close_alike(Element element) {
  if (element == kOption || element == kOptgroup) {
    if (open_.in_scope(kSelect)) {
      generate_implied_end_tags(element == kOption ? code_of(kOptgroup) : 0);
    } else if (open_.top_is(kOption)) {
      open_.pop();
    }
  } else if (open_.in_scope(kRuby)) {
    generate_implied_end_tags(element == kRp || element == kRt ? code_of(kRtc) : 0);
  }
}

// Closes an open a or nobr where another begins.
void Tree::close_anchor(const Tag& tag) {
  const std::size_t open = find_formatting(tag.name);
  if (open == formatting_.size() || (tag.element == kNobr && !open_.in_scope(kNobr))) return;
  end_formatting(tag.name);
  // The agency leaves an <a> that is out of scope; it must be removed all the same.
  const std::size_t left = find_formatting(tag.name);
  if (tag.element != kA || left == formatting_.size()) return;
  if (is_open(formatting_[left])) open_.remove(static_cast<std::size_t>(formatting_[left].index));
  formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(left));
}

// Handles what precedes the opening of an ordinary element. Returns false if the tag is done.
bool Tree::prepare_ordinary(Tag& tag) {
  switch (tag.element) {
    case kButton:
      if (open_.in_scope(kButton)) pop_through(kButton);
      frameset_ok_ = false;
      return true;
    case kSelect:
      if (open_.in_scope(kSelect)) return pop_through(kSelect), false;
      frameset_ok_ = false;
      return true;
    case kOptgroup:
    case kOption: close_alike(tag.element); return true;
    case kRb:
    case kRtc:
    case kRp:
    case kRt:
      close_alike(tag.element);
      insert(tag);
      return false;
    case kA:
    case kNobr: close_anchor(tag); return true;
    default: return true;
  }
}

Tree::Next Tree::start_ordinary(Tag& tag) {
  switch (tag.element) {
    case kForm: start_form(tag); return Next::kDone;
    case kSvg:
    case kMath: start_foreign_root(tag); return Next::kDone;
    case kImage:
      tag.element = kImg;
      start_void(tag);
      return Next::kDone;
    case kApplet:
    case kMarquee:
    case kObject: start_object(tag); return Next::kDone;
    case kTable: start_table(tag); return Next::kDone;
    default: break;
  }
  if (!prepare_ordinary(tag)) return Next::kDone;
  reconstruct_formatting();
  insert(tag);
  if (has_flag(tag.element, kFormattingFlag)) add_formatting(tag.name);
  return Next::kDone;
}

Tree::Next Tree::end_in_body(Tag& tag) {
  switch (tag.element) {
    case kTemplate: end_template(); break;
    case kBody:
    case kHtml:
      if (!open_.in_scope(kBody)) break;
      mode_ = Mode::kAfterBody;
      return tag.element == kHtml ? Next::kAgain : Next::kDone;
    case kForm: end_form(); break;
    case kP:
      if (open_.in_button_scope(kP)) {
        pop_through(kP);
      } else {
        tell({code_of(kP)});
      }
      break;
    case kLi:
      if (open_.in_list_item_scope(kLi)) pop_through(kLi);
      break;
    case kBr:
      reconstruct_formatting();
      tell({code_of(kBr)});
      frameset_ok_ = false;
      break;
    case kApplet:
    case kMarquee:
    case kObject:
      if (!open_.in_scope(tag.element)) break;
      pop_through(tag.element);
      clear_formatting_to_marker();
      break;
    default: end_by_flags(tag); break;
  }
  return Next::kDone;
}

// Ends elements by the rule of their category.
void Tree::end_by_flags(const Tag& tag) {
  const std::uint16_t flags = kElementFlags[index_of(tag.element)];
  const bool block = (flags & kBlockFlag) != 0 || tag.element == kDd || tag.element == kDt ||
                     tag.element == kSelect || tag.element == kButton;
  if (block) {
    end_block(tag.name);
  } else if ((flags & kFormattingFlag) != 0) {
    end_formatting(tag.name);
  } else if ((flags & kHeadingFlag) != 0) {
    end_heading();
  } else {
    end_any_other(tag.name);
  }
}

void Tree::end_block(NameCode name) {
  if (open_.in_scope(name)) pop_through(open_.last(name));
}

void Tree::end_heading() {
  std::int32_t topmost = OpenElements::kNone;
  for (const Element heading : {kH1, kH2, kH3, kH4, kH5, kH6}) {
    if (open_.in_scope(heading)) topmost = std::max(topmost, open_.last(heading));
  }
  if (topmost != OpenElements::kNone) pop_through(topmost);
}

void Tree::end_form() {
  if (in_template()) return end_block(code_of(kForm));
  const std::int32_t form = form_;
  form_ = OpenElements::kNone;
  // The topmost open form is the one that the pointer means: no other is made while it is set.
  if (form == OpenElements::kNone || open_.last(kForm) != form || !open_.in_scope(kForm)) return;
  generate_implied_end_tags();
  open_.remove(static_cast<std::size_t>(form));
  formatting_pending_ = !formatting_.empty();
}

void Tree::end_any_other(NameCode name) {
  const std::int32_t match = open_.last(name);
  if (match != OpenElements::kNone && match >= open_.last_special()) pop_through(match);
}

// --- active formatting elements ---

bool Tree::is_open(const Formatting& entry) const {
  return entry.index >= 0 && static_cast<std::size_t>(entry.index) < open_.size() &&
         open_[static_cast<std::size_t>(entry.index)].name == entry.name;
}

// Returns the index of the last entry with that name behind the last marker, or size().
std::size_t Tree::find_formatting(NameCode name) const {
  for (std::size_t i = formatting_.size(); i-- > 0 && formatting_[i].name != kMarker;) {
    if (formatting_[i].name == name) return i;
  }
  return formatting_.size();
}

void Tree::add_formatting(NameCode name) {
  int same = 0;
  int named = 0;
  for (std::size_t i = formatting_.size(); i-- > 0 && formatting_[i].name != kMarker;) {
    if (formatting_[i].name != name) continue;
    constexpr int kMostUnlike = 16;
    const bool counts = observer_ == nullptr || ++named >= kMostUnlike ||
                        observer_->alike(formatting_[i].number, made_);
    if (!counts || (++same < 3 && named < kMostUnlike)) continue;
    formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  formatting_.push_back({name, static_cast<std::int32_t>(open_.size()) - 1, made_});
}

void Tree::add_marker() {
  if (formatting_.size() < OpenElements::kMaxDepth)
    formatting_.push_back({kMarker, OpenElements::kNone});
}

void Tree::clear_formatting_to_marker() {
  while (!formatting_.empty()) {
    const NameCode name = formatting_.back().name;
    formatting_.pop_back();
    if (name == kMarker) break;
  }
  formatting_pending_ = !formatting_.empty();
}

void Tree::reconstruct_formatting() {
  if (!formatting_pending_) return;
  formatting_pending_ = false;
  std::size_t first = formatting_.size();
  while (first > 0 && formatting_[first - 1].name != kMarker && !is_open(formatting_[first - 1])) {
    --first;
  }
  for (; first < formatting_.size(); ++first) {
    Formatting& entry = formatting_[first];
    if (!push(entry.name, Namespace::kHtml, false, nullptr, entry.number)) return;
    entry.number = made_;
    entry.index = static_cast<std::int32_t>(open_.size()) - 1;
  }
}

// The adoption agency (13.2.6.4.7), as far as it shows on the stack. If no special element is open
// above the formatting element, that is closed with all that it holds. Otherwise it is removed, and
// whatever is open above the last special element is closed.
void Tree::end_formatting(NameCode name) {
  const std::size_t at = find_formatting(name);
  if (at == formatting_.size()) return end_any_other(name);
  const Formatting entry = formatting_[at];
  const bool open = is_open(entry);
  if (open && !open_.in_scope(name)) return;
  formatting_.erase(formatting_.begin() + static_cast<std::ptrdiff_t>(at));
  if (!open) return;
  const std::int32_t special = open_.last_special();
  if (special < entry.index) return pop_through(entry.index);
  open_.pop_to(static_cast<std::size_t>(special) + 1);
  if (observer_ != nullptr) adopt(entry, special);
  open_.remove(static_cast<std::size_t>(entry.index));
  formatting_pending_ = !formatting_.empty();
}

// Removes the entries in between that are neither special nor formatting elements, from the top
// down, so that each is found at once in the chain of its name.
void Tree::adopt(const Formatting& entry, std::int32_t special) {
  for (std::int32_t at = special; --at > entry.index;) {
    const OpenElements::Entry& open = open_[static_cast<std::size_t>(at)];
    if (open.name == kMarker || open.special == at) continue;
    bool formatting = false;
    for (std::size_t i = formatting_.size(); i-- > 0 && formatting_[i].name != kMarker;)
      formatting = formatting || (formatting_[i].index == at && formatting_[i].name == open.name);
    if (!formatting) open_.remove(static_cast<std::size_t>(at));
  }
  observer_->adopted(static_cast<std::size_t>(entry.index));
}

}  // namespace spinneret::html
