// SPDX-License-Identifier: Apache-2.0
// Finds the best of many ranked patterns that match a path, without trying them one by one.
//
// Patterns without a wildcard are in a radix trie. A walk along the path ends at the longest of
// them, and each node knows the best rank of all patterns on the way to it:
//
//   ""  ── "/" ─┬─ "a" ─┬─ "b/"       "/a", "/ab/", "/ac$", "/x/"
//               │       └─ "c" $
//               └─ "x/"
//
// Patterns with wildcards are attached to the node of their literal head. Where many share a head,
// each is found by its key, one to three bytes that every path it matches must contain, the rarest
// in the set; a path is scanned once for all keys. Only patterns that are found this way, and rank
// above the best so far, are matched. A pattern is matched segment by segment from the left, in
// linear time, since a wildcard may stop at the first fit.
//
// A long path, and a path with very many candidates, is indexed first (PathIndex). Then only those
// candidates are tried whose longest segment begins with four to eight bytes that the path contains
// (PathGrams). A check of a file of 500 KiB and a URL of 2 KB thus takes less than a millisecond
// where segments are longer than three bytes. Otherwise time is linear in rules times path.
//
// Immutable; const use is thread-safe. A Matcher does not own the patterns' bytes.
#ifndef SPINNERET_ROBOTS_MATCHER_H_
#define SPINNERET_ROBOTS_MATCHER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spinneret::robots {

// The place of a pattern in the buffer of all patterns.
struct PatternSpan {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
};

class Matcher {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  Matcher() = default;
  // `patterns` are in rank order, best first. With `literal`, '*' and '$' are ordinary bytes.
  void build(std::string_view bytes, std::span<const PatternSpan> patterns, bool literal);

  // Returns the rank of the best pattern that matches `path`, or kNone. `bytes` are the same as in
  // build; they may have moved.
  std::uint32_t find(std::string_view bytes, std::string_view path) const;

  std::size_t memory() const;

 private:
  friend class MatcherBuilder;
  struct Node {
    std::uint32_t label = 0;  // place of its bytes
    std::uint32_t label_size = 0;
    std::uint32_t first_child = 0;
    std::uint32_t child_count = 0;
    // The best rank of this node and those above it, for a path that goes on.
    std::uint32_t best = kNone;
    std::uint32_t exact = kNone;  // the same, for a path that ends here
    std::uint32_t first_wild = 0;
    std::uint32_t wild_count = 0;
  };
  // A pattern with wildcards, trimmed: `head*segment*...*tail`.
  struct Wild {
    std::uint32_t rank = 0;
    PatternSpan pattern;
    std::uint32_t head : 31 = 0;     // bytes before the first '*'
    std::uint32_t anchored : 1 = 0;  // it ended in '$'
    // Bytes that every path which it matches contains: see probe_of; 0: too short.
    std::uint32_t probe = 0;
  };
  struct Key {
    // One to three bytes, with their number in the highest byte; 0: a free slot.
    std::uint32_t gram = 0;
    std::uint32_t first = 0;  // index of the first pattern in keyed_
    std::uint32_t count = 0;
  };
  struct Walk;

  void walk(std::string_view bytes, std::string_view path, Walk& walk) const;
  std::uint32_t try_node(std::string_view bytes, std::string_view path, const Node& node,
                         std::uint32_t best) const;
  std::uint32_t try_keys(std::string_view bytes, std::string_view path, std::uint32_t best) const;
  std::uint32_t try_all(std::string_view bytes, std::string_view path, std::uint32_t best) const;
  const Key* find_key(std::uint32_t gram) const;
  bool may_have(std::uint32_t gram) const;
  bool is_large(const Node& node) const;

  std::vector<Node> nodes_;            // [0] is the root; the children of a node are adjacent
  std::vector<unsigned char> first_;   // the first byte of each node's label
  std::vector<Wild> wild_;             // by node, and within a node by rank
  std::vector<std::uint32_t> ranked_;  // indexes into wild_, by rank
  std::vector<Key> keys_;              // open addressing; the size is a power of two, or 0
  std::vector<std::uint32_t> keyed_;   // indexes into wild_, by key, and within a key by rank
  std::vector<std::uint64_t> filter_;  // a bit for each gram's hash
  std::array<bool, 4> gram_sizes_{};   // which lengths of grams occur
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_MATCHER_H_
