// SPDX-License-Identifier: Apache-2.0
#include "text/facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/ascii.h"
#include "text/author.h"
#include "text/dates.h"
#include "text/language.h"
#include "text/title.h"

namespace spinneret::text {
namespace {

Fact date_fact(Fact found) {
  std::string date = find_date(found.value);
  if (date.empty()) return {};
  // Adds the time if it is in ISO 8601.
  if (found.value.starts_with(date) && found.value.size() > 10 && found.value[10] == 'T')
    date = found.value.substr(0, 32);
  return {date, found.source};
}

// Returns a number of days from a fixed day, for differences.
int days(std::string_view date) {
  const auto number = [date](std::size_t at, std::size_t size) {
    int value = 0;
    for (const char c : date.substr(at, size)) value = value * 10 + (c - '0');
    return value;
  };
  const int year = number(0, 4), month = number(5, 2);
  const int shifted = month > 2 ? year : year - 1;
  return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 +
         (153 * ((month + 9) % 12) + 2) / 5 + number(8, 2);
}

// Returns the date of the page's own object, rather than of what the page is about.
Fact json_date(const Page& page) {
  for (const std::string& json : page.json) {
    const std::size_t key = own_key(json, "datePublished");
    if (key == std::string::npos) continue;
    const std::string_view object = std::string_view(json).substr(key);
    Fact found = date_fact({folded(json_string(object, "datePublished")), "json-ld"});
    if (!found.value.empty()) return found;
  }
  return date_fact(json_fact(page, "datePublished"));
}

// Returns the date that the page's head declares.
Fact declared_date(const Page& page) {
  Fact found = json_date(page);
  for (const std::string_view key :
       {"article:published_time", "datepublished", "og:published_time", "article:published",
        "parsely-pub-date", "published-date", "sailthru.date", "dc.date", "dcterms.date",
        "dcterms.created", "dc.date.issued", "publish-date", "pubdate", "publication_date",
        "citation_publication_date", "citation_date", "ms.date", "date"}) {
    if (found.value.empty()) found = date_fact(meta_fact(page, {key}));
  }
  if (found.value.empty()) found = date_fact(json_fact(page, "uploadDate"));
  if (found.value.empty()) found = date_fact(json_fact(page, "dateCreated"));
  for (const MetaFact& meta : page.metas) {
    if (found.value.empty() && meta.name.find("publish") != std::string::npos)
      found = date_fact({meta.value, "meta"});
  }
  return found;
}

// What the words of `text` say about its date: a change, the first publication, or something else
// (when a member joined).
enum class Label : std::uint8_t { kNone, kPublished, kChanged, kOther };
Label label_of(std::string_view text) {
  const std::string lower = to_lower_copy(text.substr(0, 200));
  const auto any = [&lower](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return lower.find(word) != std::string::npos;
    });
  };
  if (lower.find("preprint") != std::string::npos)
    return Label::kOther;  // the preprint has a date of its own
  if (any({"publish", "posted", "originally", "started by"})) return Label::kPublished;
  if (any({"joined", "join date", "registered", "member since", "deadline", "received", "submitted",
           "accepted"}))
    return Label::kOther;
  return any({"updat", "modif", "review", "last", "edit", "revis"}) ? Label::kChanged
                                                                    : Label::kNone;
}

struct Shown {
  std::string date;
  Label label = Label::kNone;
};

// Finds the date beside the headline. A block behind the headline is preferred to one before it,
// and any date to that of a change.
Shown shown_date(const Page& page, bool day_first) {
  constexpr std::size_t kBefore = 4, kBehind = 12;
  std::size_t headline = 0;
  for (const Span& span : page.spans) {
    if (span.kind != SpanKind::kHeadline) continue;
    headline = block_at(page, span.begin);
    break;
  }
  Shown best;
  const std::size_t before_it = std::min(headline, kBefore);
  const std::size_t behind = std::min(page.blocks.size() - headline, kBehind);
  for (std::size_t step = 0; step < before_it + behind; ++step) {
    const std::size_t i = step < behind ? headline + step : headline - 1 - (step - behind);
    const Block& block = page.blocks[i];
    const bool heading = block.words > 3 && has(page.cues_of(block), Cue::kHeading);
    if (block.words > 24 || block.hidden || heading) continue;
    const std::string_view text = page.text_of(block);
    const std::string date = find_date(text, day_first);
    if (date.empty()) continue;
    const std::string_view before = i > 0 && page.blocks[i - 1].words <= 4
                                        ? page.text_of(page.blocks[i - 1])
                                        : std::string_view();
    Label label = label_of(text);
    if (label == Label::kNone) label = label_of(before);
    if (label == Label::kOther) continue;
    if (label != Label::kChanged) return {date, label};
    if (best.date.empty()) best = {date, label};
  }
  return best;
}

// Finds the date in "Started by Ann Ash, June 04, 2024", as in a forum's thread.
std::string thread_started(const Page& page, bool day_first) {
  constexpr std::string_view kWords = "Started by ";
  constexpr std::size_t kMostWords = 24;
  const std::size_t at = page.text.find(kWords);
  if (at == std::string::npos) return {};
  const Block& block = page.blocks[block_at(page, static_cast<std::uint32_t>(at))];
  if (at != block.begin || block.words > kMostWords) return {};
  return find_date(page.text_of(block), day_first);
}

