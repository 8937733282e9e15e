// SPDX-License-Identifier: Apache-2.0
#include "robots/matcher.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "robots/wildcard.h"

namespace spinneret::robots {
namespace {

// The patterns of a node with more wildcard patterns than this are found by key.
constexpr std::size_t kLargeNode = 8;
// Beyond this product of path bytes and candidates, an index pays.
constexpr std::size_t kIndexWork = 1 << 15;
// No known path has more heads or keys than this.
constexpr std::size_t kMaxHeads = 32;
constexpr std::size_t kMaxKeys = 64;

constexpr std::uint32_t make_gram(const char* bytes, std::size_t size) {
  std::uint32_t gram = static_cast<std::uint32_t>(size) << 24;
  for (std::size_t i = 0; i < size; ++i) {
    gram |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return gram;
}

constexpr std::uint32_t hash_gram(std::uint32_t gram) {
  const std::uint32_t mixed = gram * 0x9E3779B1U;
  return mixed ^ mixed >> 15;
}

// Returns four to eight bytes as a number: their hash, and their count in the highest four bits.
std::uint32_t make_probe(const char* bytes, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  const std::uint64_t mixed = (word + size) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::uint32_t>(size) << 28 | static_cast<std::uint32_t>(mixed >> 36);
}

// Returns the probe for the beginning of the longest of a pattern's segments; 0: all are shorter
// than four bytes.
std::uint32_t probe_of(std::string_view segments) {
  std::string_view longest;
  while (!segments.empty()) {
    segments.remove_prefix(1);
    const std::string_view segment = segments.substr(0, segments.find('*'));
    if (segment.size() > longest.size()) longest = segment;
    segments.remove_prefix(segment.size());
  }
  return longest.size() < 4 ? 0
                            : make_probe(longest.data(), std::min<std::size_t>(longest.size(), 8));
}

// The probes that a path contains, as bits of a hash: a "no" is always right. Grams of a size are
// read when that size is first needed.
class PathGrams {
 public:
  explicit PathGrams(std::string_view path)
      : path_(path), mask_(std::bit_ceil(std::max<std::size_t>(path.size(), 64) * 16) - 1) {}

  bool may_have(std::uint32_t probe) {
    if (probe == 0) return true;
    const std::size_t size = probe >> 28;
    std::vector<std::uint64_t>& bits = bits_[size - 4];
    if (bits.empty()) fill(bits, size);
    const std::size_t bit = probe & mask_;
    return (bits[bit / 64] >> (bit % 64) & 1) != 0;
  }

 private:
  void fill(std::vector<std::uint64_t>& bits, std::size_t size) const {
    bits.resize(mask_ / 64 + 1);
    for (std::size_t i = 0; i + size <= path_.size(); ++i) {
      const std::size_t bit = make_probe(&path_[i], size) & mask_;
      bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }

  std::string_view path_;
  std::size_t mask_;
  std::array<std::vector<std::uint64_t>, 5> bits_;  // for four to eight bytes
};

}  // namespace

// What a walk along a path finds.
struct Matcher::Walk {
  std::uint32_t best = kNone;
  std::size_t heads = 0;  // kMaxHeads + 1: too many
  std::array<std::uint32_t, kMaxHeads + 1> nodes;
};

// --- building -----------------------------------------------------------------------------------

class MatcherBuilder {
 public:
  MatcherBuilder(Matcher& out, std::string_view bytes) : out_(out), bytes_(bytes) {}

  void build(std::span<const PatternSpan> patterns, bool literal) {
    for (std::uint32_t rank = 0; rank < patterns.size(); ++rank) add(patterns[rank], rank, literal);
    sort_entries();
    build_trie();
    build_keys();
    out_.nodes_.shrink_to_fit();
    out_.first_.shrink_to_fit();
    out_.wild_.shrink_to_fit();
  }

 private:
  // A literal, or a wildcard pattern's head, to be put into the trie.
  struct Entry {
    PatternSpan span;
    std::uint32_t rank;
    bool exact;
    bool wild;
    PatternSpan pattern;  // the trimmed wildcard pattern
    bool anchored;
    std::uint64_t start = 0;  // the first bytes of its text, for comparison
  };
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t depth;  // number of bytes that the whole range shares, and the nodes above contain
    std::uint32_t node;
    std::uint32_t best;  // the best rank of the nodes above
  };

  // Sorts by text; entries with the same text stay in rank order. Most texts differ in their first
  // bytes, which are kept in the entry so that no other memory is touched.
  void sort_entries() {
    for (Entry& entry : entries_) {
      entry.start = 0;
      for (const char c : text(entry).substr(0, 8)) {
        entry.start = entry.start << 8 | static_cast<unsigned char>(c);
      }
      const std::uint32_t missing = 8 - std::min<std::uint32_t>(entry.span.size, 8);
      if (missing < 8) entry.start <<= 8 * missing;
    }
    std::sort(entries_.begin(), entries_.end(), [this](const Entry& a, const Entry& b) {
      if (a.start != b.start) return a.start < b.start;
      const int order = text(a).compare(text(b));
      return order != 0 ? order < 0 : a.rank < b.rank;
    });
  }

  std::string_view text(const Entry& entry) const {
    return bytes_.substr(entry.span.at, entry.span.size);
  }

  void add(PatternSpan span, std::uint32_t rank, bool literal) {
    const std::string_view pattern = bytes_.substr(span.at, span.size);
    if (literal) return entries_.push_back({span, rank, false, false, {}, false, 0});
    const TrimmedPattern trimmed = trim_pattern(pattern);
    const auto size = static_cast<std::uint32_t>(trimmed.text.size());
    const std::size_t star = trimmed.text.find('*');
    if (star == std::string_view::npos) {
      entries_.push_back({{span.at, size}, rank, trimmed.anchored, false, {}, false, 0});
    } else {
      const auto head = static_cast<std::uint32_t>(star);
      entries_.push_back(
          {{span.at, head}, rank, false, true, {span.at, size}, trimmed.anchored, 0});
    }
  }

  // Builds the trie breadth first, so that the children of a node are adjacent.
  void build_trie() {
    out_.nodes_.assign(1, {});
    out_.first_.assign(1, 0);
    std::vector<Range> queue{{0, entries_.size(), 0, 0, Matcher::kNone}};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Range range = queue[i];
      const std::size_t rest = take_entries(range);
      add_children(range, rest, queue);
    }
  }

