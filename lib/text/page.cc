// SPDX-License-Identifier: Apache-2.0
#include "text/page.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/entity.h"
#include "text/layout.h"

namespace spinneret::text {
namespace {

using html::Attribute;
using html::Element;
using html::MadeElement;
using html::Token;
using html::TokenType;

// A page of a gigabyte of "<p>x" is cut here, not the memory of who reads it.
constexpr std::size_t kMaxNodes = std::size_t{1} << 22;
// What stands behind is one block with the last.
constexpr std::size_t kMaxBlocks = std::size_t{1} << 20;
constexpr std::size_t kMaxSpans = std::size_t{1} << 20;
constexpr std::size_t kMaxMetas = 512;
constexpr std::size_t kMaxJson = 64;
constexpr std::size_t kKeepAtMost = std::size_t{8} << 20;

// What a byte of text is to add_text(). 0xC2 may begin U+00A0, a blank that does not break.
enum ByteKind : std::uint8_t { kLetter, kMark, kBlank, kLookCloser };
constexpr auto kByteKinds = [] {
  std::array<ByteKind, 256> kinds{};
  for (std::size_t i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    kinds[i] = i >= 0x80 || c == '_' || is_alnum(c) ? kLetter : is_space(c) ? kBlank : kMark;
  }
  kinds[0] = kinds[0xC2] = kLookCloser;
  return kinds;
}();
ByteKind kind_of(char c) { return kByteKinds[static_cast<unsigned char>(c)]; }

std::uint32_t mix(std::uint32_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash ^ (hash >> 13);
}

void append_valid_utf8(std::string& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = utf8_sequence(bytes);
    if (size == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += bytes.substr(0, size);
    }
    bytes.remove_prefix(std::max<std::size_t>(1, size));
  }
}

// What is to be kept of an element in front of its attributes' meaning.
struct Wanted {
  std::string_view href, src, alt, datetime, rel, itemprop, content, name;
};

Wanted wanted(const Token& token) {
  Wanted out;
  for (const Attribute& attribute : token.attributes) {
    const auto take = [&attribute](std::string_view name, std::string_view& value) {
      if (value.data() == nullptr && equals_ignore_case(attribute.name, name))
        value = attribute.value;
    };
    switch (attribute.name.size()) {
      case 3:
        take("src", out.src);
        take("alt", out.alt);
        take("rel", out.rel);
        break;
      case 4:
        take("href", out.href);
        take("name", out.name);
        break;
      case 7: take("content", out.content); break;
      case 8:
        take("datetime", out.datetime);
        take("itemprop", out.itemprop);
        take("property", out.name);
        break;
      default: break;
    }
  }
  return out;
}

void note_lang(const Token& html, Page& page) {
  const Attribute* lang = html.find("lang");
  if (lang == nullptr) lang = html.find("xml:lang");
  if (!page.lang.empty() || lang == nullptr) return;
  html::append_decoded(page.lang, lang->value, html::EntityRules::kAttribute);
  page.lang = trim(page.lang);
}

}  // namespace

PageReader::PageReader() {
  html::Tokenizer::Wanted all;
  all.fill(true);
  tokenizer_.set_wanted(all);
  tokenizer_.keep_few_of_many({"class", "id", "role", "style", "hidden", "itemprop", "datetime"});
}

const Page& PageReader::read(std::string_view document, std::string_view http_charset) {
  page_.charset = html::find_charset(document, http_charset);
  document.remove_prefix(page_.charset.bom);
  do {
    restart_ = false;
    std::string_view utf8 = document;
    if (!page_.charset.encoding->is_utf8() || !is_valid_utf8(document)) {
      if (bytes_.capacity() > kKeepAtMost) std::string().swap(bytes_);
      bytes_.clear();
      if (page_.charset.encoding->is_utf8()) {
        append_valid_utf8(bytes_, document);
      } else {
        page_.charset.encoding->decode(document, bytes_);
      }
      utf8 = bytes_;
    }
    scan(utf8);
  } while (restart_);
  return page_;
}

