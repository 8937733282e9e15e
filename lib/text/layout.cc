// SPDX-License-Identifier: Apache-2.0
#include "text/layout.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret::text {
namespace {

using html::Element;
using html::Token;

bool is_inline_name(std::string_view name) {
  constexpr std::string_view kNames[] = {"abbr", "acronym", "bdi",   "bdo",  "cite",  "data",
                                         "del",  "dfn",     "ins",   "kbd",  "label", "mark",
                                         "samp", "slot",    "blink", "time", "output"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [name](std::string_view known) { return equals_ignore_case(name, known); });
}

// Whether a style attribute contains "display:none", with white space anywhere.
bool hides(std::string_view style) {
  constexpr std::string_view kName = "display";
  for (std::size_t at = 0; at + kName.size() < style.size(); ++at) {
    if (!equals_ignore_case(style.substr(at, kName.size()), kName)) continue;
    std::string_view rest = trim(style.substr(at + kName.size()));
    if (!rest.starts_with(':')) continue;
    rest = trim(rest.substr(1));
    if (equals_ignore_case(rest.substr(0, 4), "none")) return true;
  }
  return false;
}

}  // namespace

bool is_inline(Element element, const Token* token) {
  using enum Element;
  switch (element) {
    case kUnknown: return token != nullptr && is_inline_name(token->name);
    case kSpan:
    case kSub:
    case kSup:
    case kVar:
    case kQ:
    case kRuby:
    case kRb:
    case kRt:
    case kRtc:
    case kRp:
    case kImg:
    case kWbr:
    case kPicture:
    case kSource:
    case kTrack:
    case kLink:
    case kMeta:
    case kScript:
    case kStyle:
    case kTemplate:
    case kInput:
    case kSvg:
    case kUse:
    case kBr: return true;
    default: return html::has_flag(element, html::kFormattingFlag);
  }
}

bool is_silent(html::NameCode name, html::Namespace name_space) {
  using enum Element;
  if (name_space == html::Namespace::kSvg) return true;
  if (name_space == html::Namespace::kMath) return html::is_unseen(name, name_space);
  if (name >= html::kElementCount) return false;
  switch (static_cast<Element>(name)) {
    case kHead:
    case kScript:
    case kStyle:
    case kTemplate:
    case kNoframes:
    case kNoembed:
    case kIframe:
    case kObject:
    case kApplet:
    case kAudio:
    case kVideo:
    case kSelect:
    case kTextarea:
    case kTitle:
    case kRp: return true;
    default: return false;
  }
}

void Attributes::look_at(const html::Attribute& attribute, CueCache& cache) {
  const auto is = [&attribute](std::string_view name) {
    return equals_ignore_case(attribute.name, name);
  };
  const auto take = [&](std::string_view name, const html::Attribute*& first) {
    if (!is(name)) return false;
    if (first == nullptr) first = &attribute;
    return true;
  };
  switch (attribute.name.size()) {
    case 2:
      if (is("id")) {
        cues |= cache.of_words(attribute.value);
      } else if (attribute.value.size() >= 10 && attribute.value[4] == '-') {
        // 2025-03-04T...: the attribute of a custom element that shows how long ago that was
        take("ts", datetime);
      }
      break;
    case 3:
      if (!take("src", src) && !take("alt", alt)) take("rel", rel);
      break;
    case 4:
      if (!take("href", href) && is("role")) cues |= cache.of_words(attribute.value);
      break;
    case 5:
      if (take("class", classes)) {
        cues |= cache.of_words(attribute.value);
      } else if (is("style")) {
        hidden = hidden || hides(attribute.value);
      }
      break;
    case 6: hidden = hidden || is("hidden"); break;
    case 7: take("content", content); break;
    case 8:
      if (!take("datetime", datetime) && take("itemprop", itemprop))
        cues |= cache.of_words(attribute.value);
      break;
    case 14:
      if (is("shadowrootmode")) {
        shadow_root = equals_ignore_case(attribute.value, "open") ||
                      equals_ignore_case(attribute.value, "closed");
      }
      break;
    case 11:
      if (is("aria-hidden") && equals_ignore_case(attribute.value, "true"))
        cues |= bit(Cue::kHidden);
      break;
    default: break;
  }
}

}  // namespace spinneret::text
