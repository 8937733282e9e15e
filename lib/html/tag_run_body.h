// SPDX-License-Identifier: Apache-2.0
// The scan over tags. This file is included once for each instruction set, which defines Block64,
// find_open(), name_ends() and parity(), and SPINNERET_TAG_TARGET: functions to be inlined must
// carry the same target attribute.

// Returns the '>' of the tag whose attributes begin at `at`, behind its name, if each attribute is
// name="value" or a bare name; nullptr if one is written otherwise, or if the input may end first.
// A quoted value may contain anything. Outside of quotes a '>' always ends the tag, a quote must
// follow a '=', and a '=' must follow a name.
//
//   <a href="x>y" b>      quotes   00000001000010000
//                         inside   00000001111100000    parity of the quotes so far
//
// Nine tags in ten have only such attributes. With a sieve the result is also nullptr if a name
// passes the sieve, or is bare. Each step takes 64 bytes, without a branch on what they are.
template <bool kSieve>
SPINNERET_TAG_TARGET inline const char* skip_quoted(const char* at, const char* end,
                                                    const NameSieve* sieve) {
  std::uint64_t inside_before = 0;   // all ones where the step begins inside a value
  std::uint64_t equals_before = 0;   // 1: the byte before the step is a '=' that needs a quote
  std::uint64_t no_name_before = 1;  // 1: the byte before the step is not part of a name
  for (; end - at >= 64; at += 64) {
    const Block64 block(at);
    const std::uint64_t quotes = block.equal('"');
    const std::uint64_t inside = parity(quotes) ^ inside_before;
    const std::uint64_t equals = block.equal('=') & ~inside;
    const std::uint64_t no_name = block.blank_or_slash() | quotes;
    const std::uint64_t ends = block.equal('>') & ~inside;
    std::uint64_t odd = (block.equal('\'') & ~inside) |
                        ((quotes & inside) ^ (equals << 1 | equals_before)) |
                        (equals & (no_name << 1 | no_name_before));
    if constexpr (kSieve) {
      // Behind a name there must be a '='; otherwise it is bare.
      const std::uint64_t behind_name =
          ~(no_name << 1 | no_name_before) & ~(inside << 1 | (inside_before & 1));
      odd |= behind_name & (no_name | ends) & ~(equals << 1 | equals_before) & ~inside;
    }
    const std::uint64_t below = ends == 0 ? ~std::uint64_t{0} : (ends & (~ends + 1)) - 1;
    // The '>' must not stand where a quote is due.
    if ((odd & (below << 1 | 1)) != 0) return nullptr;
    if constexpr (kSieve) {
      for (std::uint64_t rest = equals & below; rest != 0; rest &= rest - 1) {
        if (sieve->passes(at + std::countr_zero(rest))) return nullptr;
      }
    }
    if (ends != 0) return at + std::countr_zero(ends);
    inside_before = ~((inside >> 63) - 1);
    equals_before = equals >> 63;
    no_name_before = no_name >> 63;
  }
  return nullptr;
}

SPINNERET_TAG_TARGET inline const char* skip_tag(const char* at, const char* end) {
  return skip_quoted<false>(at, end, nullptr);
}

SPINNERET_TAG_TARGET inline const char* sift_tag(const char* at, const char* end,
                                                 const NameSieve& sieve) {
  return skip_quoted<true>(at, end, &sieve);
}

// Returns the end of the end tag whose name begins at `name`, if the tag is just that name;
// otherwise nullptr.
SPINNERET_TAG_TARGET inline const char* behind_plain_end(const char* name) {
  const unsigned ends = name_ends(name);
  if (ends == 0 || !is_alpha(*name)) return nullptr;
  const char* const close = name + std::countr_zero(ends);
  return *close == '>' ? close + 1 : nullptr;
}

inline bool is_word(std::uint64_t bytes, std::string_view lower) {
  const std::uint64_t ones = 0x0101010101010101u & (~std::uint64_t{0} >> (64 - 8 * lower.size()));
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < lower.size(); ++i)
    wanted |= std::uint64_t{static_cast<unsigned char>(lower[i])} << (8 * i);
  return ((bytes | ones * 0x20) & ones * 0xFF) == wanted;
}

// Returns the end of the end tag at `at`, or nullptr if it does not pass. (</form> does not:
// FlatBody has a rule for it.)
SPINNERET_TAG_TARGET inline const char* behind_passed_end(const char* at) {
  const char* const behind = behind_plain_end(at + 2);
  if (behind != at + 7) return behind;
  std::uint64_t word = 0;
  std::memcpy(&word, at + 2, sizeof word);
  return is_word(word, "form") ? nullptr : behind;
}

// Number of bytes behind a '<' that are looked at without a bounds check.
constexpr std::ptrdiff_t kReach = 32;

// "<!-->" and "<!--->" are complete comments.
SPINNERET_TAG_TARGET inline const char* pass_comment(const char* at, const char* end) {
  constexpr std::ptrdiff_t kCommentReach = 34;
  if (end - at < 5 || at[1] != '!' || at[2] != '-' || at[3] != '-' || at[4] == '?') return nullptr;
  const char* const text = at + 4;
  for (const char* from = at + 2; end - from > kCommentReach; ++from) {
    from = find_dashes(from, end - kCommentReach);
    if (from == nullptr) return nullptr;
    if (from[2] == '>') return from + 3;
    if (from[3] == '>' && from >= text) return from + 4;
  }
  return nullptr;
}

