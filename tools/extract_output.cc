// SPDX-License-Identifier: Apache-2.0
#include "extract_output.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/utf8.h"
#include "copied_bytes.h"
#include "io/record.h"

namespace spinneret {
namespace {

constexpr std::size_t kMaxKey = 16;  // "\tchangefreq="
// Bytes of line_ that are kept between links.
constexpr std::size_t kKeepAtMost = std::size_t{1} << 20;

// Writes the tokens in lower case, with one space between them.
void fold_rel(std::string& out, std::string_view rel) {
  out.clear();
  for (const char c : rel) {
    if (!is_space(c)) {
      out += to_lower(c);
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
}

// Whether clean_words() may find something: control characters beyond ASCII begin with one of these
// bytes, or are no valid UTF-8.
bool may_hold_wide_control(std::string_view value) {
  return std::any_of(value.begin(), value.end(),
                     [](char c) { return c == '\xC2' || c == '\xD8' || c == '\xE2'; }) ||
         !is_valid_utf8(value);
}

// Compares names, which mostly have a letter or two.
inline bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at != a.size(); ++at) {
    if (a[at] != b[at]) return false;
  }
  return true;
}

inline char* put(char* out, std::string_view bytes) {
  std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

}  // namespace

// --- --once ---

void SeenOnPage::clear() {
  constexpr std::size_t kKept = std::size_t{1} << 12;
  if (count_ == 0) return;
  if (slots_.size() > kKept) std::vector<std::uint64_t>(kKept).swap(slots_);
  std::fill(slots_.begin(), slots_.end(), 0);
  count_ = 0;
}

std::size_t SeenOnPage::slot_of(std::uint64_t hash) const {
  if (hash == 0) hash = 1;
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != 0 && slots_[slot] != hash) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

bool SeenOnPage::insert(std::uint64_t hash) {
  if (2 * count_ >= slots_.size() && count_ < kMost) grow();
  std::uint64_t& slot = slots_[slot_of(hash)];
  if (slot != 0) return false;
  if (count_ == kMost) return true;
  slot = hash == 0 ? 1 : hash;
  ++count_;
  return true;
}

void SeenOnPage::grow() {
  const std::vector<std::uint64_t> old =
      std::exchange(slots_, std::vector<std::uint64_t>(2 * slots_.size()));
  count_ = 0;
  for (const std::uint64_t hash : old) {
    if (hash != 0) insert(hash);
  }
}

// Whether the page already had a good link with that value: then its URL need not be resolved
// again. With --edges or --check each link counts, and none is skipped.
bool LinkWriter::is_repeated(std::uint64_t value, const Url& base) {
  if (edges_ != nullptr || checks_ != nullptr) return false;
  if (base.href() != values_base_) {
    values_base_ = base.href();
    values_.clear();
  }
  return values_.contains(value);
}

// Whether the link is to be printed. Links that differ only by their purpose are printed each; so
// is one whose fragment is asked for.
bool LinkWriter::is_printed(const page::PageLink& link) {
  if (!settings_.once) return true;
  const std::string_view url = settings_.fragments ? url_.href() : url_.href_without_fragment();
  const bool wants_ids = settings_.check_fragments && !url_.fragment().empty();
  return printed_.insert(hash64(url, hash64(link.purpose, seed_ + (wants_ids ? 1 : 0))));
}

void LinkWriter::begin_page(std::string_view via, std::string_view depth, std::string_view bytes) {
  page_url_ = via;
  tail_.clear();
  page_fields_.clear();
  if (!depth.empty()) page_fields_.append("\tdepth=").append(depth);
  page_fields_.append("\tvia=").append(via).append("\ttag=");
  bad_links_ = 0;
  printed_.clear();
  values_.clear();
  if (checks_ != nullptr) checks_->begin_page(via);
  document(bytes, 0);
}

void LinkWriter::document(std::string_view bytes, std::size_t skipped) {
  lines_.begin(bytes, skipped);
}

void LinkWriter::find_position(std::size_t offset) {
  lines_.move_to(offset);
  position_ = "\toffset=";
  append_unsigned(position_, offset + lines_.skipped());
  position_ += "\tline=";
  append_unsigned(position_, lines_.line());
  position_ += "\tcolumn=";
  append_unsigned(position_, lines_.column());
}

// Writes text of a page, escaped so that no byte of it acts on a terminal. `out` must have room for
// twice as many bytes. Most text needs no escape: it is copied and checked in one pass.
inline char* LinkWriter::put_text(char* out, std::string_view value) {
  const CopiedBytes seen = copy_watched(out, value);
  const bool wide = (seen.bytes & 0x8080808080808080u) != 0 && may_hold_wide_control(value);
  if (seen.odd == 0 && !wide) return out + value.size();
  words_.clear();
  append_escaped(words_, value);
  clean_words(words_);
  return put(out, words_);
}

inline char* LinkWriter::put_field(char* out, std::string_view key, std::string_view value) {
  return value.empty() ? out : put_text(put(out, key), value);
}

// Returns the most bytes that fill() may write.
std::size_t LinkWriter::room_for(const page::PageLink& link) const {
  constexpr std::size_t kFields = 18;
  const std::size_t value = settings_.raw ? link.value.size() : 0;
  const std::size_t values =
      value + link.element.size() + link.attribute.size() + link.rel.size() + link.hreflang.size() +
      link.type.size() + link.method.size() + link.text.size() + link.text_from.size() +
      link.context.size() + link.lastmod.size() + link.changefreq.size() + link.priority.size() +
      link.purpose.size() + link.nested.size() + link.redirects.size() + link.anchor.size();
  return url_.href().size() + page_fields_.size() + position_.size() + 2 * values +
         kFields * kMaxKey;
}

// Writes depth, via and tag. They are made anew where the tag differs from the last link's.
inline char* LinkWriter::put_tail(char* out, const page::PageLink& link) {
  if (!tail_.empty() && same_name(link.element, tail_element_) &&
      same_name(link.attribute, tail_attribute_))
    return put(out, tail_);
  char* const begin = out;
  out = put_text(put(out, page_fields_), link.element);
  out = put_field(out, "@", link.attribute);
  constexpr std::size_t kLongest = 64;  // of the names in HTML; longer ones are hardly used twice
  tail_.clear();
  if (link.element.size() + link.attribute.size() > kLongest) return out;
  tail_.assign(begin, out);
  tail_element_ = link.element;
  tail_attribute_ = link.attribute;
  return out;
}

// Writes the line without its end. Returns where it ends.
char* LinkWriter::fill(char* out, const page::PageLink& link) {
  out = put(out, settings_.fragments ? url_.href() : url_.href_without_fragment());
  if (settings_.urls_alone) return out;
  out = put_tail(out, link);
  if (!link.rel.empty()) {
    fold_rel(rel_, link.rel);
    out = put_field(out, "\trel=", rel_);
  }
  out = put_field(out, "\threflang=", link.hreflang);
  out = put_field(out, "\tmedia=", link.type);
  out = put_field(out, "\tmethod=", link.method);
  out = put_field(out, "\ttext=", link.text);
  if (settings_.explain) out = put_field(out, "\ttext-from=", link.text_from);
  out = put_field(out, "\tctx=", link.context);
  out = put_field(out, "\tlastmod=", link.lastmod);
  out = put_field(out, "\tchangefreq=", link.changefreq);
  out = put_field(out, "\tpriority=", link.priority);
  const bool has_fragment = settings_.check_fragments && !url_.fragment().empty();
  out = put_field(
      out, "\tpurpose=", has_fragment && link.purpose == page::kCheck ? page::kIds : link.purpose);
  if (has_fragment) out = put_field(out, "\twants=", "ids");
  out = put_field(out, "\tnested=", link.nested);
  out = put_field(out, "\tredirects=", link.redirects);
  out = put_field(out, "\tanchor=", link.anchor);
  if (settings_.raw)
    out = put_text(put(out, "\traw="), link.value);  // even an empty one: it names the page
  return put(out, position_);
}

void LinkWriter::refuse(std::string_view reason, std::string_view bytes) {
  if (file_.empty()) return tool_.refuse(reason, bytes);
  tool_.refuse_at(file_, lines_.line(), reason, bytes);
}

void LinkWriter::take(const page::PageLink& link, const Url& base, const QueryEncoder* encoder) {
  const std::uint64_t value = settings_.once ? hash64(link.value, hash64(link.purpose, seed_)) : 0;
  if (settings_.once && is_repeated(value, base)) return;
  if (!resolve(link.value, base, url_, &why_, encoder)) {
    ++bad_links_;
    if (checks_ != nullptr && page::is_checkable(link.element, link.rel, link.method)) {
      if (link.has_offset) lines_.move_to(link.offset);
      checks_->add(without_controls(link.value), link.element, link.attribute,
                   link.has_offset ? &lines_ : nullptr, "no URL: " + why_.message);
    }
    if (!settings_.errors) return;
    if (link.has_offset) lines_.move_to(link.offset);
    tool_.refuse_at(file_.empty() ? page_url_ : file_, link.has_offset ? lines_.line() : 0,
                    "link is not a URL: " + why_.message, link.value);
    return;
  }
  if (settings_.once) values_.insert(value);
  if (!settings_.any_scheme && !url_.is_http()) return;
  if (checks_ != nullptr && url_.is_http() &&
      page::is_checkable(link.element, link.rel, link.method)) {
    if (link.has_offset) lines_.move_to(link.offset);
    checks_->add(url_.href(), link.element, link.attribute, link.has_offset ? &lines_ : nullptr);
  }
  const bool printed = is_printed(link);
  if (!printed && edges_ == nullptr) return;
  position_.clear();
  if (settings_.positions && link.has_offset) find_position(link.offset);
  const std::size_t room = room_for(link);
  Sink& sink = tool_.out();
  if (direct_ && printed && room < sink.capacity()) {
    char* const begin = sink.reserve(room + 1);
    char* const end = fill(begin, link);
    *end = tool_.terminator();
    if (edges_ != nullptr) edges_->add({begin, static_cast<std::size_t>(end - begin)});
    sink.advance(static_cast<std::size_t>(end - begin) + 1);
    return;
  }
  if (line_.size() < room) line_.resize(room);
  const char* const end = fill(line_.data(), link);
  const std::string_view line(line_.data(), static_cast<std::size_t>(end - line_.data()));
  if (edges_ != nullptr) edges_->add(line);
  if (printed) tool_.writer().write_line(line);
  if (line_.size() > kKeepAtMost) std::string().swap(line_);
}

}  // namespace spinneret
