// SPDX-License-Identifier: Apache-2.0
#include "text/author.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "base/ascii.h"
#include "text/dates.h"

namespace spinneret::text {
namespace {

// Removes the person's post behind a name: "Ann Ash Senior Writer". It must stand behind two words
// or more.
std::string without_post(std::string name) {
  for (const std::string_view post : {" Senior ", " Staff ", " Writer", " Editor", " Reporter",
                                      " Contributor", " Columnist", " Founder", " Freelance "}) {
    const std::size_t at = name.find(post);
    const std::size_t end = at + post.size();
    if (at == std::string::npos || name.find(' ') >= at) continue;
    if (end >= name.size() || !is_alpha(name[end]) || post.back() == ' ') name.resize(at);
  }
  while (name.ends_with(',')) name.pop_back();
  return name;
}

std::string clean_name(std::string_view text) {
  std::string name = folded(text);
  const std::string lower = to_lower_copy(name);
  for (const std::string_view word : {"thread starter",
                                      "recipe by",
                                      "article written by",
                                      "written by",
                                      "posted by",
                                      "post by",
                                      "started by",
                                      "asked by",
                                      "submitted by",
                                      "published by",
                                      "reviewed by",
                                      "authored by",
                                      "article by",
                                      "words by",
                                      "story by",
                                      "guest post by",
                                      "insights from",
                                      "author:",
                                      "authors:",
                                      "contributors:",
                                      "author(s):",
                                      "by:",
                                      "by",
                                      "von",
                                      "par",
                                      "por",
                                      "author"}) {
    if (!lower.starts_with(word) || lower.size() <= word.size()) continue;
    const char next = lower[word.size()];
    const bool run_on = word.ends_with(" by") && is_upper(name[word.size()]);
    if (next != ' ' && next != ':' && word.back() != ':' && !run_on) continue;
    name = std::string(trim(std::string_view(name).substr(word.size() + (next == ':'))));
    break;
  }
  for (const std::string_view mark :
       {" | ", " · ", " • ", " on ", " / ", "  ", " – ", " — ", " - ", " » ", " »", " ⋅ ", " ● ",
        "Updated", "Published", "Posted", " says:", "Reviewed by"}) {
    if (const std::size_t at = name.find(mark); at != std::string::npos && at > 0) name.resize(at);
  }
  if (const std::size_t at = find_number(name); at != std::string::npos) name.resize(at);
  while (!name.empty() && std::string_view(", |-:").find(name.back()) != std::string_view::npos)
    name.pop_back();
  while (!name.empty() && std::string_view(", |-:&").find(name.front()) != std::string_view::npos)
    name.erase(0, 1);
  return without_post(std::move(name));
}

bool is_name(std::string_view name) {
  if (name.size() < 2 || name.size() > 200 || name.find("://") != std::string_view::npos)
    return false;
  if (name.find('@') != std::string_view::npos || name.find("www.") != std::string_view::npos ||
      is_digit(name[0]))
    return false;
  const std::size_t words = words_of(name).size();
  if (words == 0 || words > 24) return false;
  const std::string lower = to_lower_copy(name);
  for (const std::string_view other :
       {"admin",     "follow",      "share",      "read more", "comments", "view all",
        "min read",  "subscribe",   "author",     "authors",   "about",    "editorial team",
        "staff",     "by",          "written by", "posted by", "updated",  "published",
        "posted",    "contributor", "the author", "mon",       "tue",      "wed",
        "thu",       "fri",         "sat",        "sun",       "monday",   "tuesday",
        "wednesday", "thursday",    "friday",     "saturday",  "sunday",   "topic author",
        "name",      "comment",     "price",      "date",      "title",    "company size"}) {
    if (lower == other) return false;
  }
  return !lower.ends_with(" contributors") && name.find("\u00B6") == std::string_view::npos;
}

// Whether a name can stand in a byline: refuses initials, and the labels of buttons.
bool is_byline_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  if (!is_name(name) || words.empty() || words.size() > 6 || name.size() > 60) return false;
  if (name.size() <= 3 && std::none_of(name.begin(), name.end(), is_lower)) return false;
  for (const std::string_view other :
       {"view",     "connect", "read",  "more",  "in",       "use",  "my",    "all",     "about",
        "follow",   "get",     "show",  "see",   "register", "sign", "log",   "login",   "join",
        "create",   "click",   "reply", "your",  "our",      "from", "visit", "contact", "search",
        "download", "edit",    "leave", "write", "add",      "try"}) {
    if (words[0] == other) return false;
  }
  return std::any_of(name.begin(), name.end(),
                     [](char c) { return is_alpha(c) || static_cast<unsigned char>(c) >= 0xC3; });
}

// Returns the name of the first Person in a JSON-LD graph, for an author that is given only by @id.
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

// Returns the names in a list behind the key, joined by ", ", or the name of a single author.
std::string json_authors(std::string_view json) {
  constexpr std::string_view kKey = "\"author\"";
  const std::size_t key = own_key(json, "author");
  if (key == std::string_view::npos) return {};
  json.remove_prefix(key);
  std::size_t at = kKey.size();
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

constexpr std::string_view kStarter = "thread starter";

// Whether a block beside this one holds a date.
bool is_dated(const Page& page, std::size_t i) {
  const auto dated = [&page](std::size_t block) {
    return block < page.blocks.size() && page.blocks[block].words <= 12 &&
           !find_date(page.text_of(page.blocks[block])).empty();
  };
  return dated(i + 1) || (i > 0 && dated(i - 1));
}

// Finds a name behind one of these labels ("by", "written by"), in one block or two.
Fact find_written_by(const Page& page, std::initializer_list<std::string_view> labels) {
  for (std::size_t i = 0; i < page.blocks.size() && i < 600; ++i) {
    const std::string_view text = page.text_of(page.blocks[i]);
    if (page.blocks[i].words == 0 || page.blocks[i].words > 24) continue;
    bool found = false;
    for (const std::string_view word : labels) {
      if (!equals_ignore_case(text.substr(0, word.size()), word)) continue;
      const std::string_view rest = text.substr(word.size());
      const bool alone = trim(rest).empty() || trim(rest) == ":";
      if (alone && i + 1 == page.blocks.size()) continue;
      if (!alone && rest[0] != ' ' && rest[0] != ':' && rest[0] != '\n') continue;
      if (!alone && (word.starts_with("author") || word.starts_with("contrib")) && rest[0] != ':')
        continue;
      std::string_view who = alone ? page.text_of(page.blocks[i + 1]) : text;
      who = who.substr(0, who.find('\n', alone ? 0 : word.size() + 2));
      std::string name = clean_name(who);
      if (words_of(name).size() > 5) name = trim(std::string_view(name).substr(0, name.find(", ")));
      const bool label = words_of(name).size() == 1 && name.size() > 3 &&
                         std::all_of(name.begin(), name.end(), is_upper);
      found = is_byline_name(name) && !label &&
              (word == kStarter || (page.blocks[i].words <= 3 && is_dated(page, i)) ||
               (name[0] >= 'A' && name[0] <= 'Z') || static_cast<unsigned char>(name[0]) >= 0x80);
      if (found && words_of(name).size() <= 5) return {name, "text"};
    }
  }
  return {};
}

// Returns the authors of a paper, which are named in a meta element each, often as "Ash, Ann".
std::string cited_authors(const Page& page) {
  std::string out;
  std::size_t names = 0;
  for (const MetaFact& meta : page.metas) {
    if ((meta.name != "citation_author" && meta.name != "citation_authors") || names++ >= 24)
      continue;
    std::string_view last = trim(meta.value);
    const std::string_view first = cut(last, ',');
    std::string name = trim(last).empty() ? folded(first) : folded(last) + " " + folded(first);
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out.substr(0, 190);
}

// Returns the author that the page's head declares.
Fact declared_author(const Page& page) {
  if (const std::string cited = cited_authors(page); is_name(cited)) return {cited, "meta"};
  for (const std::string& json : page.json) {
    std::string name = json_authors(json);
    if (is_name(name)) return {name, "json-ld"};
    if (own_key(json, "author") != std::string_view::npos) name = clean_name(json_person(json));
    if (is_name(name)) return {name, "json-ld"};
  }
  for (const std::string_view key : {"author", "article:author", "dc.creator", "dcterms.creator",
                                     "parsely-author", "sailthru.author", "twitter:data1", "byl"}) {
    const MetaFact* const meta = find_meta(page, key);
    if (meta == nullptr) continue;
    if (key == "twitter:data1") {
      const MetaFact* const label = find_meta(page, "twitter:label1");
      if (label == nullptr || label->value.find("ritten by") == std::string::npos) continue;
    }
    const std::string name = clean_name(meta->value);
    if (is_name(name)) return {name, "meta"};
  }
  return {};
}

// Returns what the markup calls an author or a byline, if it `fits`; `weight` becomes its
// certainty.
template <typename Fits>
Fact marked_author(const Page& page, int& weight, Fits fits) {
  Fact best;
  weight = 0;
  for (const Span& span : page.spans) {
    if (span.kind != SpanKind::kAuthor || span.weight <= weight) continue;
    const std::string_view value = page.value_of(span);
    if (is_byline_name(value) && fits(value)) {
      weight = span.weight;
      best = {folded(value), "byline"};
      continue;
    }
    if (span.end <= span.begin) continue;
    for (const std::string& part : parts_of(page, span, 4)) {
      const std::string name = clean_name(part);
      if (!is_byline_name(name) || !fits(name)) continue;
      weight = span.weight;
      best = {name, "byline"};
      break;
    }
  }
  return best;
}

// Returns the publisher object's own name, not that of something inside it.
std::string publisher_name(std::string_view json) {
  const std::size_t at = json.find("\"publisher\"");
  if (at == std::string_view::npos) return {};
  std::string_view object = json.substr(at, 1024);
  object = object.substr(0, object.find("\"name\""));
  return std::count(object.begin(), object.end(), '{') == 1
             ? json_string(json.substr(at), "publisher")
             : std::string();
}

// The words in the names of the site and of the publishers.
using Owners = std::vector<std::vector<std::string>>;
Owners owners_of(const Page& page, std::string_view site) {
  Owners owners{words_of(site)};
  for (const std::string& json : page.json) owners.push_back(words_of(publisher_name(json)));
  return owners;
}

// Whether the name is an owner's rather than a person's.
bool is_owner(const Owners& owners, std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return std::any_of(owners.begin(), owners.end(), [&words](const auto& owner) {
    return !owner.empty() && std::all_of(words.begin(), words.end(), [&owner](const auto& word) {
      return std::find(owner.begin(), owner.end(), word) != owner.end();
    });
  });
}

// Whether the text is two to four words, each with a capital. People's names are like this, and
// little else that stands alone.
bool looks_like_person(std::string_view text) {
  std::size_t words = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = cut(rest, ' ');
    if (word.empty() || !is_upper(word[0])) return false;
    for (const char c : word) {
      if (!is_alpha(c) && c != '.' && c != '-' && c != '\'' && static_cast<unsigned char>(c) < 0x80)
        return false;
    }
    ++words;
  }
  return words >= 2 && words <= 4 && text.size() <= 40;
}

// Whether a later block tells about the person ("Ann Ash is the founder of ..."), as an author's
// box does.
bool is_told_of(const Page& page, std::string_view name, std::size_t from) {
  constexpr std::size_t kMost = 4000;
  for (std::size_t i = from; i < page.blocks.size() && i < kMost; ++i) {
    const std::string_view text = page.text_of(page.blocks[i]);
    if (!text.starts_with(name)) continue;
    const std::string_view rest = text.substr(name.size());
    if (rest.starts_with(" is ") || rest.starts_with(" has ") || rest.starts_with(", "))
      return true;
  }
  return false;
}

// Returns the part that is a name, in a block with a date: "Ann Ash | Senior Writer | July 2,
// 2025", "Dec. 19, 2025 - Ann Ash", "2 May 2024 by Ann Ash".
std::string beside_date(const Page& page, std::size_t block) {
  const std::string text = folded(page.text_of(page.blocks[block]));
  if (page.blocks[block].words > 16 || text.size() > 160 || find_date(text).empty()) return {};
  constexpr std::string_view kMarks[] = {" | ", " \u00B7 ", " \u2022 ", " \u2014 ", " \u2013 ",
                                         " - ", " by ",     " By ",     "\n"};
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.size(), next = end;
    for (const std::string_view mark : kMarks) {
      const std::size_t at = text.find(mark, begin);
      if (at < end) end = at, next = at + mark.size();
    }
    const std::string name = clean_name(std::string_view(text).substr(begin, end - begin));
    if (looks_like_person(name) && is_name(name) && find_number(name) == std::string::npos)
      return name;
    begin = next;
  }
  return {};
}

// Returns what `look` finds first in the blocks near one of the first headlines, from `before`
// blocks before it on.
template <typename Look>
Fact near_headlines(const Page& page, std::ptrdiff_t before, Look look) {
  constexpr std::ptrdiff_t kNear = 8;
  constexpr std::size_t kMostHeadlines = 3;
  const auto count = static_cast<std::ptrdiff_t>(page.blocks.size());
  std::size_t headlines = 0;
  for (const Span& span : page.spans) {
    if (span.kind != SpanKind::kHeadline) continue;
    if (++headlines > kMostHeadlines) break;
    const auto at = static_cast<std::ptrdiff_t>(block_at(page, span.begin));
    for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, at - before);
         i < std::min(at + kNear, count); ++i) {
      Fact found = look(static_cast<std::size_t>(i));
      if (!found.value.empty()) return found;
    }
  }
  return {};
}