  // Puts the entries that end at the range's node there. Returns the first entry after them.
  std::size_t take_entries(const Range& range) {
    Matcher::Node& node = out_.nodes_[range.node];
    node.best = range.best;
    node.exact = Matcher::kNone;
    node.first_wild = static_cast<std::uint32_t>(out_.wild_.size());
    std::size_t i = range.begin;
    for (; i < range.end && entries_[i].span.size == range.depth; ++i) {
      const Entry& entry = entries_[i];
      if (entry.wild) {
        Matcher::Wild wild;
        wild.rank = entry.rank;
        wild.pattern = entry.pattern;
        wild.head = entry.span.size & 0x7FFFFFFF;
        wild.anchored = entry.anchored;
        wild.probe = probe_of(bytes_.substr(entry.pattern.at + entry.span.size,
                                            entry.pattern.size - entry.span.size));
        out_.wild_.push_back(wild);
      } else {
        std::uint32_t& place = entry.exact ? node.exact : node.best;
        place = std::min(place, entry.rank);
      }
    }
    node.exact = std::min(node.exact, node.best);
    node.wild_count = static_cast<std::uint32_t>(out_.wild_.size()) - node.first_wild;
    return i;
  }

  void add_children(const Range& range, std::size_t begin, std::vector<Range>& queue) {
    const std::uint32_t best = out_.nodes_[range.node].best;
    out_.nodes_[range.node].first_child = static_cast<std::uint32_t>(out_.nodes_.size());
    while (begin < range.end) {
      const std::string_view first = text(entries_[begin]);
      std::size_t end = begin + 1;
      while (end < range.end && text(entries_[end])[range.depth] == first[range.depth]) ++end;
      const std::string_view last = text(entries_[end - 1]);
      std::size_t shared = range.depth + 1;
      while (shared < first.size() && shared < last.size() && first[shared] == last[shared])
        ++shared;
      Matcher::Node node;
      node.label = entries_[begin].span.at + static_cast<std::uint32_t>(range.depth);
      node.label_size = static_cast<std::uint32_t>(shared - range.depth);
      queue.push_back({begin, end, shared, static_cast<std::uint32_t>(out_.nodes_.size()), best});
      out_.nodes_.push_back(node);
      out_.first_.push_back(static_cast<unsigned char>(first[range.depth]));
      ++out_.nodes_[range.node].child_count;
      begin = end;
    }
  }

  // Calls `use(gram)` for each gram of the pattern's segments: of each segment, its longest grams.
  template <typename Use>
  void each_gram(const Matcher::Wild& wild, const Use& use) const {
    std::string_view rest =
        bytes_.substr(wild.pattern.at + wild.head, wild.pattern.size - wild.head);
    while (!rest.empty()) {
      rest.remove_prefix(1);
      const std::size_t end = std::min(rest.find('*'), rest.size());
      const std::size_t size = std::min<std::size_t>(end, 3);
      for (std::size_t i = 0; size > 0 && i + size <= end; ++i) use(make_gram(&rest[i], size));
      rest.remove_prefix(end);
    }
  }

