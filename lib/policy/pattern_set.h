// SPDX-License-Identifier: Apache-2.0
// Thousands of patterns against one URL in one pass.
//
//   PatternSet set;
//   std::string why;
//   if (!set.add(R"(/calendar/\d{4}/)", 7, &why)) report(why);
//   set.compile();
//   std::vector<std::uint32_t> ids;
//   set.match("http://h/calendar/2031/", ids);   // {7}
//
// Patterns are RE2 syntax, unanchored, over bytes; `(?i)` ignores case. Each looks at one field: the whole
// text, or a part of it that is given beside it. How a pattern is tried:
//
//   whole ──▶ LiteralScan ──hit──▶ bucket of that literal: plain texts compared, one RE2 or one RE2::Set
//   field ──▶ one RE2::Set of the patterns that need no literal of three bytes
//
// The literals are those without one of which a pattern cannot match, as RE2's own prefilter names them. No
// pattern is ever tried by itself where its literal does not occur, and where many share a literal their
// Set is run once.
//
// Cost: a scan of the text (1 ns a byte), 150 to 500 ns for each bucket that is hit. compile() takes 20 to
// 40 us a pattern that is more than text. Immutable and thread-safe once compiled.
#ifndef SPINNERET_POLICY_PATTERN_SET_H_
#define SPINNERET_POLICY_PATTERN_SET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::policy {

class PatternSet {
 public:
  PatternSet();
  ~PatternSet();
  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;

  enum class Field : std::uint8_t { kWhole, kFirst, kSecond };
  static constexpr std::size_t kFields = 3;
  struct Texts {
    std::string_view whole;
    std::string_view first;   // part of `whole`, or empty
    std::string_view second;  // the same
  };

  // False where `pattern` is not RE2 syntax: `why` then says what is wrong with it.
  bool add(std::string_view pattern, std::uint32_t id, std::string* why,
           Field field = Field::kWhole);
  // Whole texts that begin with `prefix`, byte for byte.
  void add_prefix(std::string_view prefix, std::uint32_t id);
  void compile();

  bool empty() const;
  // Appends the ids of all patterns that match, ascending, each once.
  void match(const Texts& texts, std::vector<std::uint32_t>& ids) const;
  void match(std::string_view text, std::vector<std::uint32_t>& ids) const {
    match(Texts{text, {}, {}}, ids);
  }
  // The same, by trying every pattern: for tests.
  void match_slow(const Texts& texts, std::vector<std::uint32_t>& ids) const;

  // Patterns that no literal could be found for, so that they cost something on every text; of few texts none.
  std::size_t unfiltered() const;

 private:
  struct Impl;
  Impl& impl();  // made with the first pattern: most sets of most sections have none
  std::unique_ptr<Impl> impl_;
};

// One pattern by itself, for those who have no set: RE2 syntax, unanchored, over bytes. Empty where it is none, and
// `why` says so. What is made is immutable and thread-safe; some 100 ns a short text, less where it is only text.
std::function<bool(std::string_view text)> compile_pattern(std::string_view pattern,
                                                           std::string* why);

// A pattern as a verb: takes all its matches out of the text; false: there is none. Empty where the pattern is none, and
// `why` says so.
std::function<bool(std::string& text)> compile_eraser(std::string_view pattern, std::string* why);

// Whether `pattern` is RE2 syntax.
bool is_pattern(std::string_view pattern, std::string* why);

// A pattern that is only text: `^` or not, characters or escaped punctuation, `$` or not.
struct PlainPattern {
  std::string text;
  bool at_begin = false;
  bool at_end = false;

  bool matches(std::string_view in) const;
};
// False: it is more than text.
bool as_plain_pattern(std::string_view pattern, PlainPattern& out);

// The pattern for the safe form of URLs: "%7e" becomes "~", and "%c3%bc" becomes "%C3%BC", outside of classes.
std::string safe_pattern(std::string_view pattern);

// `text` as a pattern that matches it literally, with a backslash ahead of nothing but what would mean something.
std::string quote_pattern(std::string_view text);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_PATTERN_SET_H_