void PageReader::scan(std::string_view document) {
  page_.text.clear();
  page_.nodes.clear();
  page_.blocks.clear();
  page_.spans.clear();
  page_.metas.clear();
  page_.json.clear();
  page_.title.clear();
  page_.lang.clear();
  frames_.clear();
  block_open_ = space_ = in_word_ = false;
  block_ = {};
  raw_ = Element::kUnknown;
  page_.nodes.push_back({});
  tree_.set_observer(nullptr);
  tree_.reset();
  tree_.set_observer(this);
  tokenizer_.reset();
  tokenizer_.set_input(document, true);
  while (!restart_) {
    const TokenType type = tokenizer_.next(token_);
    if (type == TokenType::kStartTag) {
      start_tag();
    } else if (type == TokenType::kEndTag) {
      tree_.end_tag(token_);
      tokenizer_.set_foreign(tree_.in_foreign());
      raw_ = Element::kUnknown;
    } else if (type == TokenType::kText) {
      on_text();
    } else if (type == TokenType::kEnd) {
      break;
    }
  }
  end_block(true);
  for (std::size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].block) {
      page_.nodes[frames_[i].node].end_block = static_cast<std::uint32_t>(page_.blocks.size());
    }
  }
  page_.nodes[0].end_block = static_cast<std::uint32_t>(page_.blocks.size());
  tree_.set_observer(nullptr);
  // A span that was never closed.
  for (Span& span : page_.spans) {
    if (span.end >= span.begin) continue;
    --span.begin;
    span.end = block_.end;
  }
}

void PageReader::start_tag() {
  const html::Placement place = tree_.start_tag(token_);
  tokenizer_.set_foreign(tree_.in_foreign());
  if (place.dropped_body) {
    end_block();
    page_.blocks.clear();
    page_.text.clear();
    page_.spans.clear();
    block_ = {};
    for (Node& node : page_.nodes) node.first_block = node.end_block = 0;
    for (Frame& frame : frames_) frame.span = 0;
  }
  if (place.merged && place.element == Element::kHtml) note_lang(token_, page_);
  if (place.text == html::TextMode::kData) return;
  tokenizer_.set_text_mode(place.text, html::element_name(place.element));
  raw_ = place.element;
  if (raw_ == Element::kScript) {
    const Attribute* const type = token_.find("type");
    const bool json =
        type != nullptr && equals_ignore_case(trim(type->value), "application/ld+json");
    if (json && page_.json.size() < kMaxJson) {
      page_.json.emplace_back();
    } else {
      raw_ = Element::kStyle;
    }
  }
  if (raw_ == Element::kTitle && !page_.title.empty()) raw_ = Element::kStyle;
}

// --- elements ---

std::uint32_t PageReader::made(const MadeElement& made) {
  const auto element =
      made.name < html::kElementCount ? static_cast<Element>(made.name) : Element::kUnknown;
  const std::size_t index = tree_.open().size();
  if (index == 0) frames_.clear();
  frames_.resize(std::min(index, frames_.size()));
  Frame frame = frames_.empty() ? Frame{} : frames_.back();
  frame.span = 0;
  frame.block = false;
  frame.element = element;
  const bool foreign = made.name_space != html::Namespace::kHtml;
  if (element == Element::kMeta) note_meta();
  if (element == Element::kHtml && made.token != nullptr) note_lang(token_, page_);
  const Cues own = read_attributes(made, frame);
  if (element == Element::kBr && !frame.silent && block_open_) {
    if (!page_.text.empty() && page_.text.size() > block_.begin) page_.text += '\n';
    space_ = in_word_ = false;
  }
  if (element == Element::kA && !foreign) frame.link = true;
  if (element == Element::kB || element == Element::kStrong || element == Element::kEm ||
      element == Element::kI)
    frame.emphasis = true;
  frame.silent = frame.silent || is_silent(element, made.name_space);
  if (element == Element::kPre || element == Element::kListing || element == Element::kXmp)
    frame.preformatted = true;
  if (!foreign && !is_inline(element, made.token)) {
    end_block();
    if (made.open && page_.nodes.size() < kMaxNodes) {
      Node node;
      node.parent = frame.node;
      const Node& parent = page_.nodes[frame.node];
      node.depth = static_cast<std::uint16_t>(std::min(parent.depth + 1, 0xFFFF));
      node.own = own;
      node.cues = parent.cues | own;
      node.element = element;
      node.first_block = static_cast<std::uint32_t>(page_.blocks.size());
      const Attribute* const name = made.token == nullptr ? nullptr : made.token->find("class");
      node.signature =
          mix(2166136261u + made.name, name == nullptr ? std::string_view() : name->value);
      frame.node = static_cast<std::uint32_t>(page_.nodes.size());
      frame.block = true;
      page_.nodes.push_back(node);
    }
  }
  if (made.token != nullptr && !frame.silent) open_span(made, own, frame);
  if (made.open) frames_.push_back(frame);
  return static_cast<std::uint32_t>(index) + 1;
}

