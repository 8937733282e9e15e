// SPDX-License-Identifier: Apache-2.0
#include "policy/pattern_set.h"

#include <re2/filtered_re2.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/ascii.h"
#include "policy/literal_scan.h"
#include "url/percent.h"

namespace spinneret::policy {
namespace {

// A literal shorter than this is in too many URLs to be of use.
constexpr int kMinAtom = static_cast<int>(LiteralScan::kMinLength);
// Patterns that need more alternatives than this are cheaper in the Set.
constexpr std::size_t kMaxAtoms = 24;
// Up to this many texts are compared one by one.
constexpr std::size_t kFewTexts = 4;

RE2::Options pattern_options() {
  // URLs are ASCII once parsed, and bytes are the faster alphabet.
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_dot_nl(true);
  return options;
}

constexpr bool is_meta(char c) {
  return std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos;
}

using Field = PatternSet::Field;

bool plain_matches(std::string_view text, bool at_begin, bool at_end, std::string_view in) {
  if (at_begin && at_end) return in == text;
  if (at_begin) return in.starts_with(text);
  if (at_end) return in.ends_with(text);
  return in.find(text) != std::string_view::npos;
}

std::string_view text_of(const PatternSet::Texts& texts, Field field) {
  return field == Field::kWhole ? texts.whole : field == Field::kFirst ? texts.first : texts.second;
}

// One pattern. It is small, as each of many sections may have some.
struct Pattern {
  // Compiles the pattern for this call if there is no `regex`: slow, but right.
  bool found_in(std::string_view whole) const {
    if (is_plain) return plain_matches(text, at_begin, at_end, whole);
    const re2::StringPiece piece(whole.data(), whole.size());
    return regex ? RE2::PartialMatch(piece, *regex)
                 : RE2::PartialMatch(piece, RE2(text, pattern_options()));
  }
  std::string source() const {
    if (!is_plain) return text;
    return (at_begin ? "^" : "") + quote_pattern(text) + (at_end ? "$" : "");
  }

  std::string text;  // the text of a plain pattern, else RE2 syntax
  std::uint32_t id;
  Field field;
  bool is_plain = false;
  bool at_begin = false;
  bool at_end = false;
  // Set where the pattern is tried by itself: one object for all the buckets that its literals put
  // it into.
  std::unique_ptr<RE2> regex = nullptr;
};

// Returns literals of which at least one must occur (in any case) wherever the pattern matches;
// empty: none is known. RE2's prefilter is a monotone formula over atoms. A set of atoms is
// required exactly if the formula is false when all other atoms are true, so atoms are dropped,
// shortest first, as long as that holds.
std::vector<std::string> required_literals(const std::string& pattern) {
  re2::FilteredRE2 filter(kMinAtom);
  int id = 0;
  if (filter.Add(pattern, pattern_options(), &id) != RE2::NoError) return {};
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  if (atoms.empty() || atoms.size() > kMaxAtoms) return {};
  std::vector<int> order(atoms.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return atoms[static_cast<std::size_t>(a)].size() < atoms[static_cast<std::size_t>(b)].size();
  });
  std::vector<int> dropped;
  std::vector<int> possible;
  const auto still_required = [&] {
    possible.clear();
    filter.AllPotentials(dropped, &possible);
    return possible.empty();
  };
  if (!still_required()) return {};
  std::vector<std::string> kept;
  for (const int atom : order) {
    dropped.push_back(atom);
    if (still_required()) continue;
    dropped.pop_back();
    kept.push_back(atoms[static_cast<std::size_t>(atom)]);
  }
  return kept;
}

// Sorts the ids appended from `before` on, and removes repetitions.
void sort_behind(std::size_t before, std::vector<std::uint32_t>& ids) {
  if (ids.size() - before < 2) return;
  const auto first = ids.begin() + static_cast<std::ptrdiff_t>(before);
  std::sort(first, ids.end());
  ids.erase(std::unique(first, ids.end()), ids.end());
}

// One RE2::Set, or its patterns one by one where its automaton outgrows its memory: slow, but
// right.
class SetOf {
 public:
  void add(Pattern& pattern) { patterns_.push_back(&pattern); }
  std::size_t size() const { return patterns_.size(); }

