// SPDX-License-Identifier: Apache-2.0
#include "dedupe/paragraphs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/ascii.h"
#include "dedupe/page_text.h"

namespace spinneret::dedupe {
namespace {

// Returns where the first line of `text` ends; `text` is escaped, and \n stands for a line's end.
std::size_t escaped_line(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const void* const found = std::memchr(text.data() + at, '\\', text.size() - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    if (at + 1 < text.size() && text[at + 1] == 'n') return at;
    at += 2;
  }
  return text.size();
}

// Replaces escapes by spaces: those of a tab and the like separate words, as a backslash does.
void unescape_to_words(std::string_view text, std::string& out) {
  out.assign(text);
  for (std::size_t at = out.find('\\'); at != std::string::npos; at = out.find('\\', at + 2)) {
    out[at] = ' ';
    if (at + 1 < out.size()) out[at + 1] = ' ';
  }
}

// Returns whether a stop behind the word does not end a sentence.
bool is_short_form(std::string_view word) {
  constexpr std::string_view kForms[] = {"dr", "fig", "mr", "mrs", "ms", "no", "prof", "st", "vs"};
  if (word.size() == 1) return is_alpha(word[0]);
  return std::any_of(std::begin(kForms), std::end(kForms), [word](std::string_view form) {
    return word.size() == form.size() && starts_with_ignore_case(word, form);
  });
}

// The first bytes of stops: those of ASCII, and the lead bytes of the others in UTF-8.
constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (const int c : {0x2E, 0x21, 0x3F, 0xE2, 0xE3, 0xEF, 0xD8, 0xE0}) {
    stops[static_cast<std::size_t>(c)] = true;
  }
  return stops;
}();

// Return the length in bytes of a sentence's stop, and of what may follow a stop: quotation marks
// and brackets that close, and further stops.
std::size_t stop_length(std::string_view text) {
  if (!kStops[static_cast<unsigned char>(text[0])]) return 0;
  if (text[0] == '.' || text[0] == '!' || text[0] == '?') return 1;
  for (const std::string_view stop : {"\u2026", "\u3002", "\uff01", "\uff1f", "\u061f", "\u0964"}) {
    if (text.starts_with(stop)) return stop.size();
  }
  return 0;
}
std::size_t closing_length(std::string_view text) {
  if (text.empty()) return 0;
  if (std::string_view("\"')]}").find(text[0]) != std::string_view::npos) return 1;
  for (const std::string_view mark : {"\u2019", "\u201d", "\u00bb", "\u300d", "\u300f"}) {
    if (text.starts_with(mark)) return mark.size();
  }
  return stop_length(text);
}

// Returns whether the stop at `at` ends a sentence; with closing marks the stop reaches to `end`.
bool ends_sentence(std::string_view text, std::size_t at, std::size_t end) {
  if (end == text.size() || text.substr(at).starts_with("\u3002") ||
      text.substr(at).starts_with("\uff01") || text.substr(at).starts_with("\uff1f")) {
    // These are stops of scripts without spaces.
    return true;
  }
  if (!is_space(text[end])) return false;
  const std::size_t next = text.find_first_not_of(' ', end);
  if (next != std::string_view::npos && is_lower(text[next])) return false;
  std::size_t word = at;
  while (word > 0 && is_alnum(text[word - 1])) --word;
  return text[at] != '.' || !is_short_form(text.substr(word, at - word));
}

// Calls visit(run) for each run of `length` words, or once for all words where there are fewer.
// `starts` has `length` elements, for the places where the last words begin.
template <typename Visit>
void each_shingle(std::string_view words, std::vector<std::size_t>& starts, const Visit& visit) {
  const std::size_t length = starts.size();
  std::size_t last = 0;  // index into starts: the next place to be overwritten
  std::size_t begin = 0;
  for (std::size_t count = 1; begin < words.size(); ++count) {
    starts[last] = begin;
    last = last + 1 == length ? 0 : last + 1;
    begin = words.find(' ', begin) + 1;
    const bool enough = count >= length;
    if (enough || begin == words.size()) {
      const std::size_t first = enough ? starts[last] : 0;
      visit(words.substr(first, begin - first));
    }
  }
}

// So many keys are hashed and asked for at once.
constexpr std::size_t kKeys = std::size_t{1} << 16;

}  // namespace

