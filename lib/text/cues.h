// SPDX-License-Identifier: Apache-2.0
// What an element tells about its content before that is read: by its name, and by the words in its
// class, id and role ("post-content", "siteNav"). Each cue is a bit; a text has the cues of all
// elements around it.
#ifndef SPINNERET_TEXT_CUES_H_
#define SPINNERET_TEXT_CUES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "html/element.h"

namespace spinneret::text {

// clang-format off
// X(enumerator). The model depends on the order, see features.h.
#define SPINNERET_TEXT_CUES(X)                                                                    \
  X(kNav) X(kHeader) X(kFooter) X(kAside) X(kMain) X(kArticle) X(kSection) X(kForm) X(kTable)     \
  X(kList) X(kItem) X(kFigure) X(kQuote) X(kCode) X(kButton) X(kParagraph) X(kHeading)            \
  X(kDefinitions) X(kDetails) X(kDialog) X(kMenuWord) X(kSidebarWord) X(kShareWord)               \
  X(kRelatedWord) X(kCommentWord) X(kConsentWord) X(kAdWord) X(kCrumbWord) X(kBylineWord)         \
  X(kTagWord) X(kPromoWord) X(kContentWord) X(kTitleWord) X(kProductWord) X(kReviewWord)          \
  X(kForumWord) X(kDescriptionWord) X(kPagerWord) X(kModalWord) X(kFilterWord) X(kSearchWord)     \
  X(kCardWord) X(kHeroWord) X(kFooterWord) X(kHeaderWord) X(kContentsWord) X(kAccountWord)        \
  X(kCaptionWord) X(kSpecWord) X(kBodyWord) X(kListWord) X(kSignatureWord) X(kQuoteWord)          \
  X(kFaqWord) X(kCartWord) X(kAuthorBox) X(kSkipWord) X(kHidden) X(kNoscript)
// clang-format on

enum class Cue : std::uint8_t {
#define SPINNERET_TEXT_X(name) name,
  SPINNERET_TEXT_CUES(SPINNERET_TEXT_X)
#undef SPINNERET_TEXT_X
      kCount
};
using Cues = std::uint64_t;
static_assert(static_cast<unsigned>(Cue::kCount) <= 64);

constexpr Cues bit(Cue cue) { return Cues{1} << static_cast<unsigned>(cue); }
constexpr bool has(Cues cues, Cue cue) { return (cues & bit(cue)) != 0; }

Cues cues_of_element(html::Element element);
// The cues in the words of an attribute's value. Words are separated by anything but letters, and
// by a capital behind a small letter.
Cues cues_of_words(std::string_view value);

// The same with a cache, since values such as the names of classes are repeated within a page.
class CueCache {
 public:
  CueCache() : slots_(kSlots) {}
  // Begins a new page, and forgets the values of the last one.
  void clear() { ++page_; }
  // `value` must live as long as the page.
  Cues of_words(std::string_view value);

 private:
  static constexpr std::size_t kSlots = 1024;
  struct Slot {
    std::string_view value;
    Cues cues = 0;
    std::uint64_t page = 0;
  };
  std::vector<Slot> slots_;
  std::uint64_t page_ = 1;
};

// The different sets of cues on a page, each with a number; 0 is the empty set. Numbers instead of
// sets halve the size of elements.
class CueSets {
 public:
  CueSets() { clear(); }
  void clear();
  std::uint32_t number_of(Cues cues);
  Cues operator[](std::uint32_t number) const { return sets_[number]; }

 private:
  void grow();

  std::vector<Cues> sets_;
  std::vector<std::uint32_t> slots_;  // 1 + number, by hash; half of the slots or more are empty
};

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_CUES_H_