// Finds a name in a block of its own near a headline, if a block beside it holds a date, or if the
// page tells elsewhere about the person.
Fact find_alone(const Page& page) {
  return near_headlines(page, 3, [&page](std::size_t i) -> Fact {
    const std::string_view text = page.text_of(page.blocks[i]);
    const Cues cues = page.cues_of(page.blocks[i]);
    if (has(cues, Cue::kHeading) || has(cues, Cue::kNav)) return {};
    if (std::string name = beside_date(page, i); !name.empty()) return {std::move(name), "text"};
    if (!looks_like_person(text) || !is_name(text)) return {};
    if (is_dated(page, i) || is_told_of(page, text, i + 2)) return {std::string(text), "text"};
    return {};
  });
}

// Finds "By Ann Ash" right behind the first headlines: more reliable than the account under which
// the page was published.
Fact shown_author(const Page& page) {
  return near_headlines(page, -1, [&page](std::size_t i) -> Fact {
    const std::string_view text = page.text_of(page.blocks[i]);
    const bool by = text.starts_with("By ") || text.starts_with("by ") ||
                    text.starts_with("By: ") || text.starts_with("Written by ");
    if (page.blocks[i].words > 8 || !by) return {};
    std::string name = clean_name(text);
    if (!looks_like_person(name) || !is_name(name)) return {};
    return {std::move(name), "byline"};
  });
}

