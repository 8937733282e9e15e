// SPDX-License-Identifier: Apache-2.0
// A tree as a flat log: nodes in the order in which they were made, each with the numbers of its
// neighbours.
//
//   0 document   1 html   2 head   3 body   4 table   5 div (fostered: before the table)
//                parent 0 parent 1 parent 1 parent 3  parent 3, next 4
//
// A node takes 36 bytes; there are at most kMaxNodes. Not thread-safe.
#ifndef SPINNERET_SELECT_NODE_LOG_H_
#define SPINNERET_SELECT_NODE_LOG_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "html/element.h"
#include "html/open_elements.h"

namespace spinneret::select {

using NodeId = std::uint32_t;  // 0: the document, or no node

struct Node {
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  enum class Kind : std::uint8_t { kElement, kText, kRawText };

  NodeId parent = 0;
  NodeId previous = 0;
  NodeId next = 0;
  NodeId first = 0;
  NodeId last = 0;
  std::uint32_t begin = kNowhere;  // of the start tag or the text; kNowhere: implied
  std::uint32_t value = 0;         // an element: the judge's answer; a text: its end
  html::NameCode name = 0;
  html::Namespace name_space = html::Namespace::kHtml;
  Kind kind = Kind::kElement;
  bool has_more = false;  // attributes of a second tag were added to the element
  bool hidden = false;    // the element has the attribute of this name

  bool is_element() const { return kind == Kind::kElement; }
  bool is(html::Element element) const {
    return is_element() && name == html::code_of(element) && name_space == html::Namespace::kHtml;
  }
};

class NodeLog {
 public:
  static constexpr std::size_t kMaxNodes = std::size_t{1} << 24;

  // Leaves only the document. `expected` is the likely number of nodes, so that the log is seldom
  // copied while it grows.
  void clear(std::size_t expected);
  bool full() const { return nodes_.size() == nodes_.capacity(); }
  void expect(std::size_t nodes) { nodes_.reserve(nodes < kMaxNodes ? nodes : kMaxNodes); }

  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeId node) const { return nodes_[node]; }
  Node& operator[](NodeId node) { return nodes_[node]; }

  // Adds a node as the last child, or `before` another one. Returns 0 if the log is full.
  NodeId add(const Node& node, NodeId parent, NodeId before = 0);
  // Copies a node. The copy has the original's tag, and so its attributes, but no content; it has
  // no place until link(). Returns 0 if the log is full.
  NodeId copy(NodeId node);
  void link(NodeId node, NodeId parent, NodeId before);
  void unlink(NodeId node);
  void move_children(NodeId from, NodeId to);

  // Whether the node's content counts as children. That of a template does not.
  bool descends(NodeId node) const { return !nodes_[node].is(html::Element::kTemplate); }
  // Returns the next node in document order inside `root` (which itself is not returned), or 0.
  // With `skipped` the content of `node` is skipped.
  NodeId next(NodeId node, NodeId root, bool skipped = false) const;
  // Returns the first child that is this HTML element, or 0.
  NodeId child(NodeId parent, html::Element element) const;

 private:
  std::vector<Node> nodes_;
};

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_NODE_LOG_H_