Cues PageReader::read_attributes(const MadeElement& made, Frame& frame) {
  Cues cues = cues_of_element(frame.element);
  if (made.token == nullptr) return cues;
  for (const Attribute& attribute : made.token->attributes) {
    const std::string_view name = attribute.name;
    if (equals_ignore_case(name, "class") || equals_ignore_case(name, "id") ||
        equals_ignore_case(name, "role") || equals_ignore_case(name, "itemprop")) {
      cues |= cues_of_words(attribute.value);
    } else if (equals_ignore_case(name, "hidden")) {
      frame.hidden = true;
    } else if (equals_ignore_case(name, "style")) {
      frame.hidden = frame.hidden || hides(attribute.value);
    } else if (equals_ignore_case(name, "aria-hidden")) {
      if (equals_ignore_case(attribute.value, "true")) cues |= bit(Cue::kHidden);
    }
  }
  return cues;
}

void PageReader::open_span(const MadeElement& made, Cues own, Frame& frame) {
  if (page_.spans.size() >= kMaxSpans) return;
  const Wanted found = wanted(*made.token);
  Span span;
  span.begin = block_.end;
  const bool says_author = has(own, Cue::kBylineWord);
  if (frame.element == Element::kImg || frame.element == Element::kImage) {
    if (found.alt.empty()) return;
    span.kind = SpanKind::kImage;
    span.end = span.begin;
    span.value = decoded(found.alt);
    span.value += '\t';
    span.value += decoded(found.src);
    page_.spans.push_back(std::move(span));
    return;
  }
  const bool date_prop = equals_ignore_case(found.itemprop, "datePublished") ||
                         equals_ignore_case(found.itemprop, "dateCreated");
  if (date_prop || (found.datetime.data() != nullptr && !made.open)) {
    span.kind = SpanKind::kDate;
    span.weight = date_prop ? 4 : 2;
    span.value = decoded(found.content.empty() ? found.datetime : found.content);
  } else if (equals_ignore_case(found.rel, "author") ||
             equals_ignore_case(found.itemprop, "author")) {
    span.kind = SpanKind::kAuthor;
    span.weight = 3;
  } else if (found.datetime.data() != nullptr) {
    span.kind = SpanKind::kDate;
    span.weight = 2;
    span.value = decoded(found.datetime);
  } else if (frame.element == Element::kH1) {
    span.kind = SpanKind::kHeadline;
  } else if (says_author) {
    span.kind = SpanKind::kAuthor;
    span.weight = 1;
    if (const Attribute* const name = made.token->find("class"); name != nullptr) {
      const std::string lower = to_lower_copy(name->value.substr(0, 256));
      const bool author =
          lower.find("author") != std::string::npos || lower.find("byline") != std::string::npos;
      if (author) span.weight = 2;
      if (!author) span.kind = SpanKind::kDate, span.weight = 1;
    }
  } else if (frame.element == Element::kA) {
    span.kind = SpanKind::kLink;
    span.value = decoded(found.href);
    if (found.href.data() == nullptr) return;
  } else if (frame.element == Element::kB || frame.element == Element::kStrong) {
    span.kind = SpanKind::kStrong;
  } else if (frame.element == Element::kEm || frame.element == Element::kI) {
    span.kind = SpanKind::kEmphasis;
  } else if (frame.element == Element::kCode || frame.element == Element::kTt) {
    span.kind = SpanKind::kCode;
  } else {
    return;
  }
  if (!made.open) {
    span.end = span.begin;
  } else {
    span.end = 0;
    frame.span = static_cast<std::uint32_t>(page_.spans.size()) + 1;
    ++span.begin;  // so that end < begin says that it is open
  }
  page_.spans.push_back(std::move(span));
}

void PageReader::closed(std::size_t index) {
  if (index >= frames_.size()) return;
  Frame& frame = frames_[index];
  if (frame.span != 0) {
    Span& span = page_.spans[frame.span - 1];
    --span.begin;
    span.end = block_.end;
    frame.span = 0;
  }
  if (index + 1 < frames_.size()) {
    // From the middle: what stays open above it is no link and no emphasis any more. What the agency leaves open is
    // a few blocks; behind a thousand nobody could tell.
    const std::size_t end = std::min(frames_.size(), index + 64);
    for (std::size_t i = index; i < end && frame.element == Element::kA; ++i)
      frames_[i].link = false;
    for (std::size_t i = index; i < end && frame.emphasis; ++i) frames_[i].emphasis = false;
    return;
  }
  if (frame.block) {
    end_block();
    page_.nodes[frame.node].end_block = static_cast<std::uint32_t>(page_.blocks.size());
  }
  frames_.pop_back();
}

