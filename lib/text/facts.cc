// SPDX-License-Identifier: Apache-2.0
#include "text/facts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/entity.h"

namespace spinneret::text {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

const MetaFact* find_meta(const Page& page, std::string_view name) {
  for (const MetaFact& meta : page.metas) {
    if (meta.name == name && !trim(meta.value).empty()) return &meta;
  }
  return nullptr;
}

Fact meta_fact(const Page& page, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const MetaFact* const meta = find_meta(page, name)) return {folded(meta->value), "meta"};
  }
  return {};
}

Fact json_fact(const Page& page, std::string_view key) {
  for (const std::string& json : page.json) {
    std::string value = folded(json_string(json, key));
    if (!value.empty()) return {std::move(value), "json-ld"};
  }
  return {};
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? to_lower(text[i]) : ' ';
    const bool letter = is_digit(c) || (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  return out;
}

// The share of the shorter one's words that the longer one has too.
double likeness(std::string_view a, std::string_view b) {
  std::vector<std::string> one = words_of(a), two = words_of(b);
  if (one.empty() || two.empty()) return 0;
  if (one.size() > two.size()) one.swap(two);
  std::size_t common = 0;
  for (const std::string& word : one) common += std::find(two.begin(), two.end(), word) != two.end();
  return static_cast<double>(common) / static_cast<double>(one.size());
}

// --- title ---

// Without the site's name at either end.
std::string without_site(const std::string& title, std::string_view site) {
  constexpr std::string_view kMarks[] = {" | ", " - ", " – ", " — ", " · ", " :: ", " » ", " • ", " < ", " ∣ ", " ~ "};
  std::string best = title;
  for (int round = 0; round < 2; ++round) {
    std::size_t at = std::string::npos, size = 0;
    for (const std::string_view mark : kMarks) {
      const std::size_t found = best.rfind(mark);
      if (found != std::string::npos && (at == std::string::npos || found > at)) {
        at = found;
        size = mark.size();
      }
    }
    if (at == std::string::npos) return best;
    const std::string head(trim(std::string_view(best).substr(0, at)));
    const std::string tail(trim(std::string_view(best).substr(at + size)));
    if (!site.empty() && likeness(head, site) > 0.8 && likeness(tail, site) < 0.5) return tail;
    const bool is_site = !site.empty() && likeness(tail, site) > 0.5;
    if (!is_site && words_of(tail).size() > words_of(head).size()) return best;
    if (!is_site && words_of(tail).size() > 5) return best;
    best = head;
  }
  return best;
}

Fact find_title(const Page& page, std::string_view site) {
  const std::string title = folded(page.title);
  const Fact og = meta_fact(page, {"og:title", "twitter:title", "dc.title", "title"});
  const std::string& own = og.value.empty() ? title : og.value;
  const std::string bare = without_site(own, site);
  const std::string bare_title = without_site(title, site);
  std::string best;
  double best_score = 0;
  std::size_t headlines = 0;
  for (const Span& span : page.spans) {
    if (span.kind != SpanKind::kHeadline || span.end <= span.begin) continue;
    const std::string text = folded(std::string_view(page.text).substr(span.begin, span.end - span.begin));
    const std::size_t words = words_of(text).size();
    if (words == 0 || text.size() > 400 || ++headlines > 20) continue;
    if (!site.empty() && likeness(text, site) > 0.9 && words <= words_of(site).size() && likeness(text, bare) < 0.9) continue;
    const double score = std::max(likeness(text, bare), likeness(text, bare_title)) *
                         (words >= 2 ? 1.0 : 0.8);
    if (score > best_score) {
      best_score = score;
      best = text;
    }
  }
  if (best_score >= 0.5) return {best, "h1"};
  if (!og.value.empty()) return {bare, "meta"};
  if (!bare.empty()) return {bare, "title"};
  const Fact json = json_fact(page, "headline");
  return json.value.empty() && !best.empty() ? Fact{best, "h1"} : json;
}

// --- author ---

std::string clean_name(std::string_view text) {
  std::string name = folded(text);
  const std::string lower = to_lower_copy(name);
  for (const std::string_view word : {"written by", "posted by", "published by", "reviewed by", "authored by",
                                      "author:", "authors:", "by:", "by", "von", "par", "por", "author"}) {
    if (!lower.starts_with(word) || lower.size() <= word.size()) continue;
    const char next = lower[word.size()];
    if (next != ' ' && word.back() != ':') continue;
    name = std::string(trim(std::string_view(name).substr(word.size())));
    break;
  }
  for (const std::string_view mark : {" | ", " · ", " • ", " on ", " / ", "  ", " – ", " — ", " - ", "Updated", "Published", "Posted"}) {
    if (const std::size_t at = name.find(mark); at != std::string::npos && at > 0) name.resize(at);
  }
  while (!name.empty() && (name.back() == ',' || name.back() == ' ' || name.back() == '|')) name.pop_back();
  return name;
}

bool is_name(std::string_view name) {
  if (name.size() < 2 || name.size() > 90 || name.find("://") != std::string_view::npos) return false;
  if (name.starts_with("@") || name.find("www.") != std::string_view::npos) return false;
  const std::size_t words = words_of(name).size();
  if (words == 0 || words > 12) return false;
  const std::string lower = to_lower_copy(name);
  for (const std::string_view other : {"admin", "follow", "share", "read more", "comments", "view all", "min read",
                                       "subscribe", "author", "authors", "about", "editorial team", "staff"}) {
    if (lower == other) return false;
  }
  return true;
}

// The Person of a JSON-LD graph that another node's author names by its @id.
std::string json_person(std::string_view json) {
  for (std::size_t at = json.find("\"Person\""); at != std::string_view::npos; at = json.find("\"Person\"", at + 8)) {
    const std::size_t open = json.rfind('{', at);
    if (open == std::string_view::npos) continue;
    const std::string name = json_string(json.substr(open, 4096), "name");
    if (!name.empty()) return name;
  }
  return {};
}

Fact find_author(const Page& page) {
  for (const std::string& json : page.json) {
    std::string name = clean_name(json_string(json, "author"));
    if (is_name(name)) return {name, "json-ld"};
    if (json.find("\"author\"") != std::string::npos) name = clean_name(json_person(json));
    if (is_name(name)) return {name, "json-ld"};
  }
  for (const std::string_view key : {"author", "article:author", "dc.creator", "dcterms.creator", "parsely-author",
                                     "sailthru.author", "citation_author", "twitter:data1", "byl"}) {
    const MetaFact* const meta = find_meta(page, key);
    if (meta == nullptr) continue;
    if (key == "twitter:data1") {
      const MetaFact* const label = find_meta(page, "twitter:label1");
      if (label == nullptr || label->value.find("ritten by") == std::string::npos) continue;
    }
    const std::string name = clean_name(meta->value);
    if (is_name(name)) return {name, "meta"};
  }
  Fact best;
  int weight = 0;
  for (const Span& span : page.spans) {
    if (span.kind != SpanKind::kAuthor || span.weight <= weight || span.end <= span.begin) continue;
    const std::string name = clean_name(
        std::string_view(page.text).substr(span.begin, std::min(span.end - span.begin, 200u)));
    if (!is_name(name) || words_of(name).size() > 6) continue;
    weight = span.weight;
    best = {name, "byline"};
  }
  if (!best.value.empty()) return best;
  for (std::size_t i = 0; i < page.blocks.size() && i < 400; ++i) {
    const std::string_view text = page.text_of(page.blocks[i]);
    if (page.blocks[i].words < 2 || page.blocks[i].words > 14 || !equals_ignore_case(text.substr(0, 3), "by ")) continue;
    const std::string name = clean_name(text);
    if (is_name(name) && words_of(name).size() <= 5 && name[0] >= 'A' && name[0] <= 'Z') return {name, "text"};
  }
  return {};
}

// --- dates ---

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};

