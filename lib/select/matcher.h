// SPDX-License-Identifier: Apache-2.0
// Runs a Program over a page, in one walk along its nodes. A stack holds what has matched at each
// open element.
//
//   Program program; program.add(list, kNone, target, why); program.finish();
//   Matcher matcher(program);
//   matcher.read(document, "utf-8");
//   matcher.run(taker);                // calls taker.matched(node, targets) in document order
//
// Cost: linear in the page and in the steps that the names of its elements call up, whatever the
// selectors. :has() takes a second walk, :nth-child() and the like one along the siblings. Memory:
// that of PageNodes, and for :has() 8 bytes a node. Elements that are nested deeper than 64 MiB of
// matches allow are skipped. Not thread-safe.
#ifndef SPINNERET_SELECT_MATCHER_H_
#define SPINNERET_SELECT_MATCHER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "select/nodes.h"
#include "select/program.h"

namespace spinneret::select {

class MatchTaker {
 public:
  virtual ~MatchTaker() = default;
  // Receives the targets of an element in ascending order. If it returns true, left() is called at
  // the end of the element's content.
  virtual bool matched(NodeId node, std::span<const std::uint32_t> targets) = 0;
  virtual void left(NodeId) {}
};

// The positions of nodes among their siblings: from the start and from the end, among all elements
// and among those with the same name.
class Positions {
 public:
  // Counts the positions that the program asks for.
  void count(const PageNodes& page, const Program& program);
  std::uint32_t of(NodeId node, const Nth& nth) const {
    return positions_[nth.from_end][nth.of_type][node];
  }

 private:
  void count_children(const PageNodes& page, const Program& program, NodeId parent, bool from_end);

  std::vector<std::uint32_t> positions_[2][2];
  std::vector<std::uint32_t> type_counts_;
};

// What has matched at each open element: sets of steps, and counters for :nth-child(of).
class Frames {
 public:
  using Word = std::uint64_t;
  // The meaning of the sets:
  //
  //            forward: what has matched at     backward: what has matched at
  //   kInner   the element or around it         any descendant
  //   kOwn     the element                      any child
  //   kNear    its last child                   the next sibling
  //   kFar     any child                        any later sibling
  enum Set : std::size_t { kInner, kOwn, kNear, kFar, kSets };
  struct Frame {
    NodeId node;
    NodeId child;  // backward: the next child to look at
    // Whether the taker waits for left().
    bool watched;
  };

  Frames(std::size_t words, std::size_t counters) : words_(words), counters_(counters) {}

  // `depth` is the number of elements that are likely to be open at once, so that nothing is copied
  // while it grows.
  void clear(std::size_t depth);
  // Returns false if there is no room for the frame.
  bool push(NodeId node, NodeId child);
  void pop() { frames_.pop_back(); }
  bool empty() const { return frames_.empty(); }
  std::size_t size() const { return frames_.size(); }
  Frame& top() { return frames_.back(); }
  // The kSets sets, one behind the other, of the topmost frame, or of that `below` frames under it.
  Word* sets(std::size_t below = 0) {
    return &bits_[(frames_.size() - 1 - below) * kSets * words_];
  }
  Word* popped() { return &bits_[frames_.size() * kSets * words_]; }
  std::uint32_t& counter(std::uint32_t id) {
    return counts_[(frames_.size() - 1) * counters_ + id];
  }

 private:
  std::size_t words_;
  std::size_t counters_;
  std::vector<Frame> frames_;
  std::vector<Word> bits_;
  std::vector<std::uint32_t> counts_;
};

class Matcher {
 public:
  // The program is borrowed, and must be finished.
  explicit Matcher(const Program& program);

  void read(std::string_view document, std::string_view http_charset, std::size_t piece = 0,
            html::Syntax syntax = html::Syntax::kHtml);
  void run(MatchTaker& taker);
  PageNodes& page() { return nodes_; }
  // Whether elements were skipped, or the page was read only in part.
  bool cut() const { return cut_ || nodes_.cut(); }

 private:
  using Word = Frames::Word;
  // The purpose of a walk: lists inside :has(), the arguments of :has(), or all steps.
  enum class Walk : std::uint8_t { kLists, kBackward, kAll };

  bool push(NodeId node);
  void walk_forward(MatchTaker* taker);
  void walk_backward();
  void judge_forward(NodeId node);
  void judge_backward(NodeId node, const Word* own);
  void finish_step(const Step& step, std::uint32_t number, NodeId node);
  bool holds(const Condition& condition, NodeId node);
  bool conditions_hold(const Step& step, NodeId node);
  bool has_bit(const Word* sets, Frames::Set set, std::uint32_t bit) const {
    return (sets[set * words_ + bit / 64] >> (bit % 64) & 1) != 0;
  }

  const Program& program_;
  LocalSets locals_;
  PageNodes nodes_;
  std::size_t words_;
  Positions positions_;
  Frames frames_;
  std::vector<Word> here_;              // what has matched at the present element
  std::vector<std::uint32_t> targets_;  // those of the present element
  std::vector<NodeId> target_seen_;     // by target: the last element that matched
  std::vector<NodeId> nested_seen_;
  std::vector<std::uint32_t> kept_bit_;  // by nested list, for those in :has()
  std::vector<Word> has_bits_;           // by node
  std::vector<Word> kept_bits_;
  bool cut_ = false;
  Walk walk_ = Walk::kAll;
};

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_MATCHER_H_
