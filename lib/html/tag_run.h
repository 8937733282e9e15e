// SPDX-License-Identifier: Apache-2.0
// Runs of tags that may pass unread: the table of these tags, and the scan over them.
//
//   TagTable table;                                          // filled once, with what is wanted
//   TagRun run = tag_scan().pass(table, at, end, {});        // up to the first tag that may matter
//
// The scan is compiled for each instruction set that is worth it, and chosen at run time: AVX2 with
// PCLMULQDQ, 16 bytes at a time (SSE2, NEON), or neither. It never reads beyond `end`.
#ifndef SPINNERET_HTML_TAG_RUN_H_
#define SPINNERET_HTML_TAG_RUN_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "html/element.h"
#include "html/name_table.h"
#include "html/scan.h"

namespace spinneret::html {

// Tracks whether a <p> may be open that the start tag of a block would close, as far as tags alone
// tell. A button's scope (13.2.4.2) has at most one such <p>; no <p> can be open below the scopes
// of table parts, since a <table> closes it.
struct TagMarks {
  enum : std::uint8_t { kNone, kParagraph, kFence };
  bool paragraph = false;
  bool below = false;  // one may be open behind a fence, beyond which </p> does not look
  bool may_have_paragraph() const { return paragraph || below; }
  void start(std::uint8_t mark) {
    below = below || (mark == kFence && paragraph);
    paragraph = paragraph || mark == kParagraph;
  }
  void end_paragraph() { paragraph = false; }
};
constexpr std::uint8_t mark_of(Element element) {
  switch (element) {
    case Element::kP: return TagMarks::kParagraph;
    case Element::kApplet:
    case Element::kButton:
    case Element::kMarquee:
    case Element::kObject: return TagMarks::kFence;
    default: return TagMarks::kNone;
  }
}

// What to do with the tags of each element.
class TagTable {
 public:
  // kStop: leave it to the tokenizer. kPass: pass over it. kSift: pass over it unless the name of
  // an attribute passes the sieve. kTake: it is a link. kRaw: pass over it and its content, a
  // script or a style sheet.
  enum class Way : std::uint8_t { kStop, kPass, kSift, kTake, kRaw };
  struct Entry {
    std::uint64_t name = 0;  // in lower case, padded with NULs
    Element element = Element::kUnknown;
    Way way = Way::kStop;   // for a start tag that the tree is told of
    Way flat = Way::kStop;  // for one that the tree is not told of: see FlatBody
    std::uint8_t mark = TagMarks::kNone;
  };
  static constexpr std::size_t kMaxName = sizeof(std::uint64_t);

  void add(std::string_view name, Element element, Way way, Way flat);
  // Returns the entry of a name; for an unknown name an entry that says kStop.
  const Entry& find(std::uint64_t name) const {
    std::size_t slot = slot_of(name);
    while (entries_[slot].name != name && entries_[slot].name != 0)
      slot = (slot + 1) % entries_.size();
    return entries_[slot];
  }
  // cppcheck-suppress passedByValue  // it takes the enumeration for a struct
  void set_unknown(Way way) { unknown_ = way; }
  // What to do, in a flat body, with a name that is not an element of the standard.
  Way unknown() const { return unknown_; }

  NameSieve sieve;
  bool passes_comments = false;  // except those that begin with '?'

 private:
  static std::size_t slot_of(std::uint64_t name) { return (name * 0x9E3779B97F4A7C15u) >> 55; }
  std::array<Entry, 512> entries_{};
  Way unknown_ = Way::kStop;
};

// What look_at_tag() says of the tag at a '<', if the tree is told of every tag. End tags of known
// names pass.
struct TagLook {
  TagTable::Way way = TagTable::Way::kStop;
  Element element = Element::kUnknown;
  const char* behind_name = nullptr;
  bool closing = false;
};
// Number of bytes, from the '<' on, that look_at_tag() reads.
inline constexpr std::ptrdiff_t kTagReach = 16;

// Number of bytes in `word`, whose first byte is the lowest, before white space, a control, '/' or
// '>'.
inline std::size_t short_name_size(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  constexpr std::uint64_t kHigh = kOnes * 0x80;
  const auto zeros = [](std::uint64_t w) { return (w - kOnes) & ~w & kHigh; };
  // Only the lowest set bit is certain; the others may be carries.
  const std::uint64_t hits = ((word - kOnes * 0x21) & ~word & kHigh) | zeros(word ^ kOnes * '/') |
                             zeros(word ^ kOnes * '>');
  return static_cast<std::size_t>(std::countr_zero(hits)) / 8;  // 8 if none of them ends the name
}

inline TagLook look_at_tag(const TagTable& tags, const char* open) {
  TagLook out;
  out.closing = open[1] == '/';
  const char* const name = open + (out.closing ? 2 : 1);
  std::uint64_t word = 0;
  std::memcpy(&word, name, sizeof word);
  const std::size_t size = short_name_size(word);
  out.behind_name = name + size;
  if (size == 0 || !ends_name(*out.behind_name, false)) return out;
  const TagTable::Entry& entry =
      tags.find(to_lower_word(word & (~std::uint64_t{0} >> (64 - 8 * size))));
  out.way = out.closing && entry.name != 0 ? TagTable::Way::kPass : entry.way;
  out.element = entry.element;
  return out;
}

// What else ends a run.
struct TagStops {
  bool texts = false;        // a text
  bool anchor_ends = false;  // </a>
  bool images = false;       // <img>, whatever the table says
};

struct TagRun {
  // Why a run ended: at a tag to be read; at a tag that holds a link; at a tag whose attributes
  // must be read to find its end; at a text; at </a>.
  enum class Stop : std::uint8_t { kTag, kTake, kSkip, kText, kAnchorEnd };
  const char* at = nullptr;  // where it ended: at a '<', or anywhere in a text
  Stop stop = Stop::kTag;
  // For kTake and kSkip, like `behind_name`.
  Element element = Element::kUnknown;
  const char* behind_name = nullptr;  // end of the tag's name; for kAnchorEnd behind the '>'
};

struct TagScan {
  std::string_view name;
  // Passes over a flat body, from the start of a tag or from within a text.
  TagRun (*pass)(const TagTable& table, const char* at, const char* end, TagStops stops,
                 TagMarks& marks);
  // Returns the '>' of the tag whose attributes begin at `at`, behind its name, if each is bare or
  // written as name="value". Returns nullptr if one is not, or if the input ends first.
  const char* (*skip)(const char* at, const char* end);
  // Does the same, but also returns nullptr if a name passes the sieve or is bare.
  const char* (*sift)(const char* at, const char* end, const NameSieve& sieve);
  // Returns the end of the end tag of the script or style sheet whose content begins at `at`;
  // nullptr if that cannot be told simply, or if the input ends first.
  const char* (*pass_raw)(const char* at, const char* end, Element element);
  // Returns the end of the comment at `at`, which must begin with "<!--" without a '?' behind it;
  // otherwise, or if the input ends first, nullptr.
  const char* (*pass_comment)(const char* at, const char* end);
};

// The scans that this machine can run; the last is the fastest.
std::span<const TagScan> tag_scans();
inline const TagScan& tag_scan() {
  static const TagScan& best = tag_scans().back();
  return best;
}

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_TAG_RUN_H_