// 13.2.5.15 to 13.2.5.31: inside a comment a "<script" hides the next end tag; such a case is left
// to the tokenizer.
SPINNERET_TAG_TARGET inline const char* pass_raw(const char* at, const char* end, Element element) {
  const bool script = element == Element::kScript;
  const std::string_view name = script ? "script" : "style";
  if (end - at < kReach) return nullptr;
  const char* const last = end - kReach;
  bool comment = false;
  for (; at < last; ++at) {
    at = find_open(at, last);
    if (at >= last || *at != '<') break;
    std::uint64_t word = 0;
    std::memcpy(&word, at + 2, sizeof word);
    if (at[1] == '/') {
      if (!is_word(word, name) || !ends_name(at[2 + name.size()], false)) continue;
      return at[2 + name.size()] == '>' ? at + 3 + name.size() : nullptr;
    }
    if (!script) continue;
    if (at[1] == '!') comment = comment || (at[2] == '-' && at[3] == '-');
    if (comment && (at[1] | 0x20) == 's') return nullptr;  // perhaps "<script"
  }
  return nullptr;
}

using Way = TagTable::Way;

// Returns the end of the end tag at `at`; nullptr if the run ends, with the reason in `run`.
[[gnu::always_inline]] SPINNERET_TAG_TARGET inline const char* pass_end(const char* at,
                                                                        bool stops_at_anchor,
                                                                        TagMarks& marks,
                                                                        TagRun& run) {
  const char* const behind = behind_passed_end(at);
  if (behind != at + 4) return behind;
  const int letter = at[2] | 0x20;
  if (letter == 'p') marks.end_paragraph();
  if (!stops_at_anchor || letter != 'a') return behind;
  run = {at, TagRun::Stop::kAnchorEnd, Element::kA, behind};
  return nullptr;
}

// Returns why a run ends at a start tag whose attributes are not written plainly. Only the tree can
// judge parts of tables.
inline TagRun::Stop stop_at_odd(const TagTable::Entry& entry, Way way) {
  if (way == Way::kPass) return TagRun::Stop::kSkip;
  const bool known = entry.name != 0 && !has_flag(entry.element, kTablePartFlag);
  return known ? TagRun::Stop::kTake : TagRun::Stop::kTag;
}

// Does the same as pass_end() for anything that is not an end tag.
[[gnu::always_inline]] SPINNERET_TAG_TARGET inline const char* pass_start(
    const TagTable& table, const char* at, const char* end, bool takes_images, TagMarks& marks,
    TagRun& run) {
  const char* const name = at + 1;
  const auto size = static_cast<std::size_t>(std::countr_zero(name_ends(name) | 1u << 15));
  if (size > TagTable::kMaxName || size == 0 || !is_alpha(*name))
    return table.passes_comments ? pass_comment(at, end) : nullptr;
  const char* const behind_name = name + size;
  if (!ends_name(*behind_name, false)) return nullptr;
  std::uint64_t word = 0;
  std::memcpy(&word, name, sizeof word);
  word = (word | 0x2020202020202020u) & (~std::uint64_t{0} >> (64 - 8 * size));
  const TagTable::Entry& entry = table.find(word);
  Way way = entry.name == 0 ? table.unknown() : entry.flat;
  if (takes_images && entry.element == Element::kImg) way = Way::kTake;
  if (way == Way::kStop) return nullptr;
  if (way == Way::kTake) {
    run = {at, TagRun::Stop::kTake, entry.element, behind_name};
    return nullptr;
  }
  const char* close = behind_name;
  if (*close != '>') {
    close = way != Way::kSift ? skip_quoted<false>(close, end, nullptr)
                              : skip_quoted<true>(close, end, &table.sieve);
  }
  if (close == nullptr) {
    run = {at, stop_at_odd(entry, way), entry.element, behind_name};
    return nullptr;
  }
  if (entry.mark != TagMarks::kNone) marks.start(entry.mark);
  if (way != Way::kRaw) return close + 1;
  return pass_raw(close + 1, end, entry.element);
}

SPINNERET_TAG_TARGET inline TagRun pass_tags(const TagTable& table, const char* at, const char* end,
                                             TagStops stops, TagMarks& marks) {
  TagRun run;
  while (end - at >= kReach) {
    if (*at != '<') {
      if (stops.texts) return {at, TagRun::Stop::kText, Element::kUnknown, nullptr};
      // The result is the same whatever the size of a step.
      at = std::min(find_open(at, end - kReach), end - kReach);
      if (*at != '<') break;
    }
    const char* const behind = at[1] == '/' ? pass_end(at, stops.anchor_ends, marks, run)
                                            : pass_start(table, at, end, stops.images, marks, run);
    if (behind == nullptr) break;
    at = behind;
  }
  run.at = at;
  return run;
}
