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
#include "text/dates.h"

namespace spinneret::text {
namespace {

std::string json_text(std::string_view json, std::size_t at, std::size_t most = 4096);

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
    const bool letter =
        is_digit(c) || (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
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
  for (const std::string& word : one)
    common += std::find(two.begin(), two.end(), word) != two.end();
  return static_cast<double>(common) / static_cast<double>(one.size());
}

// The parts of a span's text that stand in a block each, at most `most` of them.
std::vector<std::string> parts_of(const Page& page, const Span& span, std::size_t most) {
  std::vector<std::string> out;
  auto block = std::upper_bound(page.blocks.begin(), page.blocks.end(), span.begin,
                                [](std::uint32_t at, const Block& b) { return at < b.end; });
  for (; block != page.blocks.end() && block->begin < span.end && out.size() < most; ++block) {
    const std::uint32_t begin = std::max(block->begin, span.begin);
    const std::uint32_t end = std::min({block->end, span.end, begin + 400u});
    std::string part = folded(std::string_view(page.text).substr(begin, end - begin));
    if (!part.empty()) out.push_back(std::move(part));
  }
  return out;
}

std::string text_of(const Page& page, const Span& span) {
  std::string out;
  for (const std::string& part : parts_of(page, span, 6)) {
    if (!out.empty()) out += ' ';
    out += part;
  }
  return out;
}

// --- title ---

// Without the site's name at either end.
std::string without_site(const std::string& title, std::string_view site) {
  constexpr std::string_view kMarks[] = {
      " | ", " - ", " – ", " — ", " · ", " :: ", " » ", " • ", " < ", " ∣ ", " ~ "};
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

// How much a headline looks like the title: a word of the site's name alone is in it, too.
double headline_score(std::string_view headline, std::string_view title) {
  const auto one = static_cast<double>(words_of(headline).size());
  const auto two = static_cast<double>(std::max<std::size_t>(1, words_of(title).size()));
  const double size = std::min(one, two) / std::max(one, two);
  return likeness(headline, title) * (0.5 + 0.5 * size);
}

Fact find_title(const Page& page, std::string_view site) {
  const std::string title = folded(page.title);
  const Fact og = meta_fact(page, {"og:title", "twitter:title", "dc.title", "title"});
  const std::string& own = og.value.empty() ? title : og.value;
  const std::string bare = without_site(own, site);
  const std::string bare_title = without_site(title, site);
  std::string best, first;
  double best_score = 0;
  std::size_t headlines = 0;
  for (const Span& span : page.spans) {
    if (span.kind != SpanKind::kHeadline || span.end <= span.begin) continue;
    const std::string text = text_of(page, span);
    const std::size_t words = words_of(text).size();
    if (words == 0 || text.size() > 400 || ++headlines > 20) continue;
    if (!site.empty() && likeness(text, site) > 0.9 && words <= words_of(site).size() &&
        likeness(text, bare) < 0.9)
      continue;
    if (first.empty()) first = text;
    const double score = std::max(headline_score(text, bare), headline_score(text, bare_title));
    if (score > best_score) {
      best_score = score;
      best = text;
    }
  }
  if (best_score >= 0.5) return {best, "h1"};
  if (!og.value.empty()) return {bare, "meta"};
  if (!bare.empty()) return {bare, "title"};
  const Fact json = json_fact(page, "headline");
  return json.value.empty() && !first.empty() ? Fact{first, "h1"} : json;
}

// --- author ---

std::string clean_name(std::string_view text) {
  std::string name = folded(text);
  const std::string lower = to_lower_copy(name);
  for (const std::string_view word :
       {"written by", "posted by", "published by", "reviewed by", "authored by", "article by",
        "words by", "story by", "author:", "authors:", "by:", "by", "von", "par", "por",
        "author"}) {
    if (!lower.starts_with(word) || lower.size() <= word.size()) continue;
    const char next = lower[word.size()];
    if (next != ' ' && next != ':' && word.back() != ':') continue;
    name = std::string(trim(std::string_view(name).substr(word.size() + (next == ':'))));
    break;
  }
  for (const std::string_view mark : {" | ", " · ", " • ", " on ", " / ", "  ", " – ", " — ", " - ",
                                      "Updated", "Published", "Posted", " says:", "Reviewed by"}) {
    if (const std::size_t at = name.find(mark); at != std::string::npos && at > 0) name.resize(at);
  }
  if (const std::size_t at = find_number(name); at != std::string::npos && at > 0) name.resize(at);
  while (!name.empty() && std::string_view(", |-:").find(name.back()) != std::string_view::npos)
    name.pop_back();
  while (!name.empty() && std::string_view(", |-:").find(name.front()) != std::string_view::npos)
    name.erase(0, 1);
  return name;
}

bool is_name(std::string_view name) {
  if (name.size() < 2 || name.size() > 200 || name.find("://") != std::string_view::npos)
    return false;
  if (name.starts_with("@") || name.find("www.") != std::string_view::npos || is_digit(name[0]))
    return false;
  const std::size_t words = words_of(name).size();
  if (words == 0 || words > 24) return false;
  const std::string lower = to_lower_copy(name);
  for (const std::string_view other :
       {"admin",     "follow",         "share",     "read more", "comments",
        "view all",  "min read",       "subscribe", "author",    "authors",
        "about",     "editorial team", "staff",     "by",        "written by",
        "posted by", "updated",        "published", "posted",    "contributor"}) {
    if (lower == other) return false;
  }
  return true;
}

bool is_byline_name(std::string_view name) {
  const std::size_t words = words_of(name).size();
  return is_name(name) && words >= 1 && words <= 6 && name.size() <= 60;
}

// The Person of a JSON-LD graph that another node's author names by its @id.
std::string json_person(std::string_view json) {
  constexpr std::string_view kPerson = "\"Person\"";
  std::size_t at = json.find(kPerson);
  for (int tries = 0; at != std::string_view::npos && tries < 64; ++tries) {
    const std::size_t from = at - std::min<std::size_t>(at, 2048);
    const std::size_t open = json.substr(from, at - from).rfind('{');
    if (open != std::string_view::npos) {
      std::string name = json_string(json.substr(from + open, 4096), "name");
      if (!name.empty()) return name;
    }
    at = json.find(kPerson, at + kPerson.size());
  }
  return {};
}

// Names of a list behind the key, by ", "; of an object or a string its own.
std::string json_authors(std::string_view json) {
  constexpr std::string_view kKey = "\"author\"";
  std::size_t at = json.find(kKey);
  if (at == std::string_view::npos) return {};
  at += kKey.size();
  while (at < json.size() && (is_space(json[at]) || json[at] == ':')) ++at;
  if (at >= json.size() || json[at] != '[') return clean_name(json_string(json, "author"));
  std::string out;
  const std::string_view list = json.substr(at, 16384);
  std::size_t depth = 0, names = 0;
  for (std::size_t i = 0; i < list.size() && names < 12; ++i) {
    if (list[i] == '[' || list[i] == '{') ++depth;
    if ((list[i] == ']' || list[i] == '}') && --depth == 0) break;
    if (list[i] != '"') continue;
    const std::size_t begin = i;
    for (++i; i < list.size() && list[i] != '"'; ++i) i += list[i] == '\\';
    if (i >= list.size()) break;
    std::string name;
    if (depth == 1) name = clean_name(json_text(list, begin));
    if (depth == 2 && list.substr(begin, i - begin + 1) == "\"name\"")
      name = clean_name(json_string(list.substr(begin, 2048), "name"));
    if (!is_name(name)) continue;
    out += (names++ == 0 ? "" : ", ") + name;
  }
  return out.empty() ? clean_name(json_string(json, "author")) : out;
}

// "By" or "Written by" before a name, in one block or two.
Fact find_written_by(const Page& page) {
  for (std::size_t i = 0; i < page.blocks.size() && i < 600; ++i) {
    const std::string_view text = page.text_of(page.blocks[i]);
    if (page.blocks[i].words == 0 || page.blocks[i].words > 24) continue;
    bool found = false;
    for (const std::string_view word :
         {"by", "written by", "posted by", "author", "article by", "words by"}) {
      if (!equals_ignore_case(text.substr(0, word.size()), word)) continue;
      const std::string_view rest = text.substr(word.size());
      const bool alone = trim(rest).empty() || trim(rest) == ":";
      if (alone && i + 1 == page.blocks.size()) continue;
      if (!alone && rest[0] != ' ' && rest[0] != ':' && rest[0] != '\n') continue;
      if (!alone && word == "author" && rest[0] != ':') continue;
      std::string_view who = alone ? page.text_of(page.blocks[i + 1]) : text;
      who = who.substr(0, who.find('\n', alone ? 0 : word.size() + 2));
      const std::string name = clean_name(who);
      found = is_byline_name(name) &&
              ((name[0] >= 'A' && name[0] <= 'Z') || static_cast<unsigned char>(name[0]) >= 0x80);
      if (found && words_of(name).size() <= 5) return {name, "text"};
    }
  }
  return {};
}

Fact find_author(const Page& page) {
  for (const std::string& json : page.json) {
    std::string name = json_authors(json);
    if (is_name(name)) return {name, "json-ld"};
    if (json.find("\"author\"") != std::string::npos) name = clean_name(json_person(json));
    if (is_name(name)) return {name, "json-ld"};
  }
  for (const std::string_view key :
       {"author", "article:author", "dc.creator", "dcterms.creator", "parsely-author",
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
    for (const std::string& part : parts_of(page, span, 4)) {
      const std::string name = clean_name(part);
      if (!is_byline_name(name)) continue;
      weight = span.weight;
      best = {name, "byline"};
      break;
    }
  }
  if (weight >= 2) return best;
  const Fact written = find_written_by(page);
  return written.value.empty() ? best : written;
}

// --- dates ---

Fact date_fact(Fact found) {
  std::string date = find_date(found.value);
  if (date.empty()) return {};
  // The time, too, where it is one of ISO 8601.
  if (found.value.starts_with(date) && found.value.size() > 10 && found.value[10] == 'T')
    date = found.value.substr(0, 32);
  return {date, found.source};
}

Fact find_published(const Page& page, std::string_view url) {
  Fact found = date_fact(json_fact(page, "datePublished"));
  for (const std::string_view key :
       {"article:published_time", "datepublished", "og:published_time", "article:published",
        "parsely-pub-date", "sailthru.date", "dc.date", "dcterms.date", "dcterms.created",
        "dc.date.issued", "publish-date", "pubdate", "publication_date",
        "citation_publication_date", "citation_date", "date"}) {
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
        found = {find_date(text_of(page, span)), "byline"};
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
std::string json_text(std::string_view json, std::size_t at, std::size_t most) {
  std::string out;
  for (++at; at < json.size() && json[at] != '"' && out.size() < most; ++at) {
    if (json[at] != '\\' || at + 1 >= json.size()) {
      out += json[at];
      continue;
    }
    const char c = json[++at];
    if (c == 'u' && at + 4 < json.size()) {
      auto code = static_cast<char32_t>(
          std::strtoul(std::string(json.substr(at + 1, 4)).c_str(), nullptr, 16));
      at += 4;
      if (code >= 0xD800 && code < 0xDC00 && json.substr(at + 1, 2) == "\\u" &&
          at + 6 < json.size()) {
        const auto low = static_cast<char32_t>(
            std::strtoul(std::string(json.substr(at + 3, 4)).c_str(), nullptr, 16));
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
  for (std::size_t at = json.find(quoted); at != std::string_view::npos;
       at = json.find(quoted, at + 1)) {
    std::size_t i = at + quoted.size();
    while (i < json.size() && is_space(json[i])) ++i;
    if (i >= json.size() || json[i] != ':') continue;
    do ++i;
    while (i < json.size() && (is_space(json[i]) || json[i] == '['));
    if (i < json.size() && json[i] == '"') return json_text(json, i);
    if (i >= json.size() || json[i] != '{' || key == "name") continue;
    std::string_view object = json.substr(i, 4096);
    object = object.substr(0, object.find('}'));
    std::string name = json_string(object, "name");
    if (!name.empty()) return name;
  }
  return {};
}

std::string json_body(const Page& page) {
  constexpr std::string_view kKeys[] = {"\"articleBody\"", "\"text\""};
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::string out;
  for (const std::string_view json : page.json) {
    std::size_t next[] = {json.find(kKeys[0]), json.find(kKeys[1])};
    while (out.size() < kMost) {
      const std::size_t key = next[1] < next[0] ? 1 : 0;
      if (next[key] == std::string_view::npos) break;
      const std::size_t begin = next[key] + kKeys[key].size();
      next[key] = json.find(kKeys[key], begin);
      std::size_t value = begin;
      while (value < json.size() && (is_space(json[value]) || json[value] == ':')) ++value;
      if (value == begin || value >= json.size() || json[value] != '"') continue;
      const std::string text = folded(json_text(json, value, kMost));
      if (!text.empty()) out += (out.empty() ? "" : "\n") + text;
    }
  }
  return out;
}

Facts find_facts(const Page& page, std::string_view url) {
  Facts out;
  out.site_name = meta_fact(page, {"og:site_name", "application-name", "al:ios:app_name"});
  out.title = find_title(page, out.site_name.value);
  out.description =
      meta_fact(page, {"description", "og:description", "twitter:description", "dc.description"});
  if (out.description.value.empty()) out.description = json_fact(page, "description");
  out.author = find_author(page);
  out.published = find_published(page, url);
  out.modified = date_fact(json_fact(page, "dateModified"));
  if (out.modified.value.empty()) {
    out.modified = date_fact(meta_fact(
        page, {"article:modified_time", "og:updated_time", "last-modified", "dcterms.modified"}));
  }
  return out;
}

}  // namespace spinneret::text
