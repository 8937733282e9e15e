// SPDX-License-Identifier: Apache-2.0
// Tree construction: tables and templates (13.2.6.4.9 to 13.2.6.4.16).
#include <algorithm>
#include <initializer_list>

#include "base/ascii.h"
#include "html/tree.h"

namespace spinneret::html {

using enum Element;

// The steps "clear the stack back to a table context" and the like.
void Tree::clear_to(std::initializer_list<Element> context) {
  std::int32_t topmost = std::max(open_.last(kTemplate), open_.last(kHtml));
  for (const Element element : context) topmost = std::max(topmost, open_.last(element));
  open_.pop_to(static_cast<std::size_t>(topmost) + 1);
  formatting_pending_ = !formatting_.empty();
}

// --- in table ---

Tree::Next Tree::start_in_table(Tag& tag) {
  const auto open_part = [&](Element implied, Mode mode) {
    clear_to({kTable});
    mode_ = mode;
    if (implied == kUnknown) return insert(tag), Next::kDone;
    push(code_of(implied));
    return Next::kAgain;
  };
  switch (tag.element) {
    case kCaption:
      clear_to({kTable});
      add_marker();
      return open_part(kUnknown, Mode::kInCaption);
    case kColgroup: return open_part(kUnknown, Mode::kInColumnGroup);
    case kCol: return open_part(kColgroup, Mode::kInColumnGroup);
    case kTbody:
    case kTfoot:
    case kThead: return open_part(kUnknown, Mode::kInTableBody);
    case kTd:
    case kTh:
    case kTr: return open_part(kTbody, Mode::kInTableBody);
    case kTable:
      if (!open_.in_table_scope(kTable)) return Next::kDone;
      pop_through(kTable);
      reset_mode();
      return Next::kAgain;
    case kStyle:
    case kScript:
    case kTemplate: return start_in_head(tag);
    case kForm:
      if (in_template() || form_ != OpenElements::kNone) return Next::kDone;
      insert_void(tag);
      // The form is inserted and closed at once; the pointer stays set.
      form_ = static_cast<std::int32_t>(OpenElements::kMaxDepth);
      return Next::kDone;
    default: return start_in_body(tag);  // foster-parented: its place does not matter here
  }
}

Tree::Next Tree::end_in_table(Tag& tag) {
  switch (tag.element) {
    case kTable:
      if (!open_.in_table_scope(kTable)) return Next::kDone;
      pop_through(kTable);
      reset_mode();
      return Next::kDone;
    case kBody:
    case kCaption:
    case kCol:
    case kColgroup:
    case kHtml:
    case kTbody:
    case kTd:
    case kTfoot:
    case kTh:
    case kThead:
    case kTr: return Next::kDone;
    default: return end_in_body(tag);
  }
}

// --- in caption ---

bool Tree::close_caption() {
  if (!open_.in_table_scope(kCaption)) return false;
  pop_through(kCaption);
  clear_formatting_to_marker();
  mode_ = Mode::kInTable;
  return true;
}

Tree::Next Tree::start_in_caption(Tag& tag) {
  if (!has_flag(tag.element, kTablePartFlag)) return start_in_body(tag);
  return close_caption() ? Next::kAgain : Next::kDone;
}

Tree::Next Tree::end_in_caption(Tag& tag) {
  if (tag.element == kTable) return close_caption() ? Next::kAgain : Next::kDone;
  if (tag.element == kCaption) {
    close_caption();
    return Next::kDone;
  }
  const bool ignored =
      has_flag(tag.element, kTablePartFlag) || tag.element == kBody || tag.element == kHtml;
  return ignored ? Next::kDone : end_in_body(tag);
}

// --- in column group ---

Tree::Next Tree::start_in_column_group(Tag& tag) {
  if (tag.element == kHtml) return start_in_body(tag);
  if (tag.element == kTemplate) return start_in_head(tag);
  if (tag.element == kCol) {
    insert_void(tag);
    return Next::kDone;
  }
  if (!open_.top_is(kColgroup)) return Next::kDone;
  open_.pop();
  mode_ = Mode::kInTable;
  return Next::kAgain;
}

Tree::Next Tree::end_in_column_group(Tag& tag) {
  if (tag.element == kTemplate) end_template();
  if (tag.element == kTemplate || tag.element == kCol || !open_.top_is(kColgroup))
    return Next::kDone;
  open_.pop();
  mode_ = Mode::kInTable;
  return tag.element == kColgroup ? Next::kDone : Next::kAgain;
}

// --- in table body ---

bool Tree::has_table_body_in_scope() const {
  return open_.in_table_scope(kTbody) || open_.in_table_scope(kThead) ||
         open_.in_table_scope(kTfoot);
}

void Tree::close_table_body() {
  clear_to({kTbody, kTfoot, kThead});
  open_.pop();
  mode_ = Mode::kInTable;
}

Tree::Next Tree::start_in_table_body(Tag& tag) {
  switch (tag.element) {
    case kTr:
      clear_to({kTbody, kTfoot, kThead});
      insert(tag);
      mode_ = Mode::kInRow;
      return Next::kDone;
    case kTh:
    case kTd:
      clear_to({kTbody, kTfoot, kThead});
      push(code_of(kTr));
      mode_ = Mode::kInRow;
      return Next::kAgain;
    case kCaption:
    case kCol:
    case kColgroup:
    case kTbody:
    case kTfoot:
    case kThead:
      if (!has_table_body_in_scope()) return Next::kDone;
      close_table_body();
      return Next::kAgain;
    default: return start_in_table(tag);
  }
}

Tree::Next Tree::end_in_table_body(Tag& tag) {
  switch (tag.element) {
    case kTbody:
    case kTfoot:
    case kThead:
      if (!open_.in_table_scope(tag.element)) return Next::kDone;
      break;
    case kTable:
      if (!has_table_body_in_scope()) return Next::kDone;
      break;
    default: return end_in_table(tag);  // it ignores the other tags to be ignored here
  }
  close_table_body();
  return tag.element == kTable ? Next::kAgain : Next::kDone;
}

// --- in row ---

bool Tree::close_row() {
  if (!open_.in_table_scope(kTr)) return false;
  clear_to({kTr});
  open_.pop();
  mode_ = Mode::kInTableBody;
  return true;
}

Tree::Next Tree::start_in_row(Tag& tag) {
  if (tag.element == kTh || tag.element == kTd) {
    clear_to({kTr});
    insert(tag);
    mode_ = Mode::kInCell;
    add_marker();
    return Next::kDone;
  }
  if (!has_flag(tag.element, kTablePartFlag)) return start_in_table(tag);
  return close_row() ? Next::kAgain : Next::kDone;
}

Tree::Next Tree::end_in_row(Tag& tag) {
  switch (tag.element) {
    case kTbody:
    case kTfoot:
    case kThead:
      if (!open_.in_table_scope(tag.element)) return Next::kDone;
      break;
    case kTr:
    case kTable: break;
    default: return end_in_table(tag);
  }
  return close_row() && tag.element != kTr ? Next::kAgain : Next::kDone;
}

// --- in cell ---

void Tree::close_cell() {
  pop_through(std::max(open_.last(kTd), open_.last(kTh)));
  clear_formatting_to_marker();
  mode_ = Mode::kInRow;
}

Tree::Next Tree::start_in_cell(Tag& tag) {
  if (!has_flag(tag.element, kTablePartFlag)) return start_in_body(tag);
  if (!open_.in_table_scope(kTd) && !open_.in_table_scope(kTh)) return Next::kDone;
  close_cell();
  return Next::kAgain;
}

Tree::Next Tree::end_in_cell(Tag& tag) {
  switch (tag.element) {
    case kTd:
    case kTh:
      if (!open_.in_table_scope(tag.element)) return Next::kDone;
      pop_through(tag.element);
      clear_formatting_to_marker();
      mode_ = Mode::kInRow;
      return Next::kDone;
    case kBody:
    case kCaption:
    case kCol:
    case kColgroup:
    case kHtml: return Next::kDone;
    case kTable:
    case kTbody:
    case kTfoot:
    case kThead:
    case kTr:
      if (!open_.in_table_scope(tag.element)) return Next::kDone;
      close_cell();
      return Next::kAgain;
    default: return end_in_body(tag);
  }
}

// --- in template ---

Tree::Next Tree::start_in_template(Tag& tag) {
  if (has_flag(tag.element, kHeadFlag)) return start_in_head(tag);
  Mode mode = Mode::kInBody;
  switch (tag.element) {
    case kCaption:
    case kColgroup:
    case kTbody:
    case kTfoot:
    case kThead: mode = Mode::kInTable; break;
    case kCol: mode = Mode::kInColumnGroup; break;
    case kTr: mode = Mode::kInTableBody; break;
    case kTd:
    case kTh: mode = Mode::kInRow; break;
    default: break;
  }
  if (!template_modes_.empty()) template_modes_.back() = mode;
  mode_ = mode;
  return Next::kAgain;
}

// --- reports to the observer ---

namespace {

// Whether the element is accepted in a table, being part of one or not.
bool stays_in_table(NameCode name, const Token* token) {
  if (token == nullptr)
    return name == code_of(kTbody) || name == code_of(kTr) || name == code_of(kColgroup);
  if (name >= kElementCount) return false;
  const auto element = static_cast<Element>(name);
  if (has_flag(element, kTablePartFlag)) return true;
  return element == kStyle || element == kScript || element == kTemplate || element == kForm ||
         (element == kInput && is_hidden_input(*token));
}

}  // namespace

bool Tree::fosters() const {
  if (open_.empty() || open_.top().name_space != Namespace::kHtml) return false;
  for (const Element part : {kTable, kTbody, kTr, kThead, kTfoot}) {
    if (open_.top().name == code_of(part)) return true;
  }
  return false;
}

std::uint32_t Tree::tell(const MadeElement& element) {
  if (observer_ == nullptr) return 0;
  MadeElement made = element;
  made.fostered = fosters() && !(element.name_space == Namespace::kHtml &&
                                 stays_in_table(element.name, element.token));
  return observer_->made(made);
}

void Tree::open_element(const Token& token, Namespace name_space) {
  const NameCode name = name_code(token.element, token.name);
  const bool room = open_.size() < OpenElements::kMaxDepth;
  if (observer_ != nullptr) made_ = observer_->made({name, name_space, &token, 0, room});
  open_.push(name, name_space);
}

// The observer is told before the element is pushed, while its parent is the current node.
bool Tree::push(NameCode name, Namespace name_space, bool integration, const Token* token,
                std::uint32_t original) {
  if (observer_ != nullptr) {
    const bool room = open_.size() < OpenElements::kMaxDepth;
    made_ = tell({name, name_space, token, original, room});
  }
  return open_.push(name, name_space, integration);
}

}  // namespace spinneret::html
