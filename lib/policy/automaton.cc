// SPDX-License-Identifier: Apache-2.0
#include "policy/automaton.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace spinneret::policy {
namespace {

using Bytes = std::bitset<128>;  // URLs are ASCII

constexpr std::size_t kMaxStates = 20'000;
constexpr std::size_t kMaxConfigurations = 8'000'000;
constexpr int kMaxDepth = 500;
constexpr std::uint32_t kNone = UINT32_MAX;

struct Node {
  enum class Kind : std::uint8_t { kEmpty, kBytes, kBegin, kEnd, kSequence, kChoice, kRepeat };
  Kind kind = Kind::kEmpty;
  Bytes bytes = {};
  std::vector<std::uint32_t> parts = {};
  std::uint32_t least = 0;  // of kRepeat
  std::uint32_t most = 0;   // kNone: no upper bound
};

Bytes range(unsigned first, unsigned last) {
  Bytes out;
  for (unsigned c = first; c <= last && c < out.size(); ++c) out.set(c);
  return out;
}

struct NamedBytes {
  std::string_view name;
  bool (*holds)(char);
};
constexpr NamedBytes kClasses[] = {
    {"alnum", is_alnum},
    {"alpha", is_alpha},
    {"digit", is_digit},
    {"lower", is_lower},
    {"upper", [](char c) { return is_alpha(c) && !is_lower(c); }},
    {"xdigit", is_hex},
    {"word", [](char c) { return is_alnum(c) || c == '_'; }},
    {"ascii", [](char) { return true; }},
    {"blank", [](char c) { return c == ' ' || c == '\t'; }},
    {"space", [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }},
    {"cntrl", [](char c) { return c < ' ' || c == 0x7F; }},
    {"graph", [](char c) { return c > ' ' && c < 0x7F; }},
    {"print", [](char c) { return c >= ' ' && c < 0x7F; }},
    {"punct", [](char c) { return c > ' ' && c < 0x7F && !is_alnum(c); }},
};

std::optional<Bytes> class_of(std::string_view name) {
  for (const NamedBytes& known : kClasses) {
    if (known.name != name) continue;
    Bytes out;
    for (unsigned c = 0; c < out.size(); ++c) out.set(c, known.holds(static_cast<char>(c)));
    return out;
  }
  return std::nullopt;
}

// Reads RE2 syntax that RE2 has accepted.
class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  // Returns nothing where the pattern has something that is not supported here.
  std::optional<Automaton> read() {
    std::uint32_t root = choice(0);
    if (failed_ || at_ != text_.size()) return std::nullopt;
    // The pattern is unanchored: any bytes may come before it and after it.
    const std::uint32_t any = repeat(bytes(~Bytes()), 0, kNone);
    root = add({.kind = Node::Kind::kSequence, .parts = {any, root, any}});
    const std::uint32_t match = state({.kind = State::Kind::kMatch});
    out_.start = compile(root, match);
    if (failed_) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool more() const { return !failed_ && at_ < text_.size(); }
  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool take(std::string_view what) {
    if (!looking_at(what)) return false;
    at_ += what.size();
    return true;
  }
  std::uint32_t fail() {
    failed_ = true;
    return 0;
  }
  std::uint32_t add(Node node) {
    nodes_.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  std::uint32_t bytes(const Bytes& set) { return add({.kind = Node::Kind::kBytes, .bytes = set}); }
  std::uint32_t repeat(std::uint32_t what, std::uint32_t least, std::uint32_t most) {
    return add({.kind = Node::Kind::kRepeat, .parts = {what}, .least = least, .most = most});
  }
  Bytes folded(Bytes set) const {
    if (!fold_) return set;
    for (unsigned c = 'a'; c <= 'z'; ++c) {
      if (set[c] || set[c - 32]) set.set(c).set(c - 32);
    }
    return set;
  }
  // A byte beyond ASCII matches nothing, since no URL has one.
  std::uint32_t literal(unsigned c) { return bytes(folded(range(c, c))); }

  std::uint32_t choice(int depth) {
    if (depth > kMaxDepth) return fail();
    Node node{.kind = Node::Kind::kChoice};
    do {
      node.parts.push_back(sequence(depth));
    } while (more() && take("|"));
    return add(std::move(node));
  }

  std::uint32_t sequence(int depth) {
    Node node{.kind = Node::Kind::kSequence};
    while (more() && text_[at_] != '|' && text_[at_] != ')') {
      std::uint32_t part = atom(depth);
      while (more() && repeats(part)) {
      }
      node.parts.push_back(part);
    }
    return add(std::move(node));
  }

  bool repeats(std::uint32_t& part) {
    std::uint32_t least = 0;
    std::uint32_t most = kNone;
    if (take("*")) {
    } else if (take("+")) {
      least = 1;
    } else if (take("?")) {
      most = 1;
    } else if (!counts(least, most)) {
      return false;
    }
    take("?");  // a lazy repetition matches the same texts
    part = repeat(part, least, most);
    return true;
  }

  // Reads "{2}", "{2,}" or "{2,3}"; anything else in braces is text.
  bool counts(std::uint32_t& least, std::uint32_t& most) {
    if (!looking_at("{")) return false;
    // Searches no further than the longest count goes; otherwise a pattern of many braces would
    // take quadratic time.
    const std::string_view ahead = text_.substr(at_, std::string_view("{1000,1000}").size());
    const std::size_t size = ahead.find('}');
    if (size == std::string_view::npos) return false;
    const std::string_view inside = ahead.substr(1, size - 1);
    const std::size_t comma = inside.find(',');
    const auto number = [](std::string_view digits) -> std::optional<std::uint32_t> {
      if (digits.empty() || digits.size() > 4) return std::nullopt;
      std::uint32_t out = 0;
      for (const char c : digits) {
        if (!is_digit(c)) return std::nullopt;
        out = out * 10 + static_cast<std::uint32_t>(c - '0');
      }
      return out;
    };
    const auto low = number(inside.substr(0, comma));
    if (!low) return false;
    least = most = *low;
    if (comma != std::string_view::npos) {
      const std::string_view rest = inside.substr(comma + 1);
      const auto high = number(rest);
      if (!high && !rest.empty()) return false;
      most = high.value_or(kNone);
    }
    at_ += size + 1;
    return true;
  }

  std::uint32_t atom(int depth) {
    const char c = text_[at_];
    if (c == '(') return group(depth);
    if (c == '[') return bracket();
    if (c == '\\') return escape();
    ++at_;
    if (c == '.') return bytes(~Bytes());
    if (c == '^') return add({.kind = Node::Kind::kBegin});
    if (c == '$') return add({.kind = Node::Kind::kEnd});
    return literal(static_cast<unsigned char>(c));
  }

  std::uint32_t group(int depth) {
    ++at_;
    const bool outer = fold_;
    if (take("?")) {
      if (take("P<") || take("<")) {
        at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
      } else if (flags()) {
        return add({});  // "(?i)": from here to the end of the group
      }
    }
    const std::uint32_t inside = choice(depth + 1);
    if (!take(")")) return fail();
    fold_ = outer;
    return inside;
  }

  // Reads the flags of a group. m and s have no effect where there are no line ends, and U does not
  // change what matches. Returns true where the group ends here.
  bool flags() {
    bool on = true;
    for (; more(); ++at_) {
      const char c = text_[at_];
      if (c == '-') on = false;
      if (c == 'i') fold_ = on;
      if (c == ')' || c == ':') break;
    }
    if (take(")")) return true;
    take(":");
    return false;
  }

  std::uint32_t escape() {
    ++at_;
    if (!more()) return fail();
    if (take("Q")) return quoted();
    if (take("A")) return add({.kind = Node::Kind::kBegin});
    if (take("z")) return add({.kind = Node::Kind::kEnd});
    // Word borders are assumed to be met everywhere.
    if (take("b") || take("B")) return add({});
    if (take("C")) return bytes(~Bytes());
    if (const auto set = perl_class()) return bytes(folded(*set));
    const auto value = escaped_value();
    return value ? literal(*value) : fail();
  }

  std::uint32_t quoted() {
    Node node{.kind = Node::Kind::kSequence};
    while (more() && !take("\\E")) {
      node.parts.push_back(literal(static_cast<unsigned char>(text_[at_++])));
    }
    return add(std::move(node));
  }

  // Reads the class whose letter follows the backslash.
  std::optional<Bytes> perl_class() {
    const char lower = to_lower(text_[at_]);
    const std::string_view name = lower == 'd'   ? "digit"
                                  : lower == 'w' ? "word"
                                  : lower == 's' ? "space"
                                                 : "";
    if (name.empty()) return std::nullopt;
    const bool negated = text_[at_++] != lower;
    Bytes set = *class_of(name);
    if (lower == 's') set.reset('\v');
    return negated ? ~set : set;
  }

  std::optional<unsigned> escaped_value() {
    const char c = text_[at_++];
    constexpr std::string_view kControls = "afnrtv";
    constexpr std::string_view kValues = "\a\f\n\r\t\v";
    if (const std::size_t i = kControls.find(c); i != std::string_view::npos)
      return static_cast<unsigned char>(kValues[i]);
    if (c != 'x') {
      return is_alnum(c) ? std::nullopt : std::optional<unsigned>(static_cast<unsigned char>(c));
    }
    std::string_view digits = text_.substr(at_, 2);
    if (take("{")) {
      digits = text_.substr(at_, text_.find('}', at_) - at_);
      at_ += digits.size() + 1;
    } else {
      at_ += 2;
    }
    unsigned value = 0;
    for (const char digit : digits) {
      if (!is_hex(digit) || value > 0xFF) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(hex_value(digit));
    }
    // A letter beyond Latin-1 may be an ASCII letter in another case.
    if (value > 0xFF) return std::nullopt;
    return value;
  }

  std::uint32_t bracket() {
    ++at_;
    const bool negated = take("^");
    Bytes set;
    for (bool first = true; more() && (first || text_[at_] != ']'); first = false) {
      if (!add_item(set)) return fail();
    }
    if (!take("]")) return fail();
    set = folded(set);
    return bytes(negated ? ~set : set);
  }

  bool add_item(Bytes& set) {
    if (looking_at("[:")) {
      const std::size_t end = text_.find(":]", at_ + 2);
      std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
      const bool negated = name.starts_with('^');
      if (negated) name.remove_prefix(1);
      const auto known = class_of(name);
      if (end == std::string_view::npos || !known) return false;
      set |= negated ? ~*known : *known;
      at_ = end + 2;
      return true;
    }
    if (looking_at("\\") && at_ + 1 < text_.size()) {
      ++at_;
      if (const auto known = perl_class()) {
        set |= *known;
        return true;
      }
      --at_;
    }
    const auto first = item_value();
    if (!first) return false;
    auto last = first;
    if (looking_at("-") && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
      ++at_;
      last = item_value();
      if (!last) return false;
    }
    set |= range(*first, *last);
    return true;
  }

  std::optional<unsigned> item_value() {
    if (!more()) return std::nullopt;
    const char c = text_[at_++];
    if (c != '\\') return static_cast<unsigned char>(c);
    return more() ? escaped_value() : std::nullopt;
  }

  std::uint32_t state(State made) {
    if (out_.states.size() >= kMaxStates) return fail();
    out_.states.push_back(made);
    return static_cast<std::uint32_t>(out_.states.size() - 1);
  }
  std::uint32_t split(std::uint32_t one, std::uint32_t other) {
    return state({.kind = State::Kind::kSplit, .next = one, .other = other});
  }

  // Makes the states of a node, which lead to `next`; returns the first of them.
  std::uint32_t compile(std::uint32_t index, std::uint32_t next) {
    if (failed_) return 0;
    const Node& node = nodes_[index];
    switch (node.kind) {
      case Node::Kind::kEmpty: return next;
      case Node::Kind::kBytes:
        return state({.kind = State::Kind::kByte, .next = next, .bytes = node.bytes});
      case Node::Kind::kBegin: return state({.kind = State::Kind::kBegin, .next = next});
      case Node::Kind::kEnd: return state({.kind = State::Kind::kEnd, .next = next});
      case Node::Kind::kSequence: {
        for (auto part = node.parts.rbegin(); part != node.parts.rend(); ++part)
          next = compile(*part, next);
        return next;
      }
      case Node::Kind::kChoice: {
        std::uint32_t first = compile(node.parts.back(), next);
        for (std::size_t i = node.parts.size() - 1; i-- > 0;)
          first = split(compile(node.parts[i], next), first);
        return first;
      }
      case Node::Kind::kRepeat: return compile_repeat(node, next);
    }
    return next;
  }

  std::uint32_t compile_repeat(const Node& node, std::uint32_t next) {
    const std::uint32_t what = node.parts.front();
    std::uint32_t first = next;
    if (node.most == kNone) {
      first = split(kNone, next);
      const std::uint32_t inside = compile(what, first);
      if (failed_) return 0;
      out_.states[first].next = inside;
    } else {
      for (std::uint32_t i = node.least; i < node.most && !failed_; ++i)
        first = split(compile(what, first), next);
    }
    for (std::uint32_t i = 0; i < node.least && !failed_; ++i) first = compile(what, first);
    return first;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool fold_ = false;
  bool failed_ = false;
  std::vector<Node> nodes_;
  Automaton out_;
};

}  // namespace

std::optional<Automaton> read_automaton(std::string_view pattern) {
  return PatternReader(pattern).read();
}

bool meet(const Automaton& a, const Automaton& b) {
  enum Where : std::size_t { kAtBegin, kInside, kAtEnd, kAtBoth, kWheres };
  const std::size_t size = a.states.size() * b.states.size() * kWheres;
  if (size > kMaxConfigurations) return true;
  std::vector<bool> seen(size);
  struct Configuration {
    std::uint32_t a, b;
    std::size_t where;
  };
  std::vector<Configuration> open;
  const auto visit = [&](std::uint32_t one, std::uint32_t other, std::size_t where) {
    const std::size_t index = (std::size_t{one} * b.states.size() + other) * kWheres + where;
    if (seen[index]) return;
    seen[index] = true;
    open.push_back({one, other, where});
  };
  // Takes the steps that consume no byte. Returns false where the state consumes one, or is the
  // end.
  const auto step = [](const State& state, std::size_t where, auto&& go) {
    using Kind = State::Kind;
    if (state.kind == Kind::kSplit) {
      go(state.other, where);
      go(state.next, where);
    } else if (state.kind == Kind::kBegin) {
      if (where == kAtBegin || where == kAtBoth) go(state.next, where);
    } else if (state.kind == Kind::kEnd) {
      const bool empty = where == kAtBegin || where == kAtBoth;
      go(state.next, std::size_t{empty ? kAtBoth : kAtEnd});
    } else {
      return false;
    }
    return true;
  };
  visit(a.start, b.start, kAtBegin);
  while (!open.empty()) {
    const Configuration now = open.back();
    open.pop_back();
    const State& one = a.states[now.a];
    const State& other = b.states[now.b];
    if (step(one, now.where, [&](std::uint32_t next, std::size_t w) { visit(next, now.b, w); }))
      continue;
    if (step(other, now.where, [&](std::uint32_t next, std::size_t w) { visit(now.a, next, w); }))
      continue;
    if (one.kind == State::Kind::kMatch && other.kind == State::Kind::kMatch) return true;
    if (one.kind != State::Kind::kByte || other.kind != State::Kind::kByte) continue;
    if (now.where <= kInside && (one.bytes & other.bytes).any())
      visit(one.next, other.next, kInside);
  }
  return false;
}

}  // namespace spinneret::policy
