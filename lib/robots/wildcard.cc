// SPDX-License-Identifier: Apache-2.0
#include "robots/wildcard.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"

namespace spinneret::robots {
namespace {

constexpr std::size_t npos = std::string_view::npos;

// glibc's memmem is linear, but sets up tables; most segments are short, and so are most paths.
std::size_t find_segment(std::string_view path, std::string_view segment, std::size_t from) {
  if (path.size() - from < segment.size()) return npos;
  const void* const found =
      segment.size() == 1
          ? std::memchr(path.data() + from, segment.front(), path.size() - from)
          : ::memmem(path.data() + from, path.size() - from, segment.data(), segment.size());
  return found == nullptr ? npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - path.data());
}

// `find(segment, from)` returns the first place of the segment.
template <typename Find>
bool match_with(std::string_view segments, bool anchored, std::string_view path, std::size_t at,
                const Find& find) {
  while (!segments.empty()) {
    segments.remove_prefix(1);  // the '*'
    // Segments of one byte are usual in hostile rules, and cost less than a call.
    const std::size_t end = segments.size() > 1 && segments[1] == '*' && segments[0] != '*'
                                ? 1
                                : std::min(segments.find('*'), segments.size());
    const std::string_view segment = segments.substr(0, end);
    segments.remove_prefix(end);
    if (segment.empty()) continue;
    if (segments.empty() && anchored) {
      return path.size() - at >= segment.size() && path.ends_with(segment);
    }
    const std::size_t found = find(segment, at);
    if (found == npos) return false;
    at = found + segment.size();
  }
  return true;
}

}  // namespace

TrimmedPattern trim_pattern(std::string_view pattern) {
  TrimmedPattern out{pattern, false};
  if (out.text.ends_with('$')) {
    out.text.remove_suffix(1);
    out.anchored = true;
  }
  if (out.text.ends_with('*')) out.anchored = false;
  while (out.text.ends_with('*')) out.text.remove_suffix(1);
  return out;
}

bool match_pattern(std::string_view pattern, std::string_view path) {
  const auto [text, anchored] = trim_pattern(pattern);
  const std::size_t head = std::min(text.find('*'), text.size());
  if (!path.starts_with(text.substr(0, head))) return false;
  if (head == text.size()) return !anchored || path.size() == head;
  return match_wildcards(text.substr(head), anchored, path, head);
}

PathIndex::PathIndex(std::string_view path) : path_(path), words_(path.size() / 64 + 2), rows_{} {
  std::uint16_t rows = 0;
  for (const char c : path) {
    std::uint16_t& row = rows_[static_cast<unsigned char>(c)];
    if (row == 0) row = ++rows;
  }
  bits_.resize((rows + std::size_t{1}) * words_);
  for (std::size_t i = 0; i < path.size(); ++i) {
    bits_[rows_[static_cast<unsigned char>(path[i])] * words_ + i / 64] |= std::uint64_t{1}
                                                                           << (i % 64);
  }
}

std::size_t PathIndex::find_byte(char c, std::size_t from) const {
  const std::uint64_t* const bits = row(c);
  std::size_t word = from / 64;
  if (word >= words_) return npos;
  std::uint64_t places = bits[word] & ~std::uint64_t{0} << (from % 64);
  while (places == 0) {
    if (++word == words_) return npos;
    places = bits[word];
  }
  return word * 64 + static_cast<std::size_t>(std::countr_zero(places));
}

std::size_t PathIndex::find_last(char c) const {
  const std::uint64_t* const bits = row(c);
  for (std::size_t word = words_; word-- > 0;) {
    if (bits[word] != 0)
      return word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits[word]));
  }
  return npos;
}

// Where thousands of rules contain the same long segment, it is searched for only once.
std::size_t PathIndex::find_long(std::string_view segment, std::size_t from) {
  constexpr std::size_t kPlaces = 1024;
  if (memory_.empty()) memory_.resize(kPlaces);
  Memory& memory = memory_[hash64(segment) % kPlaces];
  if (memory.segment == segment && memory.from <= from && memory.found >= from) return memory.found;
  memory = {segment, from, search(segment, from)};
  return memory.found;
}

std::size_t PathIndex::search(std::string_view segment, std::size_t from) const {
  if (path_.size() < from || path_.size() - from < segment.size()) return npos;
  const std::size_t last = path_.size() - segment.size();
  const std::uint64_t* const first_row = row(segment.front());
  // Besides the first byte, the last and the middle byte are compared, since these differ most
  // often.
  const std::size_t probes[2] = {segment.size() - 1, segment.size() / 2};
  std::uint64_t mask = ~std::uint64_t{0} << (from % 64);
  for (std::size_t word = from / 64; word * 64 <= last; ++word, mask = ~std::uint64_t{0}) {
    std::uint64_t places = first_row[word] & mask;
    for (const std::size_t probe : probes) {
      if (places == 0 || segment.size() == 1) break;
      const std::uint64_t* const bits = row(segment[probe]) + word + probe / 64;
      const std::size_t shift = probe % 64;
      // Words after the row's end belong to the next row, or to none: places there are after
      // `last`.
      if (word + probe / 64 + 1 >= words_) continue;
      places &= shift == 0 ? bits[0] : bits[0] >> shift | bits[1] << (64 - shift);
    }
    for (; places != 0; places &= places - 1) {
      const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(places));
      if (at > last) return npos;
      if (std::memcmp(path_.data() + at, segment.data(), segment.size()) == 0) return at;
    }
  }
  return npos;
}

bool match_wildcards(std::string_view segments, bool anchored, std::string_view path,
                     std::size_t at) {
  return match_with(segments, anchored, path, at,
                    [path](std::string_view segment, std::size_t from) {
                      return find_segment(path, segment, from);
                    });
}

// Searches for the last segment of the pattern first: if the path does not contain it, the rest
// does not matter.
bool match_wildcards(std::string_view segments, bool anchored, PathIndex& index, std::size_t at) {
  const std::string_view last = segments.substr(segments.rfind('*') + 1);
  const std::size_t behind = last.empty() ? npos : index.find_last(last.front());
  const auto stars = static_cast<std::size_t>(std::count(segments.begin(), segments.end(), '*'));
  if (!last.empty() && (behind == npos || behind < at + segments.size() - stars - last.size())) {
    return false;
  }
  return match_with(
      segments, anchored, index.path(), at,
      [&index](std::string_view segment, std::size_t from) { return index.find(segment, from); });
}

}  // namespace spinneret::robots