  void build_keys() {
    std::vector<std::uint32_t> members;  // the patterns of large nodes
    for (const Matcher::Node& node : out_.nodes_) {
      if (!out_.is_large(node)) continue;
      for (std::uint32_t i = 0; i < node.wild_count; ++i) members.push_back(node.first_wild + i);
    }
    out_.ranked_.resize(out_.wild_.size());
    for (std::uint32_t i = 0; i < out_.wild_.size(); ++i) out_.ranked_[i] = i;
    const auto by_rank = [this](std::uint32_t a, std::uint32_t b) {
      return out_.wild_[a].rank < out_.wild_[b].rank;
    };
    std::sort(out_.ranked_.begin(), out_.ranked_.end(), by_rank);
    if (members.empty()) return;
    std::sort(members.begin(), members.end(), by_rank);
    fill_keys(members, count_grams(members));
  }

  using Counts = std::unordered_map<std::uint32_t, std::uint32_t>;
  Counts count_grams(const std::vector<std::uint32_t>& members) const {
    Counts counts;
    for (const std::uint32_t member : members) {
      each_gram(out_.wild_[member], [&counts](std::uint32_t gram) { ++counts[gram]; });
    }
    return counts;
  }

  // Returns the gram that is rarest among the patterns; longer grams are rarer in paths, and go
  // first.
  std::uint32_t choose_key(const Matcher::Wild& wild, const Counts& counts) const {
    std::uint32_t key = 0;
    std::uint32_t least = UINT32_MAX;
    each_gram(wild, [&](std::uint32_t gram) {
      const std::uint32_t count = counts.at(gram);
      const bool longer = gram >> 24 > key >> 24;
      if (longer || (gram >> 24 == key >> 24 && count < least)) {
        key = gram;
        least = count;
      }
    });
    return key;
  }

  void fill_keys(const std::vector<std::uint32_t>& members, const Counts& counts) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        pairs;  // gram, place; by rank within a gram
    pairs.reserve(members.size());
    for (const std::uint32_t member : members) {
      pairs.emplace_back(choose_key(out_.wild_[member], counts), member);
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    out_.keys_.resize(std::bit_ceil(pairs.size() * 2));
    out_.filter_.resize(std::bit_ceil(pairs.size() * 16) / 64);
    for (const auto& [gram, place] : pairs) {
      if (out_.keyed_.empty() || gram != last_gram_) add_key(gram);
      out_.keyed_.push_back(place);
      ++out_.keys_[last_key_].count;
    }
    out_.keyed_.shrink_to_fit();
  }

