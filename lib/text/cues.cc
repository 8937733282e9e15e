// SPDX-License-Identifier: Apache-2.0
#include "text/cues.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.h"
#include "base/hash.h"

namespace spinneret::text {
namespace {

struct Word {
  std::string_view word;
  Cue cue;
};

// The words, sorted by bytes in the end. A word that ends in s is also looked up without it.
constexpr auto kWords = [] {
  using enum Cue;
  std::array words{
      Word{"about", kAuthorBox},
      Word{"accessories", kRelatedWord},
      Word{"accordion", kFaqWord},
      Word{"account", kAccountWord},
      Word{"action", kButton},
      Word{"actions", kButton},
      Word{"ad", kAdWord},
      Word{"ads", kAdWord},
      Word{"advert", kAdWord},
      Word{"advertisement", kAdWord},
      Word{"affiliate", kAdWord},
      Word{"alert", kConsentWord},
      Word{"also", kRelatedWord},
      Word{"announcement", kConsentWord},
      Word{"answer", kForumWord},
      Word{"article", kContentWord},
      Word{"aside", kSidebarWord},
      Word{"attachment", kFigure},
      Word{"author", kBylineWord},
      Word{"avatar", kSignatureWord},
      Word{"badge", kTagWord},
      Word{"banner", kHeroWord},
      Word{"basket", kCartWord},
      Word{"bio", kAuthorBox},
      Word{"blog", kContentWord},
      Word{"blurb", kDescriptionWord},
      Word{"body", kBodyWord},
      Word{"bottom", kFooterWord},
      Word{"box", kCardWord},
      Word{"breadcrumb", kCrumbWord},
      Word{"breadcrumbs", kCrumbWord},
      Word{"btn", kButton},
      Word{"button", kButton},
      Word{"byline", kBylineWord},
      Word{"caption", kCaptionWord},
      Word{"card", kCardWord},
      Word{"carousel", kRelatedWord},
      Word{"cart", kCartWord},
      Word{"cat", kTagWord},
      Word{"categories", kTagWord},
      Word{"category", kTagWord},
      Word{"checkout", kCartWord},
      Word{"code", kCode},
      Word{"collection", kListWord},
      Word{"column", kSection},
      Word{"comment", kCommentWord},
      Word{"comments", kCommentWord},
      Word{"consent", kConsentWord},
      Word{"contact", kAccountWord},
      Word{"content", kContentWord},
      Word{"cookie", kConsentWord},
      Word{"cookies", kConsentWord},
      Word{"copy", kBodyWord},
      Word{"copyright", kFooterWord},
      Word{"credit", kCaptionWord},
      Word{"cta", kPromoWord},
      Word{"date", kBylineWord},
      Word{"desc", kDescriptionWord},
      Word{"description", kDescriptionWord},
      Word{"detail", kSpecWord},
      Word{"details", kSpecWord},
      Word{"dialog", kModalWord},
      Word{"disclaimer", kFooterWord},
      Word{"discussion", kForumWord},
      Word{"disqus", kCommentWord},
      Word{"doc", kContentWord},
      Word{"docs", kContentWord},
      Word{"drawer", kModalWord},
      Word{"dropdown", kMenuWord},
      Word{"editor", kBodyWord},
      Word{"email", kPromoWord},
      Word{"entry", kContentWord},
      Word{"excerpt", kDescriptionWord},
      Word{"facet", kFilterWord},
      Word{"faq", kFaqWord},
      Word{"feature", kSpecWord},
      Word{"featured", kRelatedWord},
      Word{"features", kSpecWord},
      Word{"figcaption", kCaptionWord},
      Word{"figure", kFigure},
      Word{"filter", kFilterWord},
      Word{"filters", kFilterWord},
      Word{"flyout", kModalWord},
      Word{"follow", kShareWord},
      Word{"foot", kFooterWord},
      Word{"footer", kFooterWord},
      Word{"footnote", kSpecWord},
      Word{"form", kForm},
      Word{"forum", kForumWord},
      Word{"gallery", kFigure},
      Word{"gdpr", kConsentWord},
      Word{"global", kHeaderWord},
      Word{"grid", kListWord},
      Word{"head", kHeaderWord},
      Word{"header", kHeaderWord},
      Word{"heading", kTitleWord},
      Word{"headline", kTitleWord},
      Word{"hero", kHeroWord},
      Word{"hidden", kHidden},
      Word{"hide", kHidden},
      Word{"intro", kDescriptionWord},
      Word{"item", kItem},
      Word{"items", kListWord},
      Word{"jumbotron", kHeroWord},
      Word{"label", kTagWord},
      Word{"language", kMenuWord},
      Word{"layout", kSection},
      Word{"lead", kDescriptionWord},
      Word{"legal", kFooterWord},
      Word{"like", kShareWord},
      Word{"link", kMenuWord},
      Word{"links", kMenuWord},
      Word{"list", kListWord},
      Word{"listing", kListWord},
      Word{"locale", kMenuWord},
      Word{"login", kAccountWord},
      Word{"logo", kHeaderWord},
      Word{"main", kMain},
      Word{"markdown", kBodyWord},
      Word{"masthead", kHeaderWord},
      Word{"mega", kMenuWord},
      Word{"menu", kMenuWord},
      Word{"message", kForumWord},
      Word{"messages", kForumWord},
      Word{"meta", kBylineWord},
      Word{"minicart", kCartWord},
      Word{"mobile", kMenuWord},
      Word{"modal", kModalWord},
      Word{"more", kRelatedWord},
      Word{"nav", kMenuWord},
      Word{"navbar", kMenuWord},
      Word{"navigation", kMenuWord},
      Word{"newsletter", kPromoWord},
      Word{"next", kPagerWord},
      Word{"notice", kConsentWord},
      Word{"offcanvas", kModalWord},
      Word{"option", kFilterWord},
      Word{"options", kFilterWord},
      Word{"outbrain", kAdWord},
      Word{"overlay", kModalWord},
      Word{"overview", kDescriptionWord},
      Word{"page", kSection},
      Word{"pager", kPagerWord},
      Word{"pagination", kPagerWord},
      Word{"panel", kSection},
      Word{"partner", kPromoWord},
      Word{"permalink", kBylineWord},
      Word{"popular", kRelatedWord},
      Word{"popup", kModalWord},
      Word{"post", kForumWord},
      Word{"posted", kBylineWord},
      Word{"posts", kListWord},
      Word{"prev", kPagerWord},
      Word{"previous", kPagerWord},
      Word{"price", kProductWord},
      Word{"privacy", kConsentWord},
      Word{"product", kProductWord},
      Word{"products", kListWord},
      Word{"profile", kAccountWord},
      Word{"promo", kPromoWord},
      Word{"promotion", kPromoWord},
      Word{"prose", kBodyWord},
      Word{"publish", kBylineWord},
      Word{"published", kBylineWord},
      Word{"question", kForumWord},
      Word{"quote", kQuoteWord},
      Word{"rating", kReviewWord},
      Word{"read", kRelatedWord},
      Word{"recent", kRelatedWord},
      Word{"recommend", kRelatedWord},
      Word{"recommendation", kRelatedWord},
      Word{"recommended", kRelatedWord},
      Word{"related", kRelatedWord},
      Word{"replies", kForumWord},
      Word{"reply", kForumWord},
      Word{"respond", kCommentWord},
      Word{"result", kListWord},
      Word{"results", kListWord},
      Word{"review", kReviewWord},
      Word{"reviews", kReviewWord},
      Word{"rich", kBodyWord},
      Word{"rte", kBodyWord},
      Word{"screen", kSkipWord},
      Word{"search", kSearchWord},
      Word{"shipping", kCartWord},
      Word{"share", kShareWord},
      Word{"sharing", kShareWord},
      Word{"shop", kCartWord},
      Word{"sidebar", kSidebarWord},
      Word{"signature", kSignatureWord},
      Word{"signin", kAccountWord},
      Word{"signup", kPromoWord},
      Word{"similar", kRelatedWord},
      Word{"single", kContentWord},
      Word{"site", kHeaderWord},
      Word{"skip", kSkipWord},
      Word{"slider", kRelatedWord},
      Word{"social", kShareWord},
      Word{"sort", kFilterWord},
      Word{"spec", kSpecWord},
      Word{"specification", kSpecWord},
      Word{"specs", kSpecWord},
      Word{"sponsor", kAdWord},
      Word{"sponsored", kAdWord},
      Word{"sr", kSkipWord},
      Word{"sticky", kHeaderWord},
      Word{"story", kContentWord},
      Word{"sub", kDescriptionWord},
      Word{"submenu", kMenuWord},
      Word{"subscribe", kPromoWord},
      Word{"subscription", kPromoWord},
      Word{"subtitle", kTitleWord},
      Word{"summary", kDescriptionWord},
      Word{"swatch", kFilterWord},
      Word{"tab", kSpecWord},
      Word{"table", kTable},
      Word{"taboola", kAdWord},
      Word{"tabs", kSpecWord},
      Word{"tag", kTagWord},
      Word{"tags", kTagWord},
      Word{"taxonomy", kTagWord},
      Word{"teaser", kCardWord},
      Word{"testimonial", kQuoteWord},
      Word{"text", kBodyWord},
      Word{"thread", kForumWord},
      Word{"tile", kCardWord},
      Word{"time", kBylineWord},
      Word{"title", kTitleWord},
      Word{"toc", kContentsWord},
      Word{"tool", kButton},
      Word{"toolbar", kButton},
      Word{"toolbox", kButton},
      Word{"top", kHeaderWord},
      Word{"topbar", kHeaderWord},
      Word{"topic", kForumWord},
      Word{"trending", kRelatedWord},
      Word{"upsell", kRelatedWord},
      Word{"user", kAccountWord},
      Word{"utility", kHeaderWord},
      Word{"variant", kFilterWord},
      Word{"visually", kSkipWord},
      Word{"vote", kSignatureWord},
      Word{"widget", kSidebarWord},
      Word{"wishlist", kCartWord},
      Word{"wysiwyg", kBodyWord},
  };
  std::sort(words.begin(), words.end(),
            [](const Word& a, const Word& b) { return a.word < b.word; });
  return words;
}();

constexpr std::size_t kLongestWord = 16;

// A word as two numbers, padded with zeros.
struct Packed {
  std::uint64_t low = 0, high = 0;

