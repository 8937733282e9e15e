// SPDX-License-Identifier: Apache-2.0
#include "robots/page_directives.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/hash.h"
#include "base/number.h"

namespace spinneret::robots {
namespace {

struct Word {
  std::string_view name;
  std::uint16_t bits;
};

constexpr Word kWords[] = {
    {"noindex", kNoindex},
    {"nofollow", kNofollow},
    {"none", kNoindex | kNofollow},
    {"noarchive", kNoarchive},
    {"nocache", kNoarchive},
    {"nosnippet", kNosnippet},
    {"notranslate", kNotranslate},
    {"noimageindex", kNoimageindex},
    {"indexifembedded", kIndexifembedded},
    {"nositelinkssearchbox", kNositelinks},
    {"noai", kNoai},
    {"noimageai", kNoimageai},
    // Known words without effect.
    {"all", 0},
    {"index", 0},
    {"follow", 0},
    {"archive", 0},
    {"snippet", 0},
    {"noodp", 0},
    {"noydir", 0},
};

constexpr std::string_view kValuedNames[] = {"max-snippet", "max-image-preview",
                                             "max-video-preview", "unavailable_after"};
constexpr std::string_view kImagePreviews[] = {"none", "standard", "large"};

bool is_valued_name(std::string_view name) {
  return std::any_of(std::begin(kValuedNames), std::end(kValuedNames),
                     [name](std::string_view known) { return equals_ignore_case(name, known); });
}

bool is_weekday(std::string_view word) {
  constexpr std::string_view kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
  return word.size() <= 9 && std::any_of(std::begin(kDays), std::end(kDays), [word](auto day) {
           return starts_with_ignore_case(word, day);
         });
}

// Returns whether the text can be the name of an agent, which has no space.
bool is_agent_name(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), is_space);
}

PageDirectives::Rule make_rule(std::string_view source, std::string_view name,
                               std::string_view value) {
  return {std::string(source), std::string(name),
          std::string(value.substr(0, PageDirectives::kMaxRuleValue))};
}

void keep_smaller(std::optional<std::int64_t>& limit, std::int64_t value) {
  if (!limit || value < *limit) limit = value;
}

}  // namespace

void PageDirectives::clear() { *this = PageDirectives(agent_); }

std::string_view PageDirectives::max_image_preview() const {
  return max_image_preview_ < 0 ? std::string_view()
                                : kImagePreviews[static_cast<std::size_t>(max_image_preview_)];
}

void PageDirectives::add_meta(std::string_view name, std::string_view content) {
  name = trim(name);
  const std::string source = "meta " + to_lower_copy(name);
  if (equals_ignore_case(name, "robots") || (!agent_.empty() && equals_ignore_case(name, agent_))) {
    add_list(content, false, source);
  } else {
    add_tdm(name, content, source, true);
  }
}

void PageDirectives::add_header(std::string_view value) { add_list(value, true, "X-Robots-Tag"); }

void PageDirectives::add_http_header(std::string_view name, std::string_view value) {
  if (equals_ignore_case(name, "X-Robots-Tag")) return add_header(value);
  if (!equals_ignore_case(name, "Content-Usage")) {
    return add_tdm(name, value, std::string(name), false);
  }
  // A server may repeat the header without end, so reading stops here.
  if (preferences_.size() >= kMaxPreferences || trim(value).empty()) return;
  PreferenceList list = parse_preferences(value);
  if (!list.bad.empty()) add_mistake(name, "no label=y or label=n:", list.bad);
  merge_preferences(preferences_, std::move(list.items));
  if (preferences_.size() > kMaxPreferences)
    preferences_.erase(preferences_.begin() + kMaxPreferences, preferences_.end());
  keep_rule("Content-Usage", trim(value), {});
}

void PageDirectives::add_license(std::string_view url, std::string_view source) {
  url = trim(url);
  if (url.empty() || licenses_.size() >= kMaxLicenses) return;
  if (std::find(licenses_.begin(), licenses_.end(), url) != licenses_.end()) return;
  licenses_.emplace_back(url);
  keep_rule(source, "license", url);
}

// An element is the text between two commas: words, or `name: value`, or, in a header, `agent: ` in
// front of either.
void PageDirectives::add_list(std::string_view list, bool is_header, const std::string& source) {
  std::string addressed = source;
  bool for_us = true;
  while (!list.empty()) {
    std::string_view element = trim(cut(list, ','));
    std::size_t colon = element.find(':');
    while (is_header && colon != std::string_view::npos) {
      const std::string_view name = trim(element.substr(0, colon));
      if (is_valued_name(name) || !is_agent_name(name)) break;
      for_us = !agent_.empty() && equals_ignore_case(name, agent_);
      if (for_us) addressed = source + " " + to_lower_copy(name);
      element = trim(element.substr(colon + 1));
      colon = element.find(':');
    }
    if (colon == std::string_view::npos) {
      if (for_us) add_words(element, addressed);
      continue;
    }
    const std::string_view name = trim(element.substr(0, colon));
    std::string_view value = trim(element.substr(colon + 1));
    // "unavailable_after: Friday, 25-Jun-10 15:00:00 GMT": this comma belongs to the date.
    if (is_weekday(value) && equals_ignore_case(name, "unavailable_after")) {
      value = trim(cut(list, ','));
    }
    if (for_us) add_valued(name, value, addressed);
  }
}

