// SPDX-License-Identifier: Apache-2.0
#include "text/said.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "html/entity.h"

namespace spinneret::text {

namespace {

class OwnKey {
 public:
  OwnKey(std::string_view json, std::string_view key) : json_(json), key_(key) {}

  std::size_t find() {
    if (json_.find('"' + std::string(key_) + '"') == std::string_view::npos) return best_;
    for (std::size_t i = 0; i < json_.size() && open_.size() < kMostDeep; ++i) {
      const char c = json_[i];
      if (c == '{' || c == '[') open_.push_back({i});
      if (c == '}' || c == ']') close();
      if (c == '"') i = string(i);
    }
    while (!open_.empty()) close();
    return best_;
  }

 private:
  struct Object {
    std::size_t begin = 0;
    std::size_t key = std::string_view::npos;
    bool other = false;  // a review, a comment and the like
  };
  static constexpr std::size_t kMostDeep = 64;

  void close() {
    if (open_.empty()) return;
    const Object last = open_.back();
    open_.pop_back();
    const bool other = last.other || std::any_of(open_.begin(), open_.end(),
                                                 [](const Object& object) { return object.other; });
    if (!other) best_ = std::min(best_, last.key);
  }

  // Reads the string that begins at `at`, which may be a key or a type. Returns its end.
  std::size_t string(std::size_t at) {
    std::size_t end = json_.find('"', at + 1);
    for (; end != std::string_view::npos; end = json_.find('"', end + 1)) {
      std::size_t marks = 0;
      while (json_[end - 1 - marks] == '\\') ++marks;
      if (marks % 2 == 0) break;
    }
    if (open_.empty() || end == std::string_view::npos) return std::min(end, json_.size());
    const std::string_view text = json_.substr(at + 1, end - at - 1);
    const std::size_t next = json_.find_first_not_of(" \t\r\n", end + 1);
    const bool key = next != std::string_view::npos && json_[next] == ':';
    Object& object = open_.back();
    if (key && text == key_ && object.key == std::string_view::npos) object.key = at;
    // "@type": "Review", or an element of a list of types.
    if (type_ && !key) {
      Object& typed =
          json_[object.begin] == '[' && open_.size() > 1 ? open_[open_.size() - 2] : object;
      for (const std::string_view type :
           {"Review", "Comment", "Answer", "Book", "Quotation", "Movie", "UserReview",
            "ImageObject", "VideoObject", "VideoGame"}) {
        if (text == type) typed.other = true;
      }
    }
    type_ = key && text == "@type";
    return end;
  }

  std::string_view json_;
  std::string_view key_;
  std::vector<Object> open_;
  bool type_ = false;  // the last string was the key of a type
  std::size_t best_ = std::string_view::npos;
};

}  // namespace

std::size_t own_key(std::string_view json, std::string_view key) {
  return OwnKey(json, key).find();
}

std::string folded(std::string_view text) {
  constexpr std::string_view kNoBreak = "\xC2\xA0";
  constexpr std::string_view kMayBreak[] = {"\xC2\xAD", "\xE2\x80\x8B"};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool beyond_ascii = static_cast<unsigned char>(text[i]) >= 0x80;
    const std::string_view rest = beyond_ascii ? text.substr(i) : std::string_view();
    const auto* const mark =
        std::find_if(std::begin(kMayBreak), std::end(kMayBreak),
                     [rest](std::string_view each) { return rest.starts_with(each); });
    if (mark != std::end(kMayBreak)) {
      i += mark->size() - 1;
      continue;
    }
    const bool no_break = rest.starts_with(kNoBreak);
    i += no_break;
    if (!no_break && !is_space(text[i])) {
      out += text[i];
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

std::size_t block_at(const Page& page, std::uint32_t at) {
  const auto found =
      std::upper_bound(page.blocks.begin(), page.blocks.end(), at,
                       [](std::uint32_t from, const Block& b) { return from < b.end; });
  return static_cast<std::size_t>(found - page.blocks.begin());
}

std::vector<std::string> parts_of(const Page& page, const Span& span, std::size_t most) {
  std::vector<std::string> out;
  auto block = page.blocks.begin() + static_cast<std::ptrdiff_t>(block_at(page, span.begin));
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

std::string json_text(std::string_view json, std::size_t at, std::size_t most) {
  std::string out;
  for (++at; at < json.size() && json[at] != '"' && out.size() < most; ++at) {
    if (json[at] != '\\' || at + 1 >= json.size()) {
      out += json[at];
      continue;
    }
    const std::size_t begin = out.size();
    const std::size_t taken = append_json_escape(out, json.substr(at + 1));
    if (taken == 0) out += json[at + 1];
    at += std::max<std::size_t>(taken, 1);
    if (out.size() == begin + 1 && is_space(out.back())) out.back() = ' ';
  }
  std::string plain;
  html::append_decoded(plain, out, html::EntityRules::kText);
  return plain;
}

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
  clean_lines(out);
  return out;
}

}  // namespace spinneret::text