std::size_t sentence_length(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!kStops[static_cast<unsigned char>(text[at])]) continue;
    const std::size_t stop = stop_length(text.substr(at));
    if (stop == 0) continue;
    std::size_t end = at + stop;
    while (const std::size_t more = closing_length(text.substr(end))) end += more;
    if (ends_sentence(text, at, end)) return end;
    at = end - 1;
  }
  return text.size();
}

ParagraphJudge::ParagraphJudge(std::unique_ptr<SeenSet> set, const ParagraphRule& rule,
                               bool only_look)
    : set_(std::move(set)),
      rule_(rule),
      only_look_(only_look),
      answers_(std::make_unique<bool[]>(kKeys)) {
  rule_.words = std::max<std::uint64_t>(rule_.words, 1);
}

void ParagraphJudge::clear() {
  paragraphs_.clear();
  texts_.assign(1, 0);
  parts_.clear();
  text_parts_.assign(1, 0);
  joined_.clear();
}

void ParagraphJudge::add(std::string_view text, bool escaped) {
  while (escaped) {
    const std::size_t end = escaped_line(text);
    add_line(text.substr(0, end), true);
    if (end == text.size()) break;
    text.remove_prefix(end + 2);
  }
  if (!escaped) add_line(text, false);
  texts_.push_back(paragraphs_.size());
  text_parts_.push_back(parts_.size());
}

void ParagraphJudge::add_line(std::string_view line, bool escaped) {
  if (rule_.sentences == 0) return add_paragraph(line, true, escaped);
  bool starts_line = true;
  do {
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t length = spaces + sentence_length(line.substr(spaces));
    add_paragraph(line.substr(0, length), starts_line, escaped);
    line.remove_prefix(length);
    starts_line = false;
  } while (!line.empty());
}

void ParagraphJudge::add_paragraph(std::string_view text, bool starts_line, bool escaped) {
  std::string_view plain = text;
  if (escaped && text.find('\\') != std::string_view::npos) {
    unescape_to_words(text, plain_);
    plain = plain_;
  }
  page_text(plain, false, normal_);
  const auto words = static_cast<std::uint64_t>(std::count(normal_.begin(), normal_.end(), ' '));
  if (words == 0 && !starts_line) {  // a number, an ellipsis: joins the part before it
    std::string_view& last = paragraphs_.back().text;
    last = {last.data(), last.size() + text.size()};
    return;
  }
  paragraphs_.push_back({text, starts_line});
  if (words < (rule_.sentences == 0 ? rule_.words : 1)) return;
  parts_.push_back({joined_.size(), static_cast<std::uint32_t>(paragraphs_.size() - 1),
                    static_cast<std::uint32_t>(words)});
  joined_ += normal_;
}

// Calls visit(first, end) for each run of sentences that is compared, as indices into parts_, text
// by text.
template <typename Visit>
void ParagraphJudge::each_run(const Visit& visit) const {
  for (std::size_t text = 0; text + 1 < text_parts_.size(); ++text) {
    const std::size_t end = text_parts_[text + 1];
    std::size_t last = text_parts_[text];
    std::uint64_t words = 0;
    for (std::size_t first = last; first < end; ++first) {
      while (last < end && last - first < rule_.sentences) words += parts_[last++].words;
      if (words >= rule_.words) visit(first, last);
      if (last == end) break;
      words -= parts_[first].words;
    }
  }
}

// Visits all keys, in the order in which fresh_ has their answers.
template <typename Visit>
void ParagraphJudge::each_key(const Visit& visit) const {
  if (rule_.sentences != 0) {
    each_run([&](std::size_t first, std::size_t end) { visit(words_of(first, end)); });
    return;
  }
  std::vector<std::size_t> starts(rule_.shingle);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::string_view words = words_of(i, i + 1);
    rule_.shingle == 0 ? visit(words) : each_shingle(words, starts, visit);
  }
}

