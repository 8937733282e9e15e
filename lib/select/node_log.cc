// SPDX-License-Identifier: Apache-2.0
#include "select/node_log.h"

#include <algorithm>

namespace spinneret::select {

void NodeLog::clear(std::size_t expected) {
  constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;
  if (nodes_.capacity() * sizeof(Node) > kKeepAtMost) std::vector<Node>().swap(nodes_);
  nodes_.clear();
  nodes_.reserve(std::min(expected, kMaxNodes / 4));
  nodes_.emplace_back();
}

void NodeLog::link(NodeId node, NodeId parent, NodeId before) {
  Node& own = nodes_[node];
  own.parent = parent;
  own.next = before;
  own.previous = before != 0 ? nodes_[before].previous : nodes_[parent].last;
  (own.previous != 0 ? nodes_[own.previous].next : nodes_[parent].first) = node;
  (before != 0 ? nodes_[before].previous : nodes_[parent].last) = node;
}

void NodeLog::unlink(NodeId node) {
  Node& own = nodes_[node];
  (own.previous != 0 ? nodes_[own.previous].next : nodes_[own.parent].first) = own.next;
  (own.next != 0 ? nodes_[own.next].previous : nodes_[own.parent].last) = own.previous;
  own.previous = own.next = 0;
}

NodeId NodeLog::add(const Node& node, NodeId parent, NodeId before) {
  if (nodes_.size() >= kMaxNodes) return 0;
  nodes_.push_back(node);
  const auto id = static_cast<NodeId>(nodes_.size() - 1);
  link(id, parent, before);
  return id;
}

NodeId NodeLog::copy(NodeId node) {
  if (nodes_.size() >= kMaxNodes) return 0;
  Node copied = nodes_[node];
  copied.parent = copied.previous = copied.next = copied.first = copied.last = 0;
  copied.has_more = false;
  nodes_.push_back(copied);
  return static_cast<NodeId>(nodes_.size() - 1);
}

void NodeLog::move_children(NodeId from, NodeId to) {
  nodes_[to].first = nodes_[from].first;
  nodes_[to].last = nodes_[from].last;
  nodes_[from].first = nodes_[from].last = 0;
  for (NodeId child = nodes_[to].first; child != 0; child = nodes_[child].next)
    nodes_[child].parent = to;
}

NodeId NodeLog::next(NodeId node, NodeId root, bool skipped) const {
  if (!skipped && nodes_[node].first != 0 && descends(node)) return nodes_[node].first;
  while (node != root) {
    if (nodes_[node].next != 0) return nodes_[node].next;
    node = nodes_[node].parent;
  }
  return 0;
}

NodeId NodeLog::child(NodeId parent, html::Element element) const {
  NodeId node = nodes_[parent].first;
  while (node != 0 && !nodes_[node].is(element)) node = nodes_[node].next;
  return node;
}

}  // namespace spinneret::select