// Returns the first link behind the headline that leads to an author's page, or in forums to a
// member's page if there are several such links.
Fact linked_author(const Page& page) {
  const auto any = [](std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
      return text.find(part) != std::string_view::npos;
    });
  };
  constexpr std::size_t kMostLinks = 400;
  std::size_t headline = 0, members = 0, looked = 0;
  Fact author, member;
  for (const Span& span : page.spans) {
    if (span.kind == SpanKind::kHeadline && headline == 0) headline = span.begin;
    if (span.kind != SpanKind::kLink || span.end <= span.begin || span.end - span.begin > 60)
      continue;
    const std::string_view href = page.value_of(span).substr(0, 400);
    const bool of_author = any(href, {"/author/", "/authors/", "/contributor"});
    const bool of_member = any(href, {"member.php?", "memberlist.php?", "action=profile",
                                      "/members/", "profile.php?", "/user/", "/users/", "/u/"});
    if ((!of_author && !of_member) || ++looked > kMostLinks) continue;
    const std::string name = clean_name(text_of(page, span));
    if (!is_byline_name(name) ||
        has(page.cues_of(page.blocks[block_at(page, span.begin)]), Cue::kNav))
      continue;
    if (of_author && author.value.empty() && span.begin > headline) author = {name, "byline"};
    members += of_member;
    if (of_member && member.value.empty() && span.begin > headline) member = {name, "byline"};
  }
  if (!author.value.empty()) return author;
  return members >= 3 ? member : Fact();
}