  constexpr Packed() = default;
  constexpr explicit Packed(std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i)
      (i < 8 ? low : high) |= std::uint64_t{static_cast<unsigned char>(word[i])} << (i % 8 * 8);
  }
  constexpr bool operator==(const Packed&) const = default;
  constexpr std::size_t hash() const {
    return static_cast<std::size_t>((low ^ high * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u >> 54);
  }
};

// All words in a hash table with linear probing; an empty slot ends the search.
struct Slot {
  Packed word;
  Cues cues = 0;
};
constexpr auto kSlots = [] {
  std::array<Slot, 1024> slots{};
  static_assert(kWords.size() * 2 < 1024);
  for (const Word& word : kWords) {
    const Packed packed(word.word);
    std::size_t at = packed.hash();
    while (slots[at].cues != 0 && slots[at].word != packed) at = (at + 1) % slots.size();
    slots[at] = {packed, slots[at].cues != 0 ? slots[at].cues : bit(word.cue)};
  }
  return slots;
}();

Cues find(const Packed& word) {
  for (std::size_t at = word.hash(); kSlots[at].cues != 0; at = (at + 1) % kSlots.size()) {
    if (kSlots[at].word == word) return kSlots[at].cues;
  }
  return 0;
}

// `last` is the index of the last letter.
Cues cues_of_word(Packed word, std::size_t last) {
  if (last == 0 || last >= kLongestWord) return 0;
  const Cues found = find(word);
  std::uint64_t& end = last < 8 ? word.low : word.high;
  const unsigned shift = static_cast<unsigned>(last % 8 * 8);
  if (found != 0 || (end >> shift & 0xFF) != 's') return found;
  end &= ~(std::uint64_t{0xFF} << shift);
  return find(word);
}

}  // namespace

Cues cues_of_element(html::Element element) {
  using html::Element;
  switch (element) {
    case Element::kNav: return bit(Cue::kNav);
    case Element::kHeader: return bit(Cue::kHeader);
    case Element::kFooter: return bit(Cue::kFooter);
    case Element::kAside: return bit(Cue::kAside);
    case Element::kMain: return bit(Cue::kMain);
    case Element::kArticle: return bit(Cue::kArticle);
    case Element::kSection: return bit(Cue::kSection);
    case Element::kForm:
    case Element::kFieldset: return bit(Cue::kForm);
    case Element::kTable: return bit(Cue::kTable);
    case Element::kUl:
    case Element::kOl:
    case Element::kMenu: return bit(Cue::kList);
    case Element::kLi: return bit(Cue::kItem);
    case Element::kFigure:
    case Element::kFigcaption: return bit(Cue::kFigure);
    case Element::kBlockquote: return bit(Cue::kQuote);
    case Element::kPre: return bit(Cue::kCode);
    case Element::kButton: return bit(Cue::kButton);
    case Element::kP: return bit(Cue::kParagraph);
    case Element::kH1:
    case Element::kH2:
    case Element::kH3:
    case Element::kH4:
    case Element::kH5:
    case Element::kH6: return bit(Cue::kHeading);
    case Element::kDl: return bit(Cue::kDefinitions);
    case Element::kDetails: return bit(Cue::kDetails);
    case Element::kDialog: return bit(Cue::kDialog);
    case Element::kNoscript: return bit(Cue::kNoscript);
    default: return 0;
  }
}

Cues cues_of_words(std::string_view value) {
  // A value may list a hundred utility classes; the first bytes tell enough.
  constexpr std::size_t kMost = 512;
  value = value.substr(0, kMost);
  Cues cues = 0;
  Packed word;
  std::size_t size = 0;
  bool lower = false;
  const auto flush = [&] {
    if (size > 1) cues |= cues_of_word(word, size - 1);
    word = {};
    size = 0;
  };
  for (const char c : value) {
    const bool capital = is_upper(c);
    if (!is_alpha(c)) {
      flush();
      lower = false;
      continue;
    }
    if (capital && lower) flush();
    lower = !capital;
    if (size < kLongestWord)
      (size < 8 ? word.low : word.high) |= std::uint64_t{static_cast<unsigned char>(to_lower(c))}
                                           << (size % 8 * 8);
    ++size;
  }
  flush();
  return cues;
}

Cues CueCache::of_words(std::string_view value) {
  Slot& slot = slots_[hash64(value) % kSlots];
  if (slot.page == page_ && slot.value == value) return slot.cues;
  slot = {value, cues_of_words(value), page_};
  return slot.cues;
}

namespace {

std::size_t hash_of(Cues cues) {
  return static_cast<std::size_t>((cues ^ cues >> 29) * 0x9E3779B97F4A7C15u >> 32);
}

}  // namespace

void CueSets::clear() {
  constexpr std::size_t kFew = 1024;
  sets_.assign(1, 0);
  slots_.assign(kFew, 0);
  slots_.shrink_to_fit();
}

void CueSets::grow() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::uint32_t number = 1; number < sets_.size(); ++number) {
    std::size_t at = hash_of(sets_[number]) % slots_.size();
    while (slots_[at] != 0) at = (at + 1) % slots_.size();
    slots_[at] = number + 1;
  }
}

std::uint32_t CueSets::number_of(Cues cues) {
  if (cues == 0) return 0;
  std::size_t at = hash_of(cues) % slots_.size();
  for (; slots_[at] != 0; at = (at + 1) % slots_.size()) {
    if (sets_[slots_[at] - 1] == cues) return slots_[at] - 1;
  }
  sets_.push_back(cues);
  const auto number = static_cast<std::uint32_t>(sets_.size() - 1);
  slots_[at] = number + 1;
  if (2 * sets_.size() > slots_.size()) grow();
  return number;
}

}  // namespace spinneret::text
