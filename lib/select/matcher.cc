// SPDX-License-Identifier: Apache-2.0
#include "select/matcher.h"

#include <algorithm>

namespace spinneret::select {
namespace {

constexpr std::size_t kMaxFrameBytes = std::size_t{64} << 20;
constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;

template <typename T>
void shrink(std::vector<T>& vector) {
  if (vector.capacity() * sizeof(T) > kKeepAtMost) std::vector<T>().swap(vector);
}

}  // namespace

// --- positions among siblings ---

void Positions::count_children(const PageNodes& page, const Program& program, NodeId parent,
                               bool from_end) {
  const bool plain = program.asks_nth(from_end, false);
  const bool typed = program.asks_nth(from_end, true);
  const auto step = [&](NodeId node) { return from_end ? page[node].previous : page[node].next; };
  const NodeId begin = from_end ? page[parent].last : page[parent].first;
  constexpr std::size_t kForeign = html::OpenElements::kNameCodes;
  const auto key = [&](const Node& node) {
    return node.name + (node.name_space == html::Namespace::kHtml ? 0 : kForeign);
  };
  std::uint32_t count = 0;
  for (NodeId node = begin; node != 0; node = step(node)) {
    if (!page[node].is_element()) continue;
    if (plain) positions_[from_end][false][node] = ++count;
    if (typed) positions_[from_end][true][node] = ++type_counts_[key(page[node])];
  }
  if (!typed) return;
  for (NodeId node = begin; node != 0; node = step(node)) type_counts_[key(page[node])] = 0;
}

void Positions::count(const PageNodes& page, const Program& program) {
  for (const bool from_end : {false, true}) {
    bool asked = false;
    for (const bool of_type : {false, true}) {
      if (!program.asks_nth(from_end, of_type)) continue;
      asked = true;
      shrink(positions_[from_end][of_type]);
      positions_[from_end][of_type].assign(page.size(), 0);
      if (of_type) type_counts_.resize(2 * html::OpenElements::kNameCodes);
    }
    if (!asked) continue;
    for (NodeId node = 0; node < page.size(); ++node) {
      if (page[node].is_element() && page[node].first != 0)
        count_children(page, program, node, from_end);
    }
  }
}

// --- open elements ---

void Frames::clear(std::size_t depth) {
  shrink(bits_);
  shrink(frames_);
  frames_.clear();
  frames_.reserve(depth + 2);
  const std::size_t most = kMaxFrameBytes / sizeof(Word);
  const std::size_t size = std::min((depth + 2) * kSets * words_, most);
  if (bits_.size() < size) bits_.resize(size);
}

bool Frames::push(NodeId node, NodeId child) {
  const std::size_t size = (frames_.size() + 1) * kSets * words_;
  if (size * sizeof(Word) > kMaxFrameBytes) return false;
  if (bits_.size() < size) bits_.resize(std::max(size, bits_.size() + bits_.size() / 2));
  frames_.push_back({node, child, false});
  std::fill_n(sets(), kSets * words_, Word{0});
  if (counters_ == 0) return true;
  const std::size_t counters = frames_.size() * counters_;
  if (counts_.size() < counters) counts_.resize(2 * counters);
  std::fill_n(&counts_[counters - counters_], counters_, 0);
  return true;
}

// --- a page ---

Matcher::Matcher(const Program& program)
    : program_(program),
      locals_(program),
      words_(program.words()),
      frames_(words_, program.counters()),
      here_(words_),
      target_seen_(program.targets()),
      nested_seen_(program.nested()),
      kept_bit_(program.nested(), kNone) {
  for (std::size_t i = 0; i < program.kept().size(); ++i)
    kept_bit_[program.kept()[i]] = static_cast<std::uint32_t>(i);
}

void Matcher::read(std::string_view document, std::string_view http_charset, std::size_t piece,
                   html::Syntax syntax) {
  cut_ = false;
  locals_.begin_page();
  nodes_.read(document, http_charset, locals_, piece, syntax);
}

void Matcher::run(MatchTaker& taker) {
  if (words_ == 0) return;
  shrink(has_bits_);
  shrink(kept_bits_);
  positions_.count(nodes_, program_);
  if (program_.has() != 0) {
    has_bits_.assign(nodes_.size(), 0);
    kept_bits_.assign(program_.kept().empty() ? 0 : nodes_.size(), 0);
    if (!program_.kept().empty()) {
      walk_ = Walk::kLists;
      walk_forward(nullptr);
    }
    walk_ = Walk::kBackward;
    walk_backward();
  }
  walk_ = Walk::kAll;
  walk_forward(&taker);
}

bool Matcher::push(NodeId node) {
  if (frames_.push(node, nodes_[node].last)) return true;
  cut_ = true;
  return false;
}

// --- conditions ---

bool Matcher::holds(const Condition& condition, NodeId node) {
  using Kind = Condition::Kind;
  const Node& own = nodes_[node];
  switch (condition.kind) {
    case Kind::kRoot: return own.parent == 0;
    case Kind::kScope: return target_seen_[condition.id] == node;
    case Kind::kEmpty: return own.first == 0 || !nodes_.descends(node);
    case Kind::kNth: return condition.nth.holds(positions_.of(node, condition.nth));
    case Kind::kNthOf: return condition.nth.holds(frames_.counter(condition.id));
    case Kind::kHas: return (has_bits_[node] >> condition.id & 1) != 0;
    case Kind::kIs:
    case Kind::kNot: break;
  }
  const bool in = walk_ == Walk::kBackward ? (kept_bits_[node] >> kept_bit_[condition.id] & 1) != 0
                                           : nested_seen_[condition.id] == node;
  return in == (condition.kind == Kind::kIs);
}

bool Matcher::conditions_hold(const Step& step, NodeId node) {
  return std::all_of(step.conditions.begin(), step.conditions.end(),
                     [&](const Condition& condition) { return holds(condition, node); });
}

// --- from the start to the end ---

// Notes that a step has matched: once for an element, even if several rows of a list match.
void Matcher::finish_step(const Step& step, std::uint32_t number, NodeId node) {
  if (step.leads) here_[number / 64] |= Word{1} << (number % 64);
  if (step.target != kNone && target_seen_[step.target] != node) {
    target_seen_[step.target] = node;
    targets_.push_back(step.target);
  }
  if (step.nested == kNone || nested_seen_[step.nested] == node) return;
  nested_seen_[step.nested] = node;
  const std::uint32_t counter = program_.counter_of(step.nested);
  if (counter != kNone) ++frames_.counter(counter);
  if (walk_ == Walk::kLists && kept_bit_[step.nested] != kNone)
    kept_bits_[node] |= Word{1} << kept_bit_[step.nested];
}

void Matcher::judge_forward(NodeId node) {
  constexpr Frames::Set kReaches[] = {Frames::kSets, Frames::kInner, Frames::kOwn, Frames::kNear,
                                      Frames::kFar};  // by Combinator
  const Word* const parent = frames_.sets();
  const std::uint32_t* steps = locals_.steps(nodes_[node].value);
  for (std::uint32_t i = 1; i <= steps[0]; ++i) {
    const std::uint32_t number = steps[i];
    const Step& step = program_.steps()[number];
    if (step.backward || (walk_ == Walk::kLists && step.waits)) continue;
    if (step.before != Combinator::kNone &&
        !has_bit(parent, kReaches[static_cast<std::size_t>(step.before)], number - 1))
      continue;
    if (conditions_hold(step, node)) finish_step(step, number, node);
  }
}

void Matcher::walk_forward(MatchTaker* taker) {
  std::fill(target_seen_.begin(), target_seen_.end(), 0);
  std::fill(nested_seen_.begin(), nested_seen_.end(), 0);
  frames_.clear(nodes_.depth());
  if (!push(0)) return;
  NodeId node = nodes_[0].first;
  while (true) {
    while (node == 0 && !frames_.empty()) {
      const Frames::Frame frame = frames_.top();
      frames_.pop();
      if (frame.watched) taker->left(frame.node);
      if (!frames_.empty()) node = nodes_[frame.node].next;
    }
    if (node == 0) return;
    if (!nodes_[node].is_element()) {
      node = nodes_[node].next;
      continue;
    }
    std::fill(here_.begin(), here_.end(), Word{0});
    targets_.clear();
    judge_forward(node);
    Word* const parent = frames_.sets();
    for (std::size_t w = 0; w < words_; ++w) {
      parent[Frames::kNear * words_ + w] = here_[w];
      parent[Frames::kFar * words_ + w] |= here_[w];
    }
    const bool watched = taker != nullptr && !targets_.empty() && taker->matched(node, targets_);
    if (nodes_[node].first == 0 || !nodes_.descends(node) || !push(node)) {
      if (watched) taker->left(node);
      node = nodes_[node].next;
      continue;
    }
    frames_.top().watched = watched;
    Word* const own = frames_.sets();
    const Word* const above = frames_.sets(1);
    for (std::size_t w = 0; w < words_; ++w) {
      own[Frames::kInner * words_ + w] = above[Frames::kInner * words_ + w] | here_[w];
      own[Frames::kOwn * words_ + w] = here_[w];
    }
    node = nodes_[node].first;
  }
}

// --- from the end to the start ---

// `own` are the sets of the element's content; nullptr if it has none.
void Matcher::judge_backward(NodeId node, const Word* own) {
  Word* const parent = frames_.sets();
  std::fill(here_.begin(), here_.end(), Word{0});
  const auto reaches = [&](std::uint32_t number) {
    switch (program_.steps()[number].before) {
      case Combinator::kDescendant: return own != nullptr && has_bit(own, Frames::kInner, number);
      case Combinator::kChild: return own != nullptr && has_bit(own, Frames::kOwn, number);
      case Combinator::kNext: return has_bit(parent, Frames::kNear, number);
      case Combinator::kSubsequent: return has_bit(parent, Frames::kFar, number);
      case Combinator::kNone: break;
    }
    return false;
  };
  const std::uint32_t* steps = locals_.steps(nodes_[node].value);
  for (std::uint32_t i = 1; i <= steps[0]; ++i) {
    const std::uint32_t number = steps[i];
    const Step& step = program_.steps()[number];
    if (!step.backward || (step.leads && !reaches(number + 1))) continue;
    if (conditions_hold(step, node)) here_[number / 64] |= Word{1} << (number % 64);
  }
  for (const std::uint32_t number : program_.has_steps()) {
    if (reaches(number)) has_bits_[node] |= Word{1} << program_.steps()[number].has;
  }
  for (std::size_t w = 0; w < words_; ++w) {
    const Word below = own != nullptr ? own[Frames::kInner * words_ + w] : 0;
    parent[Frames::kInner * words_ + w] |= here_[w] | below;
    parent[Frames::kOwn * words_ + w] |= here_[w];
    parent[Frames::kNear * words_ + w] = here_[w];
    parent[Frames::kFar * words_ + w] |= here_[w];
  }
}

void Matcher::walk_backward() {
  frames_.clear(nodes_.depth());
  if (!push(0)) return;
  while (true) {
    Frames::Frame& frame = frames_.top();
    const NodeId node = frame.child;
    if (node == 0) {
      const NodeId done = frame.node;
      if (frames_.size() == 1) return;
      frames_.pop();
      judge_backward(done, frames_.popped());
      continue;
    }
    frame.child = nodes_[node].previous;
    if (!nodes_[node].is_element()) continue;
    if (nodes_[node].first != 0 && nodes_.descends(node) && push(node)) continue;
    judge_backward(node, nullptr);
  }
}

}  // namespace spinneret::select
