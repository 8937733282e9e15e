// SPDX-License-Identifier: Apache-2.0
// Matches thousands of patterns against a URL in one pass.
//
//   PatternSet set;
//   std::string why;
//   if (!set.add(R"(/calendar/\d{4}/)", 7, &why)) report(why);
//   set.compile();
//   std::vector<std::uint32_t> ids;
//   set.match("http://h/calendar/2031/", ids);   // {7}
//
// Patterns have RE2's syntax and are unanchored, over bytes; `(?i)` ignores case. Each is matched
// against one field: the whole text, or one of the parts given with it. A pattern is tried like
// this:
//
//   whole ──▶ LiteralScan ──hit──▶ bucket of that literal: plain texts compared,
//                                                          one RE2 or one RE2::Set
//   field ──▶ one RE2::Set of the patterns that need no literal of three bytes
//
// The literals are those without which a pattern cannot match, as RE2's own prefilter names them. A
// pattern is never tried where its literal does not occur, and patterns that share a literal are
// run together, in one Set.
//
// Cost: a scan of the text (1 ns a byte), and 150 to 500 ns for each bucket that is hit. compile()
// takes 20 to 40 us for a pattern that is more than plain text. Immutable and thread-safe once
// compiled.
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
    std::string_view second;  // likewise
  };

  // Returns false where `pattern` is not RE2 syntax; `why` then says what is wrong.
  bool add(std::string_view pattern, std::uint32_t id, std::string* why,
           Field field = Field::kWhole);
  // Adds a pattern that matches whole texts that begin with `prefix`, byte for byte.
  void add_prefix(std::string_view prefix, std::uint32_t id);
  void compile();

  bool empty() const;
  // Appends the ids of all patterns that match, ascending, each once.
  void match(const Texts& texts, std::vector<std::uint32_t>& ids) const;
  void match(std::string_view text, std::vector<std::uint32_t>& ids) const {
    match(Texts{text, {}, {}}, ids);
  }
  // Gives the same result by trying every pattern; for tests.
  void match_slow(const Texts& texts, std::vector<std::uint32_t>& ids) const;

  // Returns how many patterns have no literal, so that they cost time on every text. 0 before
  // compile().
  std::size_t unfiltered() const;

 private:
  struct Impl;
  // Makes the Impl with the first pattern, since most sections have sets without any.
  Impl& impl();
  std::unique_ptr<Impl> impl_;
};

// Compiles a single pattern, for callers who need no set: RE2 syntax, unanchored, over bytes.
// Returns an empty function where the pattern is invalid, and says why in `why`. The function is
// immutable and thread-safe; a short text takes some 100 ns, or less if the pattern is plain text.
std::function<bool(std::string_view text)> compile_pattern(std::string_view pattern,
                                                           std::string* why);

// Compiles a pattern into a function that removes all its matches from the text, and returns false
// where there is none. Returns an empty function where the pattern is invalid, and says why in
// `why`.
std::function<bool(std::string& text)> compile_eraser(std::string_view pattern, std::string* why);

// Returns whether `pattern` is RE2 syntax.
bool is_pattern(std::string_view pattern, std::string* why);

// A pattern that is plain text: an optional `^`, characters or escaped punctuation, and an optional
// `$`.
struct PlainPattern {
  std::string text;
  bool at_begin = false;
  bool at_end = false;

  bool matches(std::string_view in) const;
};
// Returns false where the pattern is more than plain text.
bool as_plain_pattern(std::string_view pattern, PlainPattern& out);

// Rewrites a pattern for the safe form of URLs: outside of classes "%7e" becomes "~", and "%c3%bc"
// becomes "%C3%BC".
std::string safe_pattern(std::string_view pattern);

// Returns the pattern that matches `text` literally; only characters with a meaning get a
// backslash.
std::string quote_pattern(std::string_view text);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_PATTERN_SET_H_