// Finds the date in "Originally published on 26 Sep 2019", wherever it stands.
std::string first_published(const Page& page, bool day_first) {
  constexpr std::string_view kBefore = "riginall",
                             kWords = "y published";  // a word that begins with "y" is rare
  constexpr std::size_t kNear = 60, kMostWords = 30;
  std::size_t at = page.text.find(kWords);
  for (int tries = 0; at != std::string::npos && tries < 64; ++tries) {
    const Block& block = page.blocks[block_at(page, static_cast<std::uint32_t>(at))];
    const std::string_view rest = page.text_of(block).substr(at - block.begin);
    std::string date = find_date(rest.substr(0, kWords.size() + kNear), day_first);
    const bool first = std::string_view(page.text).substr(0, at).ends_with(kBefore);
    if (first && !date.empty() && block.words <= kMostWords) return date;
    at = page.text.find(kWords, at + 1);
  }
  return {};
}

// Finds a date in elements that are made for it, the most certain first.
Fact marked_date(const Page& page, bool day_first) {
  for (int weight = 4; weight >= 1; --weight) {
    for (const Span& span : page.spans) {
      const bool byline = span.kind == SpanKind::kAuthor && weight == 1;
      if ((span.kind != SpanKind::kDate || span.weight != weight) && !byline) continue;
      Fact found = date_fact({std::string(page.value_of(span)), "time"});
      if (found.value.empty() && span.end > span.begin)
        found = {find_date(text_of(page, span), day_first), "byline"};
      if (!found.value.empty()) return found;
    }
  }
  return {};
}

Fact find_modified(const Page& page) {
  const Fact found = date_fact(json_fact(page, "dateModified"));
  if (!found.value.empty()) return found;
  return date_fact(meta_fact(
      page, {"article:modified_time", "og:updated_time", "last-modified", "dcterms.modified"}));
}

Fact find_published(const Page& page, std::string_view url, const Fact& modified) {
  const bool day_first = writes_day_first(page.text, page.lang);
  const Fact found = declared_date(page);
  const std::string in_url = find_date(url);
  const Shown shown = shown_date(page, day_first);
  const std::string first = first_published(page, day_first);
  if (!first.empty() && (found.value.empty() || days(first) < days(found.value)))
    return {first, "text"};
  if (!found.value.empty()) {
    // A time in UTC may fall on another day than the author's; and a page that was moved or filled
    // in later may declare the date of that.
    if (!in_url.empty() && std::abs(days(in_url) - days(found.value)) == 1) return {in_url, "url"};
    if (!shown.date.empty()) {
      const int later = days(shown.date) - days(found.value);
      if (later < -1 && shown.label != Label::kChanged) return {shown.date, "byline"};
    }
    // A time equal to that of the last change is when the page was last stored.
    const bool stored = found.value.size() > 10 && found.value == modified.value;
    if (const Fact marked = marked_date(page, day_first); stored && shown.date.empty() &&
                                                          !marked.value.empty() &&
                                                          days(marked.value) < days(found.value))
      return marked;
    return found;
  }
  if (std::string began = thread_started(page, day_first); !began.empty())
    return {std::move(began), "text"};
  if (!in_url.empty() && shown.label != Label::kPublished) return {in_url, "url"};
  // The date of a change beside the headline is at least about this page; one that is marked
  // anywhere need not be.
  if (!shown.date.empty()) return {shown.date, "byline"};
  const Fact marked = marked_date(page, day_first);
  if (!marked.value.empty()) return marked;
  if (!in_url.empty()) return {in_url, "url"};
  for (std::size_t i = 0; i < page.blocks.size() && i < 400; ++i) {
    const std::string_view text = page.text_of(page.blocks[i]);
    if (page.blocks[i].words < 3 || page.blocks[i].words > 20 || label_of(text) == Label::kOther)
      continue;
    const std::string date = find_date(text, day_first);
    if (!date.empty()) return {date, "text"};
  }
  return modified;  // the only date left
}

}  // namespace

Facts find_facts(const Page& page, std::string_view url) {
  Facts out;
  out.site_name = meta_fact(page, {"og:site_name", "application-name", "al:ios:app_name"});
  out.title = find_title(page, url);
  out.description =
      meta_fact(page, {"description", "og:description", "twitter:description", "dc.description"});
  if (out.description.value.empty()) out.description = json_fact(page, "description");
  out.author = find_author(page, out.site_name.value);
  out.modified = find_modified(page);
  out.published = find_published(page, url, out.modified);
  return out;
}

Fact find_language(const Page& page, std::string_view header) {
  if (!page.lang.empty()) return {page.lang, "html"};
  Fact said;
  for (const MetaFact& meta : page.metas) {
    if (meta.name == "content-language" || meta.name == "og:locale") said = {meta.value, "meta"};
  }
  if (!said.value.empty()) return said;
  // If there are several languages, it is unknown which one the page is in (HTML Standard,
  // 3.2.6.2).
  if (!header.empty() && header.find(',') == std::string_view::npos)
    return {std::string(header), "header"};
  return {std::string(guess_language(page.text)), "guess"};
}

}  // namespace spinneret::text
