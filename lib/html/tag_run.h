// SPDX-License-Identifier: Apache-2.0
// Runs of tags that pass unread: which tags those are, and the scan over them.
//
//   TagTable table;                                          // filled once, from what is wanted
//   TagRun run = tag_scan().pass(table, at, end, {});        // to the first tag that may matter
//
// The scan is compiled for the instruction sets that are worth it and chosen when the program runs: AVX2 with PCLMULQDQ,
// 16 bytes at a time where the compiler has them for all (SSE2, NEON), and without either. It never reads past `end`.
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

// Whether a <p> may be open that the start tag of a block would close, as far as tags tell without a stack: there is one
// at most in a button's scope (13.2.4.2), and those of parts of tables have none below them, for a <table> closes it.
struct TagMarks {
  enum : std::uint8_t { kNone, kParagraph, kFence };
  bool paragraph = false;
  bool below = false;  // behind a fence, which </p> does not see past
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

// What is done with a tag of each element.
class TagTable {
 public:
  // Left to the tokenizer; passed over; passed over where no attribute's name passes the sieve; taken for a link; passed
  // over with its content, which is a script or a style sheet.
  enum class Way : std::uint8_t { kStop, kPass, kSift, kTake, kRaw };
  struct Entry {
    std::uint64_t name = 0;  // in lower case, NULs behind it
    Element element = Element::kUnknown;
    Way way = Way::kStop;   // of a start tag, where the tree is told of it
    Way flat = Way::kStop;  // and where it is not: see FlatBody
    std::uint8_t mark = TagMarks::kNone;
  };
  static constexpr std::size_t kMaxName = sizeof(std::uint64_t);

  void add(std::string_view name, Element element, Way way, Way flat);
  // The entry of a name, or one that says to stop.
  const Entry& find(std::uint64_t name) const {
    std::size_t slot = slot_of(name);
    while (entries_[slot].name != name && entries_[slot].name != 0)
      slot = (slot + 1) % entries_.size();
    return entries_[slot];
  }
  void set_unknown(Way way) { unknown_ = way; }
  // Of a name that no element of the standard has, in a flat body.
  Way unknown() const { return unknown_; }

  NameSieve sieve;
  bool passes_comments = false;  // but for those that begin with a '?'

 private:
  static std::size_t slot_of(std::uint64_t name) { return (name * 0x9E3779B97F4A7C15u) >> 55; }
  std::array<Entry, 512> entries_{};
  Way unknown_ = Way::kStop;
};

// The tag at a '<', and what is done with it where the tree is told of each: end tags of known names pass.
struct TagLook {
  TagTable::Way way = TagTable::Way::kStop;
  Element element = Element::kUnknown;
  const char* behind_name = nullptr;
  bool closing = false;
};
// Bytes from the '<' on that look_at_tag() reads.
inline constexpr std::ptrdiff_t kTagReach = 16;

// How many of the eight bytes of `word`, the first one lowest, stand before white space, a control, '/' or '>'.
inline std::size_t short_name_size(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  constexpr std::uint64_t kHigh = kOnes * 0x80;
  const auto zeros = [](std::uint64_t w) { return (w - kOnes) & ~w & kHigh; };
  // The lowest bit that is set is right, the others may be carries.
  const std::uint64_t hits = ((word - kOnes * 0x21) & ~word & kHigh) | zeros(word ^ kOnes * '/') |
                             zeros(word ^ kOnes * '>');
  return static_cast<std::size_t>(std::countr_zero(hits)) / 8;  // 8 where there is none
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
  // A tag to be read; one that holds a link; one whose attributes are to be read to find its end; a text; </a>.
  enum class Stop : std::uint8_t { kTag, kTake, kSkip, kText, kAnchorEnd };
  const char* at = nullptr;  // where it ends: at a '<', or anywhere in a text
  Stop stop = Stop::kTag;
  Element element = Element::kUnknown;  // of kTake and kSkip, as is
  const char* behind_name = nullptr;    // of them; of kAnchorEnd behind the '>'
};

struct TagScan {
  std::string_view name;
  // Over a flat body, from the start of a tag or from within a text.
  TagRun (*pass)(const TagTable& table, const char* at, const char* end, TagStops stops,
                 TagMarks& marks);
  // The '>' of the tag whose attributes begin at `at`, behind its name, where each is written as name="value" or is bare;
  // nullptr: one is not, or the input ends first.
  const char* (*skip)(const char* at, const char* end);
  // The same where no name passes the sieve or is bare.
  const char* (*sift)(const char* at, const char* end, const NameSieve& sieve);
  // Behind the end tag of the script or style sheet whose content begins at `at`; nullptr: that is not plain to see, or the
  // input ends first.
  const char* (*pass_raw)(const char* at, const char* end, Element element);
  // Behind the comment at `at`, which begins with "<!--" and no '?'; nullptr: it does not, or the input ends first.
  const char* (*pass_comment)(const char* at, const char* end);
};

// Those that this machine has, the best last.
std::span<const TagScan> tag_scans();
inline const TagScan& tag_scan() {
  static const TagScan& best = tag_scans().back();
  return best;
}

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_TAG_RUN_H_
