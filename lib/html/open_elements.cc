// SPDX-License-Identifier: Apache-2.0
#include "html/open_elements.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret::html {
namespace {

// FNV-1a over the lower-case name.
std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(to_lower(c))) * 16777619u;
  return hash ^ (hash >> 15);
}

// The special elements of MathML and SVG are also boundaries of every scope, except the table
// scope.
bool is_foreign_boundary(NameCode name, Namespace name_space) {
  if (name >= kElementCount) return false;
  switch (static_cast<Element>(name)) {
    case Element::kMi:
    case Element::kMo:
    case Element::kMn:
    case Element::kMs:
    case Element::kMtext:
    case Element::kAnnotationXml: return name_space == Namespace::kMath;
    case Element::kForeignObject:
    case Element::kDesc:
    case Element::kTitle: return name_space == Namespace::kSvg;
    default: return false;
  }
}

bool has_html_flag(NameCode name, std::uint16_t flag) {
  return name < kElementCount && has_flag(static_cast<Element>(name), flag);
}

bool is_passed_by_lists(NameCode name) {
  return name == code_of(Element::kAddress) || name == code_of(Element::kDiv) ||
         name == code_of(Element::kP);
}

}  // namespace

NameCode name_code(Element element, std::string_view raw_name) {
  if (element != Element::kUnknown) return code_of(element);
  constexpr std::size_t kCodes = OpenElements::kNameCodes - kElementCount;
  return static_cast<NameCode>(kElementCount + hash_of(raw_name) % kCodes);
}

bool is_unseen(NameCode name, Namespace name_space) {
  static const NameCode kMetadata = name_code(Element::kUnknown, "metadata");
  static const NameCode kAnnotation = name_code(Element::kUnknown, "annotation");
  if (name_space == Namespace::kMath)
    return name == kAnnotation || name == code_of(Element::kAnnotationXml);
  return name_space == Namespace::kSvg && (name == code_of(Element::kStyle) ||
                                           name == code_of(Element::kScript) || name == kMetadata);
}

OpenElements::OpenElements() : last_(2 * kNameCodes, kNone) {}

bool OpenElements::push(NameCode name, Namespace name_space, bool html_integration) {
  if (entries_.size() >= kMaxDepth) return false;
  const auto index = static_cast<std::int32_t>(entries_.size());
  Entry entry{name,
              name_space,
              html_integration,
              kNone,
              scope_boundary(),
              entries_.empty() ? kNone : top().special,
              entries_.empty() ? kNone : top().list_stop};
  if (name_space == Namespace::kHtml) {
    if (has_html_flag(name, kScopeFlag)) entry.scope = index;
    if (has_html_flag(name, kSpecialFlag)) entry.special = index;
    if (entry.special == index && !is_passed_by_lists(name)) entry.list_stop = index;
  } else {
    if (is_foreign_boundary(name, name_space))
      entry.scope = entry.special = entry.list_stop = index;
    if (foreign_++ == 0 || top().name_space == Namespace::kHtml) runs_.push_back(index - 1);
  }
  std::int32_t& last = last_of(entry);
  entry.previous = last;
  last = index;
  entries_.push_back(entry);
  return true;
}

void OpenElements::pop_to(std::size_t size) {
  while (entries_.size() > size || (!entries_.empty() && top().name == 0)) {
    const Entry& entry = entries_.back();
    // A removed entry has the name 0 and is in no chain.
    if (entry.name != 0) {
      if (observer_ != nullptr) observer_->closed(entries_.size() - 1);
      last_of(entry) = entry.previous;
      if (entry.name_space != Namespace::kHtml) --foreign_;
    }
    entries_.pop_back();
    if (!runs_.empty() && runs_.back() + 1 == static_cast<std::int32_t>(entries_.size())) {
      runs_.pop_back();
    }
  }
}

void OpenElements::clear() {
  constexpr std::size_t kKeepAtMost = std::size_t{1} << 16;  // entries
  pop_to(0);
  if (entries_.capacity() > kKeepAtMost) std::vector<Entry>().swap(entries_);
}

void OpenElements::remove(std::size_t index) {
  if (index + 1 == entries_.size()) return pop();
  if (observer_ != nullptr) observer_->closed(index);
  Entry& entry = entries_[index];
  const auto at = static_cast<std::int32_t>(index);
  std::int32_t* link = &last_of(entry);
  while (*link != at) link = &entries_[static_cast<std::size_t>(*link)].previous;
  *link = entry.previous;
  entry.name = 0;
}

std::int32_t OpenElements::last_html() const {
  if (entries_.empty()) return kNone;
  const bool foreign = top().name_space != Namespace::kHtml;
  return foreign ? runs_.back() : static_cast<std::int32_t>(entries_.size()) - 1;
}

bool OpenElements::in_scope(NameCode name) const {
  return last(name) != kNone && last(name) >= scope_boundary();
}

bool OpenElements::in_button_scope(Element element) const {
  return last(element) != kNone &&
         last(element) >= std::max(scope_boundary(), last(Element::kButton));
}

bool OpenElements::in_list_item_scope(Element element) const {
  const std::int32_t list = std::max(last(Element::kOl), last(Element::kUl));
  return last(element) != kNone && last(element) >= std::max(scope_boundary(), list);
}

bool OpenElements::in_table_scope(Element element) const {
  const std::int32_t boundary =
      std::max({last(Element::kHtml), last(Element::kTable), last(Element::kTemplate)});
  return last(element) != kNone && last(element) >= boundary;
}

std::int32_t OpenElements::nearest(std::int32_t Entry::*field) const {
  auto index = static_cast<std::int32_t>(entries_.size()) - 1;
  while (index >= 0) {
    const std::int32_t found = entries_[static_cast<std::size_t>(index)].*field;
    if (found == kNone || entries_[static_cast<std::size_t>(found)].name != 0) return found;
    index = found - 1;  // the found entry has been removed
  }
  return kNone;
}

}  // namespace spinneret::html