// Returns what a meta element gives as the author, whatever it looks like.
Fact loosely_declared(const Page& page) {
  const MetaFact* meta = find_meta(page, "author");
  const MetaFact* const label = find_meta(page, "twitter:label1");
  if (meta == nullptr && label != nullptr && label->value.find("ritten by") != std::string::npos)
    meta = find_meta(page, "twitter:data1");
  if (meta == nullptr) return {};
  std::string name = folded(meta->value);
  const std::string lower = to_lower_copy(name);
  if (name.size() < 2 || name.size() > 60 || lower.find("://") != std::string::npos ||
      lower.starts_with("admin") || lower.find('{') != std::string::npos)
    return {};
  return {std::move(name), "meta"};
}

Fact author_of(const Page& page, std::string_view site) {
  const Fact declared = declared_author(page);
  const Owners owners = owners_of(page, site);
  // A login name is not the one that readers know.
  const bool login = declared.value.find(' ') == std::string::npos &&
                     declared.value.find('.') != std::string::npos;
  if (!declared.value.empty() && !login && !is_owner(owners, declared.value)) {
    const Fact shown = shown_author(page);
    return shown.value.empty() ? declared : shown;
  }
  int weight = 0;
  if (!declared.value.empty()) {
    const Fact person = marked_author(page, weight, [&owners](std::string_view name) {
      return looks_like_person(name.substr(0, name.find(','))) && !is_owner(owners, name);
    });
    return weight >= 2 ? person : declared;
  }
  Fact found = find_written_by(page, {kStarter});
  if (!found.value.empty()) return found;
  const Fact marked = marked_author(page, weight, [](std::string_view) { return true; });
  if (weight >= 2) return marked;
  found = find_written_by(page, {"by", "written by", "article written by", "posted by", "author",
                                 "authors", "author(s)", "article by", "words by", "contributors"});
  if (found.value.empty()) found = marked.value.empty() ? find_alone(page) : marked;
  if (found.value.empty()) found = linked_author(page);
  return found.value.empty() ? loosely_declared(page) : found;
}

}  // namespace

// Removes the site's name behind the author's: "Ann Ash, The Leaf".
Fact find_author(const Page& page, std::string_view site) {
  Fact found = author_of(page, site);
  std::string& name = found.value;
  std::string publisher(site);
  for (const std::string& json : page.json) {
    if (publisher.empty()) publisher = publisher_name(json);
  }
  if (publisher.size() < 3 || name.size() < publisher.size() + 3) return found;
  const std::size_t at = name.size() - publisher.size();
  if (!equals_ignore_case(std::string_view(name).substr(at), publisher) || name[at - 1] != ' ')
    return found;
  name.resize(at);
  while (!name.empty() && std::string_view(", |-").find(name.back()) != std::string_view::npos)
    name.pop_back();
  return found;
}

}  // namespace spinneret::text