  void add_key(std::uint32_t gram) {
    const std::size_t mask = out_.keys_.size() - 1;
    std::size_t at = hash_gram(gram) & mask;
    while (out_.keys_[at].gram != 0) at = (at + 1) & mask;
    out_.keys_[at] = {gram, static_cast<std::uint32_t>(out_.keyed_.size()), 0};
    last_gram_ = gram;
    last_key_ = at;
    out_.gram_sizes_[gram >> 24] = true;
    const std::uint32_t bit =
        hash_gram(gram) & static_cast<std::uint32_t>(out_.filter_.size() * 64 - 1);
    out_.filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  Matcher& out_;
  std::string_view bytes_;
  std::vector<Entry> entries_;
  std::uint32_t last_gram_ = 0;
  std::size_t last_key_ = 0;
};

void Matcher::build(std::string_view bytes, std::span<const PatternSpan> patterns, bool literal) {
  *this = Matcher();
  if (!patterns.empty()) MatcherBuilder(*this, bytes).build(patterns, literal);
}

// --- matching -----------------------------------------------------------------------------------

bool Matcher::is_large(const Node& node) const { return node.wild_count > kLargeNode; }

void Matcher::walk(std::string_view bytes, std::string_view path, Walk& walk) const {
  const Node* node = nodes_.data();
  std::size_t depth = 0;
  while (true) {
    if (node->wild_count > 0) {
      if (walk.heads < kMaxHeads)
        walk.nodes[walk.heads] = static_cast<std::uint32_t>(node - nodes_.data());
      if (walk.heads <= kMaxHeads) ++walk.heads;
    }
    if (depth == path.size()) {
      walk.best = node->exact;
      return;
    }
    walk.best = node->best;
    if (node->child_count == 0) return;
    const void* const found =
        std::memchr(first_.data() + node->first_child, static_cast<unsigned char>(path[depth]),
                    node->child_count);
    if (found == nullptr) return;
    const Node& child =
        nodes_[static_cast<std::size_t>(static_cast<const unsigned char*>(found) - first_.data())];
    if (!path.substr(depth).starts_with(bytes.substr(child.label, child.label_size))) return;
    depth += child.label_size;
    node = &child;
  }
}

std::uint32_t Matcher::try_node(std::string_view bytes, std::string_view path, const Node& node,
                                std::uint32_t best) const {
  for (std::uint32_t i = 0; i < node.wild_count; ++i) {
    const Wild& wild = wild_[node.first_wild + i];
    if (wild.rank >= best) break;
    const std::string_view pattern = bytes.substr(wild.pattern.at, wild.pattern.size);
    if (match_wildcards(pattern.substr(wild.head), wild.anchored, path, wild.head))
      return wild.rank;
  }
  return best;
}

bool Matcher::may_have(std::uint32_t gram) const {
  const std::uint32_t bit = hash_gram(gram) & static_cast<std::uint32_t>(filter_.size() * 64 - 1);
  return (filter_[bit / 64] >> (bit % 64) & 1) != 0;
}

const Matcher::Key* Matcher::find_key(std::uint32_t gram) const {
  const std::size_t mask = keys_.size() - 1;
  for (std::size_t at = hash_gram(gram) & mask; keys_[at].gram != 0; at = (at + 1) & mask) {
    if (keys_[at].gram == gram) return &keys_[at];
  }
  return nullptr;
}

// Scans the path for keys, and tries the patterns of the keys that it contains.
std::uint32_t Matcher::try_keys(std::string_view bytes, std::string_view path,
                                std::uint32_t best) const {
  std::array<const Key*, kMaxKeys> found;
  std::size_t count = 0;
  std::size_t candidates = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    for (std::size_t size = 1; size <= 3 && i + size <= path.size(); ++size) {
      if (!gram_sizes_[size]) continue;
      const std::uint32_t gram = make_gram(&path[i], size);
      if (!may_have(gram)) continue;
      const Key* const key = find_key(gram);
      if (key == nullptr || wild_[keyed_[key->first]].rank >= best) continue;
      if (std::find(found.begin(), found.begin() + count, key) != found.begin() + count) continue;
      if (count == kMaxKeys) return try_all(bytes, path, best);
      found[count++] = key;
      candidates += key->count;
    }
  }
  if (candidates * path.size() > kIndexWork) return try_all(bytes, path, best);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t j = 0; j < found[i]->count; ++j) {
      const Wild& wild = wild_[keyed_[found[i]->first + j]];
      if (wild.rank >= best) break;
      const std::string_view pattern = bytes.substr(wild.pattern.at, wild.pattern.size);
      if (path.starts_with(pattern.substr(0, wild.head)) &&
          match_wildcards(pattern.substr(wild.head), wild.anchored, path, wild.head)) {
        best = wild.rank;
        break;
      }
    }
  }
  return best;
}

// Tries every wildcard pattern by rank, on an index of the path.
std::uint32_t Matcher::try_all(std::string_view bytes, std::string_view path,
                               std::uint32_t best) const {
  std::optional<PathIndex> index;
  if (path.size() <= PathIndex::kMaxPath) index.emplace(path);
  PathGrams grams(path);
  for (const std::uint32_t place : ranked_) {
    const Wild& wild = wild_[place];
    if (wild.rank >= best) break;
    if (!grams.may_have(wild.probe)) continue;
    const std::string_view pattern = bytes.substr(wild.pattern.at, wild.pattern.size);
    if (!path.starts_with(pattern.substr(0, wild.head))) continue;
    const std::string_view segments = pattern.substr(wild.head);
    if (index ? match_wildcards(segments, wild.anchored, *index, wild.head)
              : match_wildcards(segments, wild.anchored, path, wild.head)) {
      return wild.rank;
    }
  }
  return best;
}

std::uint32_t Matcher::find(std::string_view bytes, std::string_view path) const {
  if (nodes_.empty()) return kNone;
  Walk walk;
  this->walk(bytes, path, walk);
  if (walk.heads > kMaxHeads) return try_all(bytes, path, walk.best);
  std::uint32_t best = walk.best;
  bool any_large = false;
  for (std::size_t i = 0; i < walk.heads; ++i) {
    const Node& node = nodes_[walk.nodes[i]];
    if (is_large(node)) {
      any_large = true;
    } else {
      best = try_node(bytes, path, node, best);
    }
  }
  return any_large ? try_keys(bytes, path, best) : best;
}

std::size_t Matcher::memory() const {
  return nodes_.capacity() * sizeof(Node) + first_.capacity() + wild_.capacity() * sizeof(Wild) +
         ranked_.capacity() * 4 + keys_.capacity() * sizeof(Key) + keyed_.capacity() * 4 +
         filter_.capacity() * 8;
}

}  // namespace spinneret::robots