  void compile() {
    if (patterns_.size() == 1) return compile_one_by_one();
    RE2::Options options = pattern_options();
    options.set_max_mem(std::min<std::int64_t>(
        std::int64_t{256} << 20,
        (std::int64_t{8} << 20) + static_cast<std::int64_t>(patterns_.size()) * (64 << 10)));
    set_ = std::make_unique<RE2::Set>(options, RE2::UNANCHORED);
    for (const Pattern* pattern : patterns_) set_->Add(pattern->text, nullptr);
    if (set_->Compile()) return;
    set_.reset();
    compile_one_by_one();
  }

  void match(std::string_view text, std::vector<std::uint32_t>& ids) const {
    std::vector<int> hits;
    RE2::Set::ErrorInfo error{};
    if (set_ && (set_->Match({text.data(), text.size()}, &hits, &error) ||
                 error.kind == RE2::Set::kNoError)) {
      for (const int hit : hits) ids.push_back(patterns_[static_cast<std::size_t>(hit)]->id);
      return;
    }
    for (const Pattern* pattern : patterns_) {
      if (pattern->found_in(text)) ids.push_back(pattern->id);
    }
  }

 private:
  void compile_one_by_one() {
    for (Pattern* pattern : patterns_) {
      if (!pattern->regex) {
        pattern->regex = std::make_unique<RE2>(pattern->text, pattern_options());
      }
    }
  }

  std::vector<Pattern*> patterns_;  // those of the PatternSet, which outlives this
  std::unique_ptr<RE2::Set> set_;
};

// The patterns that are tried once their literal has occurred.
struct Bucket {
  std::vector<const Pattern*> plain;
  std::vector<std::pair<Field, SetOf>> sets;  // one for each field that has patterns

  void add(Pattern& pattern) {
    if (pattern.is_plain) {
      plain.push_back(&pattern);
      return;
    }
    auto set = std::find_if(sets.begin(), sets.end(),
                            [&](const auto& entry) { return entry.first == pattern.field; });
    if (set == sets.end()) set = sets.emplace(sets.end(), pattern.field, SetOf());
    set->second.add(pattern);
  }

  void match(const PatternSet::Texts& texts, std::vector<std::uint32_t>& ids) const {
    for (const Pattern* pattern : plain) {
      if (pattern->found_in(text_of(texts, pattern->field))) ids.push_back(pattern->id);
    }
    for (const auto& [field, set] : sets) set.match(text_of(texts, field), ids);
  }
};

// The buckets that have been tried on a text. Each is tried once, since a URL of a megabyte may
// contain each literal a thousand times. Few literals occur in most texts.
class Tried {
 public:
  explicit Tried(std::size_t buckets) : buckets_(buckets) {}

  // Returns false where the bucket had been added before.
  bool add(std::uint32_t bucket) {
    if (all_.empty()) {
      const auto end = first_.begin() + static_cast<std::ptrdiff_t>(count_);
      if (std::find(first_.begin(), end, bucket) != end) return false;
      if (count_ < first_.size()) {
        first_[count_++] = bucket;
        return true;
      }
      all_.resize(buckets_);
      for (const std::uint32_t known : first_) all_[known] = true;
    }
    if (all_[bucket]) return false;
    return all_[bucket] = true;
  }

 private:
  std::size_t buckets_;
  std::size_t count_ = 0;
  std::array<std::uint32_t, 8> first_ = {};
  std::vector<bool> all_;  // by bucket, once there are more than first_ can take
};

}  // namespace

struct PatternSet::Impl {
  // Sets of a few plain texts do not need this: comparing them one by one takes less time than a
  // scan.
  struct Compiled {
    std::vector<Bucket> buckets;
    LiteralScan scan;
    Bucket always;  // patterns without a useful literal
  };
  std::vector<Pattern> patterns;
  std::unique_ptr<Compiled> compiled;
};

