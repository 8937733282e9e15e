// SPDX-License-Identifier: Apache-2.0
#include "select/values.h"

#include <algorithm>

#include "base/ascii.h"
#include "html/entity.h"
#include "page/content.h"

namespace spinneret::select {

using html::Element;

namespace {

constexpr std::string_view kUrlAttributes[] = {
    "action", "background", "cite",     "classid",  "codebase", "data", "formaction", "href",
    "icon",   "itemid",     "longdesc", "manifest", "poster",   "src",  "usemap",     "xlink:href"};

// Whether the element stands on lines of its own, or is a cell.
bool is_block(const Node& node) {
  if (node.name_space != html::Namespace::kHtml || node.name >= html::kElementCount) return false;
  const auto element = static_cast<Element>(node.name);
  if (has_flag(element, html::kBlockFlag | html::kHeadingFlag | html::kTablePartFlag)) return true;
  switch (element) {
    case Element::kLi:
    case Element::kDd:
    case Element::kDt:
    case Element::kBr:
    case Element::kHr:
    case Element::kTable:
    case Element::kForm:
    case Element::kSelect:
    case Element::kOption:
    case Element::kOptgroup:
    case Element::kBody: return true;
    default: return false;
  }
}

bool is_unseen(const Node& node) {
  return node.hidden || html::is_unseen(node.name, node.name_space) || node.is(Element::kScript) ||
         node.is(Element::kStyle) || node.is(Element::kTemplate) || node.is(Element::kHead) ||
         node.is(Element::kNoframes) || node.is(Element::kIframe) || node.is(Element::kNoembed);
}

// Appends the text with white space folded. `blank` says whether white space is due before the next
// word.
void append_folded(std::string& out, std::string_view text, bool& blank) {
  for (std::size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      blank = true;
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && !is_space(text[end])) ++end;
    if (blank && !out.empty()) out += ' ';
    blank = false;
    out.append(text.substr(i, end - i));
    i = end;
  }
}

bool is_url_attribute(std::string_view name) {
  return std::find(std::begin(kUrlAttributes), std::end(kUrlAttributes), name) !=
         std::end(kUrlAttributes);
}

}  // namespace

void PageValues::begin(const Url& url, std::size_t page_bytes) {
  url_ = url;
  base_known_ = false;
  left_ = std::max(kMinBytes, 4 * page_bytes);
  cut_ = false;
  lines_.begin(page_.source(), 0);
}

bool PageValues::spend(std::size_t bytes) {
  if (bytes > left_) {
    cut_ = true;
    return false;
  }
  left_ -= bytes;
  return true;
}

void PageValues::append_text(std::string& out, NodeId node, bool& blank) {
  std::string_view words = page_.text(node);
  if (!spend(words.size())) return;
  if (page_[node].kind == Node::Kind::kText && html::value_bytes(words).special) {
    scratch_.clear();
    append_decoded(scratch_, words, html::EntityRules::kText);
    scratch_.erase(std::remove(scratch_.begin(), scratch_.end(), '\0'), scratch_.end());
    words = scratch_;
  }
  append_folded(out, words, blank);
}

std::string PageValues::text(NodeId root) {
  std::string out;
  bool blank = false;
  const bool own = is_unseen(page_[root]);
  const auto is_seen = [&](const Node& node) { return own || !is_unseen(node); };
  NodeId node = page_.descends(root) ? page_[root].first : 0;
  while (node != 0) {
    // Each node that is looked at is paid for, so that texts within each other keep to the bound
    // together.
    if (!spend(8)) return out;
    if (!page_[node].is_element()) {
      append_text(out, node, blank);
    } else if (is_seen(page_[node])) {
      blank = blank || is_block(page_[node]);
      if (page_[node].first != 0 && page_.descends(node)) {
        node = page_[node].first;
        continue;
      }
    }
    // Text behind the end of a block is on another line.
    while (true) {
      const Node& left = page_[node];
      blank = blank || (left.is_element() && is_seen(left) && is_block(left));
      if (left.next != 0) break;
      node = left.parent;
      if (node == root) return out;
    }
    node = page_[node].next;
  }
  return out;
}

std::string PageValues::source(NodeId node) {
  std::string out;
  for (NodeId child = page_[node].first; child != 0; child = page_[child].next) {
    if (page_[child].is_element()) continue;
    // In XML a script's text has references.
    if (page_[child].kind == Node::Kind::kText) {
      append_decoded(out, page_.text(child), html::EntityRules::kText);
    } else {
      out += page_.text(child);
    }
  }
  return out;
}

std::string PageValues::absolute(std::string_view value) {
  if (!base_known_) {
    base_known_ = true;
    base_ = url_;
    for (NodeId node = 0; (node = page_.next(node, 0)) != 0;) {
      if (!page_[node].is(Element::kBase)) continue;
      std::string declared;
      if (!page_.attribute(node, "href", declared)) continue;
      page::find_base(url_, true, declared, base_);
      break;
    }
  }
  Url out;
  if (!resolve(value, base_, out, nullptr, page_.charset().encoding->query_encoder()))
    return std::string(value);
  return std::string(out.href());
}

bool PageValues::attribute(NodeId node, std::string_view name, std::string& value) {
  if (!page_.attribute(node, name, value)) return false;
  if (is_url_attribute(name)) value = absolute(value);
  if (!spend(value.size())) value.clear();
  return true;
}

std::uint64_t PageValues::line_of(std::size_t offset) {
  lines_.move_to(offset);
  return lines_.line();
}

}  // namespace spinneret::select