std::string iso(int year, int month, int day) {
  if (year < 1990 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31) return {};
  const auto two = [](int value) {
    std::string out = std::to_string(value);
    return out.size() < 2 ? "0" + out : out;
  };
  return std::to_string(year) + "-" + two(month) + "-" + two(day);
}

struct DateToken {
  int number = -1;  // of digits
  int digits = 0;
  int month = 0;    // of a word
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<DateToken> date_tokens(std::string_view text) {
  std::vector<DateToken> out;
  for (std::size_t i = 0; i < text.size() && out.size() < 64;) {
    DateToken token;
    token.begin = i;
    if (is_digit(text[i])) {
      while (i < text.size() && is_digit(text[i])) ++i;
      token.digits = static_cast<int>(i - token.begin);
      token.number = token.digits <= 4 ? std::atoi(std::string(text.substr(token.begin, i - token.begin)).c_str()) : -1;
      token.end = i;
      const std::string_view suffix = text.substr(i, 2);
      if (equals_ignore_case(suffix, "st") || equals_ignore_case(suffix, "nd") || equals_ignore_case(suffix, "rd") ||
          equals_ignore_case(suffix, "th")) i += 2;
      out.push_back(token);
    } else if ((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z') {
      while (i < text.size() && (text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z') ++i;
      const std::string_view word = text.substr(token.begin, i - token.begin);
      for (std::size_t m = 0; m < 12 && word.size() >= 3 && word.size() <= 9; ++m) {
        if (equals_ignore_case(word.substr(0, 3), kMonths[m])) token.month = static_cast<int>(m) + 1;
      }
      token.end = i;
      if (token.month != 0 || (word.size() > 2 && !equals_ignore_case(word, "the"))) out.push_back(token);
    } else {
      ++i;
    }
  }
  return out;
}

bool joined(std::string_view text, const DateToken& a, const DateToken& b, std::string_view marks) {
  return b.begin == a.end + 1 && marks.find(text[a.end]) != std::string_view::npos;
}

std::string date_of(std::string_view text, const DateToken& a, const DateToken& b, const DateToken& c) {
  if (a.month != 0 && b.digits > 0 && b.digits <= 2 && c.digits == 4) return iso(c.number, a.month, b.number);
  if (a.digits > 0 && a.digits <= 2 && b.month != 0 && c.digits == 4) return iso(c.number, b.month, a.number);
  if (a.digits == 4 && b.month != 0 && c.digits > 0) return iso(a.number, b.month, c.number);
  if (a.digits == 4 && b.digits > 0 && b.digits <= 2 && c.digits > 0 && c.digits <= 2 &&
      joined(text, a, b, "-/.") && joined(text, b, c, "-/.")) return iso(a.number, b.number, c.number);
  if (a.digits > 0 && a.digits <= 2 && b.digits > 0 && b.digits <= 2 && c.digits == 4) {
    if (joined(text, a, b, ".") && joined(text, b, c, ".")) return iso(c.number, b.number, a.number);
    if (joined(text, a, b, "/-") && joined(text, b, c, "/-")) {
      return a.number > 12 ? iso(c.number, b.number, a.number) : iso(c.number, a.number, b.number);
    }
  }
  return {};
}

Fact date_fact(Fact found) {
  std::string date = find_date(found.value);
  if (date.empty()) return {};
  // The time, too, where it is one of ISO 8601.
  if (found.value.starts_with(date) && found.value.size() > 10 && found.value[10] == 'T') date = found.value.substr(0, 32);
  return {date, found.source};
}

Fact find_published(const Page& page, std::string_view url) {
  Fact found = date_fact(json_fact(page, "datePublished"));
  for (const std::string_view key : {"article:published_time", "datepublished", "og:published_time", "article:published",
                                     "parsely-pub-date", "sailthru.date", "dc.date", "dcterms.date", "dcterms.created",
                                     "dc.date.issued", "publish-date", "pubdate", "publication_date", "citation_publication_date",
                                     "citation_date", "date"}) {
    if (found.value.empty()) found = date_fact(meta_fact(page, {key}));
  }
  if (found.value.empty()) found = date_fact(json_fact(page, "uploadDate"));
  if (found.value.empty()) found = date_fact(json_fact(page, "dateCreated"));
  if (!found.value.empty()) return found;
  for (int weight = 4; weight >= 1 && found.value.empty(); --weight) {
    for (const Span& span : page.spans) {
      const bool byline = span.kind == SpanKind::kAuthor && weight == 1;
      if ((span.kind != SpanKind::kDate || span.weight != weight) && !byline) continue;
      found = date_fact({span.value, "time"});
      if (found.value.empty() && span.end > span.begin) {
        found = {find_date(std::string_view(page.text).substr(span.begin, std::min(span.end - span.begin, 160u))), "byline"};
      }
      if (!found.value.empty()) return found;
    }
  }
  found = {find_date(url), "url"};
  if (!found.value.empty()) return found;
  for (std::size_t i = 0; i < page.blocks.size() && i < 400; ++i) {
    if (page.blocks[i].words < 3 || page.blocks[i].words > 20) continue;
    const std::string date = find_date(page.text_of(page.blocks[i]));
    if (!date.empty()) return {date, "text"};
  }
  return {};
}

// --- JSON ---

// The string that begins behind the quote at `at`.
std::string json_text(std::string_view json, std::size_t at) {
  std::string out;
  for (++at; at < json.size() && json[at] != '"' && out.size() < 4096; ++at) {
    if (json[at] != '\\' || at + 1 >= json.size()) {
      out += json[at];
      continue;
    }
    const char c = json[++at];
    if (c == 'u' && at + 4 < json.size()) {
      auto code = static_cast<char32_t>(std::strtoul(std::string(json.substr(at + 1, 4)).c_str(), nullptr, 16));
      at += 4;
      if (code >= 0xD800 && code < 0xDC00 && json.substr(at + 1, 2) == "\\u" && at + 6 < json.size()) {
        const auto low = static_cast<char32_t>(std::strtoul(std::string(json.substr(at + 3, 4)).c_str(), nullptr, 16));
        code = 0x10000 + ((code - 0xD800) << 10) + (low & 0x3FF);
        at += 6;
      }
      append_utf8(out, code);
    } else {
      out += c == 'n' || c == 't' || c == 'r' ? ' ' : c;
    }
  }
  std::string plain;
  html::append_decoded(plain, out, html::EntityRules::kText);
  return plain;
}

}  // namespace

std::string json_string(std::string_view json, std::string_view key) {
  const std::string quoted = '"' + std::string(key) + '"';
  for (std::size_t at = json.find(quoted); at != std::string_view::npos; at = json.find(quoted, at + 1)) {
    std::size_t i = at + quoted.size();
    while (i < json.size() && is_space(json[i])) ++i;
    if (i >= json.size() || json[i] != ':') continue;
    do ++i;
    while (i < json.size() && (is_space(json[i]) || json[i] == '['));
    if (i < json.size() && json[i] == '"') return json_text(json, i);
    if (i >= json.size() || json[i] != '{' || key == "name") continue;
    const std::string_view object = json.substr(i, std::min(json.find('}', i), i + 4096) - i);
    std::string name = json_string(object, "name");
    if (!name.empty()) return name;
  }
  return {};
}

std::string find_date(std::string_view text) {
  text = text.substr(0, 400);
  const std::vector<DateToken> tokens = date_tokens(text);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    std::string date = date_of(text, tokens[i], tokens[i + 1], tokens[i + 2]);
    if (!date.empty()) return date;
  }
  return {};
}

Facts find_facts(const Page& page, std::string_view url) {
  Facts out;
  out.site_name = meta_fact(page, {"og:site_name", "application-name", "al:ios:app_name"});
  out.title = find_title(page, out.site_name.value);
  out.description = meta_fact(page, {"description", "og:description", "twitter:description", "dc.description"});
  if (out.description.value.empty()) out.description = json_fact(page, "description");
  out.author = find_author(page);
  out.published = find_published(page, url);
  out.modified = date_fact(json_fact(page, "dateModified"));
  if (out.modified.value.empty()) {
    out.modified = date_fact(meta_fact(page, {"article:modified_time", "og:updated_time", "last-modified", "dcterms.modified"}));
  }
  return out;
}

}  // namespace spinneret::text