void PageDirectives::add_words(std::string_view words, const std::string& source) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(" \t\r\n\f;"), words.size());
    const std::string_view name = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    const auto* const word =
        std::find_if(std::begin(kWords), std::end(kWords),
                     [name](const Word& known) { return equals_ignore_case(name, known.name); });
    if (word == std::end(kWords)) {
      if (!name.empty()) add_mistake(source, "unknown word", name);
      continue;
    }
    if (!noindex_rule_ && (word->bits & kNoindex) != 0) {
      noindex_rule_ = make_rule(source, word->name, {});
    }
    refusals_ = static_cast<std::uint16_t>(refusals_ | word->bits);
    keep_rule(source, word->name, {});
  }
}

void PageDirectives::add_valued(std::string_view name, std::string_view value,
                                const std::string& source) {
  if (!is_valued_name(name)) return add_mistake(source, "unknown word", name);
  const std::string known = to_lower_copy(name);
  keep_rule(source, known, value);
  if (equals_ignore_case(name, "unavailable_after")) {
    const auto date = parse_loose_date(value);
    if (!date) add_mistake(source, "unavailable_after takes a date, not", value);
    if (date && (!unavailable_after_ || *date < *unavailable_after_)) {
      unavailable_after_ = date;
      date_rule_ = make_rule(source, known, value);
    }
    return;
  }
  if (equals_ignore_case(name, "max-image-preview")) {
    const auto* const level =
        std::find_if(std::begin(kImagePreviews), std::end(kImagePreviews),
                     [value](std::string_view word) { return equals_ignore_case(value, word); });
    const int i = static_cast<int>(level - std::begin(kImagePreviews));
    if (i == 3)
      return add_mistake(source, "max-image-preview takes none, standard or large, not", value);
    if (max_image_preview_ < 0 || i < max_image_preview_) max_image_preview_ = i;
    return;
  }
  // "-1" means no limit, and is not stored.
  const auto limit = parse_unsigned(value);
  if (!limit && value != "-1") add_mistake(source, known + " takes a number, not", value);
  if (!limit || *limit > INT32_MAX) return;
  const auto number = static_cast<std::int64_t>(*limit);
  const bool is_snippet = equals_ignore_case(name, "max-snippet");
  keep_smaller(is_snippet ? max_snippet_ : max_video_preview_, number);
  if (is_snippet && number == 0) refusals_ = static_cast<std::uint16_t>(refusals_ | kNosnippet);
}

// TDM Reservation Protocol, sections on HTTP headers and on HTML metadata: both use the same two
// names, and the page's values supersede those of the header ("Processing priority").
void PageDirectives::add_tdm(std::string_view name, std::string_view value,
                             const std::string& source, bool is_meta) {
  value = trim(value);
  const bool reservation = equals_ignore_case(name, "tdm-reservation");
  if (!reservation && !equals_ignore_case(name, "tdm-policy")) return;
  keep_rule(source, reservation ? "tdm-reservation" : "tdm-policy", value);
  if (is_meta && !tdm_.of_meta) tdm_ = {{}, {}, {}, true};
  if (!is_meta && tdm_.of_meta) return;
  if (!reservation) {
    tdm_.policy = value;
  } else if (value == "1" || (value == "0" && !tdm_.reserved)) {
    tdm_.reserved = value == "1";
    tdm_.source = source;
  } else if (value != "0") {
    add_mistake(source, "takes 0 or 1, not", value);
  }
}

void PageDirectives::add_mistake(std::string_view source, std::string_view what,
                                 std::string_view bytes) {
  // A page may repeat a mistake a million times: only the first kMaxMistakes squared are examined.
  if (mistakes_.size() >= kMaxMistakes || ++mistakes_seen_ > kMaxMistakes * kMaxMistakes) return;
  std::string text = std::string(source) + ": " + std::string(what) + " " + excerpt(bytes);
  if (std::find(mistakes_.begin(), mistakes_.end(), text) != mistakes_.end()) return;
  mistakes_.push_back(std::move(text));
}

// A page may repeat a word a million times: comparing 256 hashes costs less than keeping one more.
void PageDirectives::keep_rule(std::string_view source, std::string_view name,
                               std::string_view value) {
  if (rules_.size() >= kMaxRules) return;
  const std::uint64_t hash = hash64(value.substr(0, kMaxRuleValue), hash64(name, hash64(source)));
  if (std::find(rule_hashes_.begin(), rule_hashes_.end(), hash) != rule_hashes_.end()) return;
  rule_hashes_.push_back(hash);
  rules_.push_back(make_rule(source, name, value));
}

const PageDirectives::Rule* PageDirectives::noindex_rule(std::int64_t now_unix_seconds) const {
  if (!noindex(now_unix_seconds)) return nullptr;
  return noindex() ? &*noindex_rule_ : &*date_rule_;
}

}  // namespace spinneret::robots
