// SPDX-License-Identifier: Apache-2.0
#include "html/skimmer.h"

#include "base/ascii.h"
#include "html/scan.h"

namespace spinneret::html {

using Way = TagTable::Way;

namespace {

// Whether the start tag in the head does nothing but make an element there.
bool is_of_head(Element element) {
  return element == Element::kMeta || element == Element::kLink || element == Element::kScript ||
         element == Element::kStyle;
}

// How the tokenizer reads the text of an element that the skimmer takes.
TextMode raw_text_mode(Element element) {
  return element == Element::kScript  ? TextMode::kScript
         : element == Element::kStyle ? TextMode::kRawtext
                                      : TextMode::kData;
}

}  // namespace

// Reads the start tag at `at`, which may hold a link. Returns false if it is the last tag of this
// run.
inline bool Skimmer::take_tag(const char* at, const char* behind_name, Element element,
                              const Placement& place) {
  const std::string_view name(at + 1, static_cast<std::size_t>(behind_name - at - 1));
  tokenizer_.pass_to(at);
  if (tokenizer_.start_tag(walk_.token_, element, name, behind_name) != TokenType::kStartTag)
    return false;
  walk_.place(place);
  return !walk_.parts_.facts.restart() && !list_.is_full();
}

// --- in the head ---

bool Skimmer::skim_head() {
  const char* const end = tokenizer_.input_end();
  const char* at = tokenizer_.at();
  while (true) {
    const char* open = at;
    while (open != end && is_space(*open)) ++open;
    if (end - open < kTagReach || *open != '<') return stop(at);
    at = open;
    if (open[1] == '!') {
      const char* const behind =
          tags_.passes_comments ? tag_scan().pass_comment(open, end) : nullptr;
      if (behind == nullptr) return stop(at);
      at = behind;
      continue;
    }
    const TagLook tag = look_at_tag(tags_, open);
    if (tag.closing || !is_of_head(tag.element)) return stop(at);
    if (!take_flat({at, TagRun::Stop::kTake, tag.element, tag.behind_name})) {
      // The content that the tokenizer must read is an element's text for the tree, too.
      if (!tokenizer_.in_data()) pages_.tree().start_tag(walk_.token_);
      return true;
    }
    at = tokenizer_.at();
  }
}

// --- without the tree ---

// Passes over the content and end tag of the script or style sheet whose start tag was read.
// Returns false if the tokenizer must read them.
bool Skimmer::pass_raw(Element element) {
  if (walk_.parts_.embedded.reads_raw_text()) return false;
  const char* const behind = tag_scan().pass_raw(tokenizer_.at(), tokenizer_.input_end(), element);
  if (behind == nullptr) return false;
  tokenizer_.leave_raw_text(behind);
  return true;
}

// Reads the words of an anchor up to the next '<'. Returns false if that is too near to the end.
inline bool Skimmer::pass_text(const char*& at) {
  const char* const end = tokenizer_.input_end();
  const char* const open = find_byte(at, end, '<');
  if (end - open < kTagReach) return false;
  list_.add_raw_words({at, static_cast<std::size_t>(open - at)});
  at = open;
  return true;
}

// Reads the start tag at the end of a run, and the content of a script or style sheet. Returns
// false if the run cannot continue behind it.
inline bool Skimmer::take_flat(const TagRun& run) {
  const Wanted* const of_anchor = walk_.parts_.wanted.of_anchor();
  if (run.element == Element::kA && of_anchor != nullptr) {
    AnchorAttributes attributes(walk_.parts_.wanted.anchor_others());
    const char* const close =
        Tokenizer::read_anchor(run.behind_name, tokenizer_.input_end(), attributes);
    if (close != nullptr && !attributes.has_others())
      return take_anchor(run.at, close, attributes, *of_anchor);
  }
  pages_.marks().start(mark_of(run.element));
  const TextMode text = raw_text_mode(run.element);
  const Placement place{.inserted = true, .element = run.element, .text = text};
  if (!take_tag(run.at, run.behind_name, run.element, place)) return false;
  return text == TextMode::kData || pass_raw(run.element);
}

// Skips a tag of which only the end matters. Returns false if the input ends inside it.
bool Skimmer::skip_flat(const TagRun& run) {
  bool self_closing = false;
  const char* const close =
      Tokenizer::skip_attributes(run.behind_name, tokenizer_.input_end(), self_closing);
  tokenizer_.pass_to(close == nullptr ? tokenizer_.input_end() : close + 1);
  pages_.marks().start(mark_of(run.element));
  return close != nullptr;
}

bool Skimmer::take_anchor(const char* at, const char* close, const AnchorAttributes& attributes,
                          const Wanted& wanted) {
  tokenizer_.pass_to(at);
  list_.note_body(true);
  walk_.parts_.collector.visit_anchor(tokenizer_.position(), attributes, wanted);
  tokenizer_.pass_to(close + 1);
  return !list_.is_full();
}

// Passes over tags that change nothing but the text of an anchor, reads those that may hold a link,
// and leaves the tokenizer where a token begins.
bool Skimmer::skim_flat() {
  const char* const end = tokenizer_.input_end();
  const char* at = tokenizer_.at();
  while (true) {
    const AnchorText& anchor = list_.anchor();
    const TagStops stops{.texts = list_.wants_words(),
                         .anchor_ends = anchor.open(),
                         .images = anchor.open() && anchor.empty()};
    const TagRun run = tag_scan().pass(tags_, at, end, stops, pages_.marks());
    at = run.at;
    switch (run.stop) {
      case TagRun::Stop::kTag: return stop(at);
      case TagRun::Stop::kAnchorEnd:
        list_.end_text();
        at = run.behind_name;
        break;
      case TagRun::Stop::kText:
        if (!pass_text(at)) return stop(at);
        break;
      case TagRun::Stop::kSkip:
        if (!skip_flat(run)) return true;
        at = tokenizer_.at();
        break;
      case TagRun::Stop::kTake:
        if (!take_flat(run)) return true;
        at = tokenizer_.at();
        break;
    }
  }
}

// --- with the tree ---

// Does the same, but tells the tree about each tag.
bool Skimmer::skim_told() {
  Tree& tree = pages_.tree();
  const char* at = tokenizer_.at();
  const char* const end = tokenizer_.input_end();
  while (tree.is_plain()) {
    const char* const open = at != end && *at == '<' ? at : find_byte(at, end, '<');
    if (end - open < kTagReach) break;
    const std::string_view words(at, static_cast<std::size_t>(open - at));
    if (!words.empty()) tree.plain_text(words);
    if (!words.empty() && list_.wants_words()) list_.add_raw_words(words);
    at = open;
    const TagLook tag = look_at_tag(tags_, open);
    if (tag.way == Way::kStop) break;
    const char* close = tag.behind_name;
    if (*close != '>') {
      bool self_closing = false;
      const bool takes = tag.way == Way::kTake || (!tag.closing && list_.reads_image(tag.element));
      close = takes                   ? nullptr
              : tag.way == Way::kPass ? Tokenizer::skip_attributes(close, end, self_closing)
                                      : tag_scan().sift(close, end, tags_.sieve);
      if (close == nullptr) {
        if (!takes && tag.way == Way::kPass) break;
        if (!take_tag(at, tag.behind_name, tag.element, tree.plain_start(tag.element))) return true;
        at = tokenizer_.at();
        continue;
      }
    }
    if (tag.closing) {
      tree.plain_end(tag.element);
      if (tag.element == Element::kA) list_.end_text();
    } else {
      tree.plain_start(tag.element);
    }
    at = close + 1;
  }
  tokenizer_.set_foreign(pages_.in_foreign());
  return stop(at);
}

}  // namespace spinneret::html
