// SPDX-License-Identifier: Apache-2.0
// The stack of open elements (HTML 13.2.4.2) without a tree. It answers every question of tree
// construction about open elements in constant time, so that each of a million nested elements
// costs no more than each of ten.
//
//   entries_:   html  body  div  p  svg  a      each entry knows the nearest special element
//                 0     1    2   3   4   5      and the nearest scope boundary at or below it,
//   last_[div] = 2, entries_[2].previous = -1   and the entry of its own name below it
//
// A name is an Element or, for other names, a code made from a hash. There are 16,384 codes; two
// unknown names with the same code are treated as one, which shows only where their tags are
// crossed.
//
// There are at most kMaxDepth entries; elements opened beyond that are not pushed. Not thread-safe.
#ifndef SPINNERET_HTML_OPEN_ELEMENTS_H_
#define SPINNERET_HTML_OPEN_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "html/element.h"

namespace spinneret::html {

enum class Namespace : std::uint8_t { kHtml, kSvg, kMath };

// An Element, or a code for a name that is not one.
using NameCode = std::uint16_t;
constexpr NameCode code_of(Element element) { return static_cast<NameCode>(element); }
NameCode name_code(Element element, std::string_view raw_name);
// Whether browsers never show the content of this element of SVG or MathML. Such elements are: a
// style sheet, a script or metadata; an annotation, which repeats the formula beside it in another
// notation, such as TeX. (SVG's <title> and <desc> are read out, and the content of <defs> or
// <symbol> is shown where it is used.)
bool is_unseen(NameCode name, Namespace name_space);

// Is told when elements leave the stack of open elements.
class StackObserver {
 public:
  virtual ~StackObserver() = default;
  // The entry at `index` is closed. It is either the topmost entry, or one from the middle (index +
  // 1 < size) above which all others stay.
  virtual void closed(std::size_t index) = 0;
};

class OpenElements {
 public:
  static constexpr std::size_t kMaxDepth = std::size_t{1} << 18;
  static constexpr std::size_t kNameCodes = std::size_t{1} << 14;
  static constexpr std::int32_t kNone = -1;

  struct Entry {
    NameCode name = 0;
    Namespace name_space = Namespace::kHtml;
    bool html_integration = false;  // of annotation-xml: whether its attributes make it one
    // The next entry below with the same name and sort (HTML or foreign).
    std::int32_t previous = kNone;
    std::int32_t scope = kNone;      // nearest boundary of "in scope", possibly this entry
    std::int32_t special = kNone;    // nearest special element, possibly this entry
    std::int32_t list_stop = kNone;  // nearest special element other than address, div and p
  };

  OpenElements();

  // Sets the observer, which is borrowed; nullptr means none.
  void set_observer(StackObserver* observer) { observer_ = observer; }

  // Empties the stack, and releases memory that only a very deep page needs.
  void clear();
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const Entry& top() const { return entries_.back(); }
  const Entry& operator[](std::size_t index) const { return entries_[index]; }
  bool top_is(Element element) const {
    return !entries_.empty() && top().name == code_of(element) &&
           top().name_space == Namespace::kHtml;
  }

  // Returns false if the stack is full; the element then does not count as open.
  bool push(NameCode name, Namespace name_space = Namespace::kHtml, bool html_integration = false);
  // The same as push() for a known HTML element on top of the body, without the checks that such an
  // element does not need.
  void push_plain(Element element) {
    const auto index = static_cast<std::int32_t>(entries_.size());
    if (entries_.size() >= kMaxDepth) return;
    const Entry& below = entries_.back();
    const bool special = has_flag(element, kSpecialFlag);
    const bool passed =
        element == Element::kAddress || element == Element::kDiv || element == Element::kP;
    std::int32_t& last = last_[code_of(element)];
    const Entry entry{code_of(element),
                      Namespace::kHtml,
                      false,
                      last,
                      has_flag(element, kScopeFlag) ? index : below.scope,
                      special ? index : below.special,
                      special && !passed ? index : below.list_stop};
    last = index;
    entries_.push_back(entry);
  }
  // Pops the topmost entry, which must be an HTML element and not the root. There must be no
  // observer.
  void pop_plain() {
    const Entry& entry = entries_.back();
    last_[entry.name] = entry.previous;
    entries_.pop_back();
    // Entries that were removed from the middle go together with the entry above them.
    if (top().name == 0) pop_to(entries_.size());
  }
  // Pops the topmost entry, but never the root.
  void pop() {
    if (entries_.size() > 1) pop_to(entries_.size() - 1);
  }
  // Leaves the `size` lowest entries, or fewer if the topmost of these were removed.
  void pop_to(std::size_t size);
  // Removes an entry from the middle: it is no longer found, and no longer a boundary.
  void remove(std::size_t index);

  // Index of the topmost open HTML element with that name, or kNone.
  std::int32_t last(NameCode name) const { return last_[name]; }
  std::int32_t last(Element element) const { return last_[code_of(element)]; }
  bool has(Element element) const { return last(element) != kNone; }
  // Does the same for foreign elements.
  std::int32_t last_foreign(NameCode name) const { return last_[kNameCodes + name]; }
  bool has_foreign() const { return foreign_ != 0; }
  std::size_t foreign() const { return foreign_; }
  // Index of the topmost HTML element, or kNone.
  std::int32_t last_html() const;

  // "Has an element in ... scope" (13.2.4.2).
  bool in_scope(NameCode name) const;
  bool in_scope(Element element) const { return in_scope(code_of(element)); }
  bool in_button_scope(Element element) const;
  bool in_list_item_scope(Element element) const;
  bool in_table_scope(Element element) const;
  // Index of the topmost special element, or kNone.
  std::int32_t last_special() const { return nearest(&Entry::special); }
  // Index of the topmost special element other than address, div and p, at which the search for an
  // open li ends.
  std::int32_t last_list_stop() const { return nearest(&Entry::list_stop); }

 private:
  std::int32_t nearest(std::int32_t Entry::*field) const;
  std::int32_t scope_boundary() const { return entries_.empty() ? kNone : top().scope; }
  std::int32_t& last_of(const Entry& entry) {
    return last_[entry.name + (entry.name_space == Namespace::kHtml ? 0 : kNameCodes)];
  }

  std::vector<Entry> entries_;
  std::vector<std::int32_t> last_;  // by name: first for HTML elements, then for foreign ones
  std::vector<std::int32_t> runs_;  // indexes of HTML elements that are followed by a foreign one
  std::size_t foreign_ = 0;         // number of open foreign elements
  StackObserver* observer_ = nullptr;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_OPEN_ELEMENTS_H_
