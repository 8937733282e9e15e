// SPDX-License-Identifier: Apache-2.0
// Matches one pattern with wildcards against one path.
#ifndef SPINNERET_ROBOTS_WILDCARD_H_
#define SPINNERET_ROBOTS_WILDCARD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spinneret::robots {

// A pattern without redundant parts at its end: "/a*" and "/a*$" become "/a"; "/a$" becomes "/a",
// anchored.
struct TrimmedPattern {
  std::string_view text;
  bool anchored = false;
};
TrimmedPattern trim_pattern(std::string_view pattern);

// The occurrences of every byte in a path, as bits. The index finds a segment by and-ing shifted
// rows, 64 places at a time, and remembers where long segments were found. It costs 2 ns a byte to
// make, and then 2 ns for a segment that is near. Not thread-safe; make one for each check.
class PathIndex {
 public:
  static constexpr std::size_t kMaxPath = std::size_t{64} << 10;
  // Keeps `path` as a view; it may have at most kMaxPath bytes.
  explicit PathIndex(std::string_view path);
  // Returns the first place of `segment` (not empty) at or after `from`; npos where there is none.
  std::size_t find(std::string_view segment, std::size_t from) {
    if (segment.size() == 1) return find_byte(segment.front(), from);
    return segment.size() < kLongSegment ? search(segment, from) : find_long(segment, from);
  }
  // Returns the last place of a byte; npos where there is none.
  std::size_t find_last(char c) const;
  std::string_view path() const { return path_; }

 private:
  static constexpr std::size_t kLongSegment = 8;
  struct Memory {
    std::string_view segment;
    std::size_t from = 0;
    std::size_t found = 0;
  };

  std::size_t find_byte(char c, std::size_t from) const;
  std::size_t search(std::string_view segment, std::size_t from) const;
  std::size_t find_long(std::string_view segment, std::size_t from);
  const std::uint64_t* row(char c) const {
    return &bits_[rows_[static_cast<unsigned char>(c)] * words_];
  }

  std::string_view path_;
  std::size_t words_;        // words of a row; the last one is empty
  std::uint16_t rows_[256];  // 0: the empty row
  std::vector<std::uint64_t> bits_;
  std::vector<Memory> memory_;  // by the segment's hash; made when needed
};

// Returns whether a comparable pattern matches a comparable path, in linear time.
bool match_pattern(std::string_view pattern, std::string_view path);

// Returns the item whose `pattern` is the longest that matches the path, and the first of several
// such; nullptr where none matches. Only items for which `counts` returns true are considered.
// Linear in the items, so use it for few.
template <typename Item, typename Counts>
const Item* longest_match(const std::vector<Item>& items, std::string_view path,
                          const Counts& counts) {
  const Item* best = nullptr;
  for (const Item& item : items) {
    if (best != nullptr && item.pattern.size() <= best->pattern.size()) continue;
    if (counts(item) && match_pattern(item.pattern, path)) best = &item;
  }
  return best;
}
template <typename Item>
const Item* longest_match(const std::vector<Item>& items, std::string_view path) {
  return longest_match(items, path, [](const Item&) { return true; });
}

// Returns whether the part of a trimmed pattern after its head, "*segment*...*tail", matches the
// part of the path from `at` on. Each segment is taken where it first fits, which loses no match.
bool match_wildcards(std::string_view segments, bool anchored, std::string_view path,
                     std::size_t at);
// Does the same by means of an index.
bool match_wildcards(std::string_view segments, bool anchored, PathIndex& index, std::size_t at);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_WILDCARD_H_