bool PlainPattern::matches(std::string_view in) const {
  return plain_matches(text, at_begin, at_end, in);
}

PatternSet::PatternSet() = default;
PatternSet::~PatternSet() = default;
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;

bool as_plain_pattern(std::string_view pattern, PlainPattern& out) {
  out = {};
  if (pattern.starts_with('^')) {
    out.at_begin = true;
    pattern.remove_prefix(1);
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '$' && i + 1 == pattern.size()) {
      out.at_end = true;
    } else if (c == '\\' && i + 1 < pattern.size() && !is_alnum(pattern[i + 1]) &&
               static_cast<unsigned char>(pattern[i + 1]) < 0x80) {
      out.text += pattern[++i];
    } else if (is_meta(c)) {
      return false;
    } else {
      out.text += c;
    }
  }
  return true;
}

std::function<bool(std::string_view text)> compile_pattern(std::string_view pattern,
                                                           std::string* why) {
  if (PlainPattern plain; as_plain_pattern(pattern, plain)) {
    return [plain](std::string_view text) { return plain.matches(text); };
  }
  const auto regex =
      std::make_shared<RE2>(re2::StringPiece(pattern.data(), pattern.size()), pattern_options());
  if (!regex->ok()) {
    *why = regex->error();
    return {};
  }
  return [regex](std::string_view text) {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex);
  };
}

std::function<bool(std::string& text)> compile_eraser(std::string_view pattern, std::string* why) {
  const auto regex =
      std::make_shared<RE2>(re2::StringPiece(pattern.data(), pattern.size()), pattern_options());
  if (!regex->ok()) {
    *why = regex->error();
    return {};
  }
  return [regex](std::string& text) {
    const std::size_t size = text.size();
    RE2::GlobalReplace(&text, *regex, "");
    return text.size() != size;
  };
}

bool is_pattern(std::string_view pattern, std::string* why) {
  const RE2 regex(re2::StringPiece(pattern.data(), pattern.size()), pattern_options());
  if (!regex.ok() && why != nullptr) {
    *why = regex.error();
    if (regex.error_code() == RE2::ErrorRepeatArgument)
      *why += "; in a regular expression any text is .*";
  }
  return regex.ok();
}

std::string quote_pattern(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_meta(c)) out += '\\';
    if (c == '\0') {
      out += "\\x00";
    } else {
      out += c;
    }
  }
  return out;
}

std::string safe_pattern(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  bool quoted = false;  // \Q...\E
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    const bool repeated = at + 3 < pattern.size() && !quoted &&
                          std::string_view("*+?{").find(pattern[at + 3]) != std::string_view::npos;
    if (is_escape(pattern, at) && !in_class && !repeated) {
      const char value = escape_value(pattern, at);
      if (value == '.' && !quoted) out += '\\';
      if (is_unreserved(value)) {
        out += value;
      } else {
        append_escape(out, value);
      }
      at += 2;
      continue;
    }
    if (c == '\\' && !quoted && !in_class && is_escape(pattern, at + 1)) continue;
    out += c;
    if (c == '\\' && at + 1 < pattern.size() && (!quoted || pattern[at + 1] == 'E')) {
      const char next = pattern[++at];
      out += next;
      if (next == 'Q' || next == 'E') quoted = next == 'Q';
    } else if (!quoted && !in_class && c == '[') {
      in_class = true;
      // A closing bracket stands for itself here: "[]a]", "[^]a]".
      if (at + 1 < pattern.size() && pattern[at + 1] == '^') out += pattern[++at];
      if (at + 1 < pattern.size() && pattern[at + 1] == ']') out += pattern[++at];
    } else if (in_class && pattern.substr(at).starts_with("[:")) {
      const std::size_t end = pattern.find(":]", at + 2);
      if (end == std::string_view::npos) continue;
      out += pattern.substr(at + 1, end + 1 - at);
      at = end + 1;
    } else if (in_class && c == ']') {
      in_class = false;
    }
  }
  return out;
}