// --- text ---

void PageReader::on_text() {
  if (tree_.wants_text()) tree_.text(token_);
  if (raw_ != Element::kUnknown) return raw_text();
  if (token_.text.empty() || frames_.empty()) return;
  const Frame& frame = frames_.back();
  if (frame.silent || !tree_.in_body()) return;
  if (token_.text.find_first_of("&\r\0", 0, 3) == std::string_view::npos)
    return add_text(token_.text, frame);
  scratch_.clear();
  html::append_decoded(scratch_, token_.text, html::EntityRules::kText);
  add_text(scratch_, frame);
}

void PageReader::raw_text() {
  if (raw_ == Element::kTitle) {
    html::append_decoded(page_.title, token_.text, html::EntityRules::kText);
  } else if (raw_ == Element::kScript && !page_.json.empty()) {
    page_.json.back() += token_.text;
  } else if ((raw_ == Element::kXmp || raw_ == Element::kPlaintext) && !frames_.empty()) {
    add_text(token_.text, frames_.back());
  }
}

void PageReader::add_text(std::string_view text, const Frame& frame) {
  constexpr std::string_view kNoBreak = "\xC2\xA0";
  std::string& out = page_.text;
  if (out.size() + text.size() > UINT32_MAX - 16) return;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_space(c) || (c == kNoBreak[0] && text.substr(i, 2) == kNoBreak)) {
      in_word_ = false;
      if (frame.preformatted && block_open_ && !(c == kNoBreak[0])) {
        out += c;
        space_ = false;
      } else {
        space_ = true;
      }
      i += c == kNoBreak[0] ? 2 : 1;
      continue;
    }
    if (text[i] == '\0') {
      ++i;
      continue;
    }
    if (!block_open_) {
      block_open_ = true;
      block_ = {};
      block_.node = frame.node;
      block_.begin = static_cast<std::uint32_t>(out.size());
      block_.hidden = frame.hidden;
      in_word_ = false;
    } else if (space_ && out.back() != '\n') {
      out += ' ';
    }
    space_ = false;
    // As far as it can be copied: words with one blank between each two.
    std::size_t end = i;
    std::uint32_t words = 0;
    bool within = in_word_;
    do {
      const bool letter = kind_of(text[end]) != kMark && text[end] != ' ';
      words += letter && !within;
      within = letter;
      ++end;
    } while (end < text.size() &&
             (kind_of(text[end]) <= kMark ||
              (text[end] == ' ' && end + 1 < text.size() && kind_of(text[end + 1]) <= kMark)));
    in_word_ = within;
    block_.words += words;
    block_.link_words += frame.link ? words : 0;
    block_.emphasis_words += frame.emphasis ? words : 0;
    out.append(text.substr(i, end - i));
    block_.end = static_cast<std::uint32_t>(out.size());
    i = end;
  }
}

void PageReader::end_block(bool last) {
  space_ = in_word_ = false;
  if (!block_open_) return;
  if (page_.blocks.size() + 1 >= kMaxBlocks && !last) {
    if (page_.text.back() != '\n') page_.text += '\n';
    return;
  }
  block_open_ = false;
  page_.text.resize(block_.end);  // without white space at its end
  page_.blocks.push_back(block_);
}

// --- what the page says of itself ---

std::string_view PageReader::decoded(std::string_view raw) {
  scratch_.clear();
  html::append_decoded(scratch_, raw, html::EntityRules::kAttribute);
  return trim(scratch_);
}

void PageReader::note_meta() {
  const auto value = [this](std::string_view name) {
    const Attribute* const found = token_.find(name);
    return found == nullptr ? std::string_view() : found->value;
  };
  if (page_.charset.is_guess()) {
    const html::Encoding* const declared =
        html::declared_encoding(value("charset"), value("http-equiv"), value("content"));
    if (declared != nullptr) {
      restart_ = declared != page_.charset.encoding;
      page_.charset.encoding = declared;
      page_.charset.source = html::Charset::Source::kMeta;
    }
  }
  if (tree_.in_template() || page_.metas.size() >= kMaxMetas) return;
  for (const std::string_view name : {"property", "name", "itemprop", "http-equiv"}) {
    if (value(name).empty()) continue;
    MetaFact meta{to_lower_copy(decoded(value(name))), {}};
    meta.value = decoded(value("content"));
    if (!meta.value.empty()) page_.metas.push_back(std::move(meta));
    return;
  }
}

}  // namespace spinneret::text