Status ParagraphJudge::judge() {
  fresh_.clear();
  keys_.clear();
  Status done;
  each_key([&](std::string_view key) {
    keys_.push_back(key);
    if (keys_.size() == kKeys && done.ok()) done = ask();
  });
  if (done.ok()) done = ask();
  if (!done.ok()) return done;
  if (rule_.sentences != 0) {
    take_runs();
  } else if (rule_.shingle != 0) {
    take_shares();
  } else {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      paragraphs_[parts_[i].paragraph].seen = !fresh_[i];
    }
  }
  return {};
}

Status ParagraphJudge::ask() {
  Status done = only_look_ ? set_->find_batch(keys_, answers_.get())
                           : set_->insert_batch(keys_, answers_.get());
  fresh_.insert(fresh_.end(), answers_.get(), answers_.get() + keys_.size());
  keys_.clear();
  return done;
}

// Marks the sentences of each run that was seen, except those that it shares with the run that it
// repeats: of "a. a. a. a." three stay.
void ParagraphJudge::take_runs() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  each_run([&](std::size_t first, std::size_t end) {
    runs.emplace_back(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end));
  });
  const auto words = [&](std::size_t run) { return words_of(runs[run].first, runs[run].second); };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (fresh_[i]) continue;
    std::size_t first = runs[i].first;
    for (std::size_t back = i; back-- > 0 && runs[back].second > runs[i].first;) {
      if (!fresh_[back] || words(back) != words(i)) continue;
      first = runs[back].second;
      break;
    }
    for (; first < runs[i].second; ++first) paragraphs_[parts_[first].paragraph].seen = true;
  }
}

// A run that recurs within its paragraph counts once.
void ParagraphJudge::take_shares() {
  std::unordered_set<std::string_view> own;
  std::vector<std::size_t> starts(rule_.shingle);
  std::size_t key = 0;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    const Part& part = parts_[number];
    const std::size_t first = key;
    key += part.words < rule_.shingle ? 1 : part.words - rule_.shingle + 1;
    std::size_t seen = 0;
    for (std::size_t i = first; i < key; ++i) seen += !fresh_[i];
    const auto enough = [this](std::size_t some, std::size_t all) {
      return static_cast<double>(some) >= rule_.share * static_cast<double>(all) - 1e-9;
    };
    // Where keys are inserted, repeated ones count as seen, so that the share of all keys is not
    // less than that of the distinct ones.
    if (seen == 0 || (!only_look_ && !enough(seen, key - first))) continue;
    own.clear();
    seen = 0;
    std::size_t at = first;
    each_shingle(words_of(number, number + 1), starts, [&](std::string_view shingle) {
      seen += own.insert(shingle).second && !fresh_[at];
      ++at;
    });
    paragraphs_[part.paragraph].seen = enough(seen, own.size());
  }
}

std::size_t join_unseen(std::span<const Paragraph> paragraphs, std::string_view separator,
                        std::string& out) {
  out.clear();
  std::size_t seen = 0;
  bool any = false;
  bool in_line = false;
  for (const Paragraph& paragraph : paragraphs) {
    if (paragraph.starts_line) in_line = false;
    seen += paragraph.seen;
    if (paragraph.seen) continue;
    if (!in_line && any) out += separator;
    const std::size_t spaces = paragraph.text.find_first_not_of(' ');
    const bool cut = !in_line && !paragraph.starts_line && spaces != std::string_view::npos;
    out += paragraph.text.substr(cut ? spaces : 0);
    any = in_line = true;
  }
  return seen;
}

std::string seen_numbers(std::span<const Paragraph> paragraphs) {
  std::string out;
  for (std::size_t i = 0; i < paragraphs.size();) {
    if (!paragraphs[i].seen) {
      ++i;
      continue;
    }
    const std::size_t first = ++i;
    while (i < paragraphs.size() && paragraphs[i].seen) ++i;
    out += (out.empty() ? "" : ",") + std::to_string(first);
    if (i > first) out += "-" + std::to_string(i);
  }
  return out;
}

}  // namespace spinneret::dedupe