bool PatternSet::add(std::string_view pattern, std::uint32_t id, std::string* why, Field field) {
  PlainPattern plain;
  if (as_plain_pattern(pattern, plain)) {
    impl().patterns.push_back(
        {std::move(plain.text), id, field, true, plain.at_begin, plain.at_end});
    return true;
  }
  if (!is_pattern(pattern, why)) return false;
  impl().patterns.push_back({std::string(pattern), id, field});
  return true;
}

void PatternSet::add_prefix(std::string_view prefix, std::uint32_t id) {
  impl().patterns.push_back({std::string(prefix), id, Field::kWhole, true, true, false});
}

PatternSet::Impl& PatternSet::impl() {
  if (impl_ == nullptr) impl_ = std::make_unique<Impl>();
  return *impl_;
}

bool PatternSet::empty() const { return impl_ == nullptr; }

std::size_t PatternSet::unfiltered() const {
  if (impl_ == nullptr || impl_->compiled == nullptr) return 0;
  const Bucket& always = impl_->compiled->always;
  std::size_t count = always.plain.size();
  for (const auto& [field, set] : always.sets) count += set.size();
  return count;
}

void PatternSet::compile() {
  if (impl_ == nullptr) return;
  impl_->patterns.shrink_to_fit();
  std::vector<Pattern>& patterns = impl_->patterns;
  const bool few =
      patterns.size() <= kFewTexts &&
      std::all_of(patterns.begin(), patterns.end(), [](const Pattern& p) { return p.is_plain; });
  if (few) return;
  impl_->compiled = std::make_unique<Impl::Compiled>();
  auto& [buckets, scan, always] = *impl_->compiled;
  std::unordered_map<std::string, std::uint32_t> bucket_of;
  for (Pattern& pattern : patterns) {
    std::vector<std::string> literals;
    if (!pattern.is_plain) {
      literals = required_literals(pattern.text);
    } else if (pattern.text.size() >= LiteralScan::kMinLength) {
      literals.push_back(to_lower_copy(pattern.text));
    }
    if (literals.empty()) always.add(pattern);
    for (const std::string& literal : literals) {
      const auto [entry, is_new] =
          bucket_of.emplace(literal, static_cast<std::uint32_t>(buckets.size()));
      if (is_new) {
        scan.add(literal, entry->second);
        buckets.emplace_back();
      }
      buckets[entry->second].add(pattern);
    }
  }
  scan.compile();
  for (auto& [field, set] : always.sets) set.compile();
  for (Bucket& bucket : buckets) {
    for (auto& [field, set] : bucket.sets) set.compile();
  }
}

void PatternSet::match(const Texts& texts, std::vector<std::uint32_t>& ids) const {
  if (impl_ == nullptr) return;
  const std::size_t before = ids.size();
  if (impl_->compiled == nullptr) {
    for (const Pattern& pattern : impl_->patterns) {
      if (pattern.found_in(text_of(texts, pattern.field))) ids.push_back(pattern.id);
    }
  } else {
    const Impl::Compiled& compiled = *impl_->compiled;
    Tried tried(compiled.buckets.size());
    compiled.scan.find(texts.whole, [&](std::uint32_t at) {
      if (tried.add(at)) compiled.buckets[at].match(texts, ids);
    });
    compiled.always.match(texts, ids);
  }
  sort_behind(before, ids);
}

void PatternSet::match_slow(const Texts& texts, std::vector<std::uint32_t>& ids) const {
  if (impl_ == nullptr) return;
  const std::size_t before = ids.size();
  for (const Pattern& pattern : impl_->patterns) {
    const RE2 regex(pattern.source(), pattern_options());
    const std::string_view text = text_of(texts, pattern.field);
    if (RE2::PartialMatch({text.data(), text.size()}, regex)) ids.push_back(pattern.id);
  }
  sort_behind(before, ids);
}

}  // namespace spinneret::policy
