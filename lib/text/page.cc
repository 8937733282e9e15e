// SPDX-License-Identifier: Apache-2.0
#include "text/page.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/hash.h"
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

// A page of a gigabyte of "<p>x" is cut here, so that it does not take all memory.
constexpr std::size_t kMaxNodes = std::size_t{1} << 22;
constexpr std::size_t kMaxSpans = std::size_t{1} << 20;
constexpr std::size_t kMaxMetas = 512;
constexpr std::size_t kMaxJson = 64;
constexpr std::size_t kKeepAtMost = std::size_t{8} << 20;

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

void note_lang(const Token& html, Page& page) {
  const Attribute* lang = html.find("lang");
  if (lang == nullptr) lang = html.find("xml:lang");
  if (!page.lang.empty() || lang == nullptr) return;
  html::append_decoded(page.lang, lang->value, html::EntityRules::kAttribute);
  page.lang = trim(page.lang);
}

// Returns the document in UTF-8; it is converted into `bytes` if necessary.
std::string_view in_utf8(std::string_view document, const html::Encoding& encoding,
                         std::string& bytes) {
  const bool utf8 = encoding.is_utf8();
  if (utf8 && is_valid_utf8(document)) return document;
  if (bytes.capacity() > kKeepAtMost) std::string().swap(bytes);
  bytes.clear();
  if (utf8) {
    append_valid_utf8(bytes, document);
  } else {
    encoding.decode(document, bytes);
  }
  return bytes;
}

std::string_view decoded(std::string_view raw, std::string& scratch) {
  raw = trim(raw);
  if (!html::value_bytes(raw).special) return raw;
  scratch.clear();
  html::append_decoded(scratch, raw, html::EntityRules::kAttribute);
  return trim(scratch);
}

// Appends to the span's value. No other span may have come since it began.
void add_value(std::string_view raw, std::string& scratch, Span& span, std::string& values) {
  raw = decoded(raw, scratch);
  if (values.size() + raw.size() >= UINT32_MAX) return;
  if (span.value_size == 0) span.value = static_cast<std::uint32_t>(values.size());
  values += raw;
  span.value_size += static_cast<std::uint32_t>(raw.size());
}

}  // namespace

PageReader::PageReader() {
  html::Tokenizer::Wanted all;
  all.fill(true);
  tokenizer_.set_wanted(all);
  tokenizer_.keep_few_of_many({"class", "id", "role", "style", "hidden", "itemprop", "datetime"});
}

const Page& PageReader::read(std::string_view document, std::string_view http_charset,
                             html::Syntax syntax, std::size_t piece) {
  restart_ = false;
  if (syntax == html::Syntax::kXml) {
    page_.charset = html::find_xml_charset(document, http_charset);
    const std::string_view utf8 =
        in_utf8(document.substr(page_.charset.bom), *page_.charset.encoding, bytes_);
    if (html::reads_as_xml(utf8)) {
      scan_xml(utf8);
      return page_;
    }
  }
  page_.charset = html::find_charset(document, http_charset);
  document.remove_prefix(page_.charset.bom);
  do {
    restart_ = false;
    scan(in_utf8(document, *page_.charset.encoding, bytes_), piece);
  } while (restart_);
  return page_;
}

void PageReader::begin_page(std::size_t size) {
  size_ = size;
  page_.text.clear();
  page_.nodes.clear();
  page_.cue_sets.clear();
  page_.blocks.clear();
  page_.spans.clear();
  page_.values.clear();
  page_.metas.clear();
  page_.json.clear();
  page_.title.clear();
  page_.lang.clear();
  page_.base.clear();
  page_.has_base = false;
  frames_.clear();
  blocks_.clear();
  cues_.clear();
  raw_ = Element::kUnknown;
  page_.nodes.push_back({});
  tree_.set_observer(nullptr);
  tree_.reset();
  tree_.set_observer(this);
}

void PageReader::end_page() {
  blocks_.end(true);
  for (std::size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].block) {
      page_.nodes[frames_[i].place.node].end_block =
          static_cast<std::uint32_t>(page_.blocks.size());
    }
  }
  page_.nodes[0].end_block = static_cast<std::uint32_t>(page_.blocks.size());
  tree_.set_observer(nullptr);
  // Closes spans that the page never closed.
  for (Span& span : page_.spans) {
    if (span.end >= span.begin) continue;
    --span.begin;
    span.end = blocks_.end_of_text();
  }
}

void PageReader::scan(std::string_view document, std::size_t piece) {
  begin_page(document.size());
  tokenizer_.reset();
  std::size_t base = 0;  // offset of the bytes that the tokenizer was given
  std::size_t given = piece == 0 ? document.size() : std::min(piece, document.size());
  tokenizer_.set_input(document.substr(0, given), given == document.size());
  while (!restart_) {
    const TokenType type = tokenizer_.next(token_);
    token_.begin += base;
    if (type == TokenType::kStartTag) {
      start_tag();
    } else if (type == TokenType::kEndTag) {
      tree_.end_tag(token_);
      tokenizer_.set_foreign(tree_.in_foreign());
      raw_ = Element::kUnknown;
    } else if (type == TokenType::kText) {
      if (tree_.wants_text()) tree_.text(token_);
      if (raw_ != Element::kUnknown || tree_.in_body()) on_text();
    } else if (type == TokenType::kEnd) {
      break;
    } else if (type == TokenType::kMore) {
      base += tokenizer_.position();
      given = std::min(document.size(), std::max(given + piece, base + 2 * (given - base)));
      tokenizer_.set_input(document.substr(base, given - base), given == document.size());
    }
  }
  end_page();
}

// In XML, elements that have raw text in HTML are like any other: their text ends at their end tag.
void PageReader::scan_xml(std::string_view document) {
  begin_page(document.size());
  html::XmlElements elements(document);
  std::size_t raw_depth = 0;
  while (elements.next(token_) != TokenType::kEnd) {
    if (token_.type == TokenType::kStartTag) {
      tree_.open_element(token_, elements.name_space());
      const bool raw = token_.element == Element::kTitle || token_.element == Element::kScript;
      if (raw_ != Element::kUnknown || !raw || elements.space() != html::XmlSpace::kHtml) continue;
      raw_ = token_.element;
      raw_depth = tree_.open().size();
      begin_raw_text();
    } else if (token_.type == TokenType::kEndTag) {
      if (tree_.open().size() == raw_depth) raw_ = Element::kUnknown;
      tree_.close_element();
    } else if (token_.type == TokenType::kText) {
      on_text();
    }
  }
  end_page();
}

void PageReader::start_tag() {
  const html::Placement place = tree_.start_tag(token_);
  tokenizer_.set_foreign(tree_.in_foreign());
  if (place.dropped_body) {
    page_.blocks.clear();
    page_.text.clear();
    page_.spans.clear();
    blocks_.clear();
    for (Node& node : page_.nodes) node.first_block = node.end_block = 0;
    for (Frame& frame : frames_) frame.spans = 0;
  }
  if (place.merged && place.element == Element::kHtml) note_lang(token_, page_);
  if (place.text == html::TextMode::kData) return;
  tokenizer_.set_text_mode(place.text, html::element_name(place.element));
  raw_ = place.element;
  begin_raw_text();
}

// Raw text that nobody wants is treated like that of a <style>: raw_ is set to it.
void PageReader::begin_raw_text() {
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

// Assumes that the rest is as dense as the page so far, and adds a reserve, which costs nothing
// until it is written. Doubling would take twice as much, and leave holes behind.
void PageReader::make_room() {
  constexpr std::size_t kEarly = 4096;
  const auto share = static_cast<double>(size_) / static_cast<double>(token_.begin + 1);
  const auto expected = [&](std::size_t size) {
    const double all = std::max(1.0, share) * static_cast<double>(size);
    return token_.begin < kEarly ? 2 * size + 64 : static_cast<std::size_t>(1.125 * all) + 64;
  };
  page_.nodes.reserve(std::min(kMaxNodes, expected(page_.nodes.size())));
  page_.blocks.reserve(expected(page_.blocks.size()));
}

std::uint32_t PageReader::made(const MadeElement& made) {
  const auto element =
      made.name < html::kElementCount ? static_cast<Element>(made.name) : Element::kUnknown;
  const std::size_t index = tree_.open().size();
  if (index == 0) frames_.clear();
  frames_.resize(std::min(index, frames_.size()));
  Frame frame = frames_.empty() ? Frame{} : frames_.back();
  frame.spans = 0;
  frame.block = false;
  frame.element = element;
  const bool foreign = made.name_space != html::Namespace::kHtml;
  if (element == Element::kMeta) note_meta();
  if (element == Element::kHtml && made.token != nullptr) note_lang(token_, page_);
  Attributes found;
  if (made.token != nullptr) {
    for (const Attribute& attribute : made.token->attributes) found.look_at(attribute, cues_);
  }
  if (element == Element::kBase && !foreign) note_base(found);
  const Cues own = found.cues | cues_of_element(element);
  frame.place.hidden = frame.place.hidden || found.hidden;
  if (element == Element::kBr && !frame.silent) blocks_.break_line();
  if (element == Element::kA && !foreign) frame.place.link = true;
  if (element == Element::kB || element == Element::kStrong || element == Element::kEm ||
      element == Element::kI)
    frame.place.emphasis = true;
  const bool shadow = element == Element::kTemplate && found.shadow_root;
  const bool holds_html = foreign && element == Element::kForeignObject;
  if (holds_html && frame.picture) {
    frame.silent = frame.picture = false;
  } else if (foreign && html::is_unseen(made.name, made.name_space)) {
    frame.silent = true;
    frame.picture = false;
  } else if (!frame.silent && !shadow && is_silent(made.name, made.name_space)) {
    frame.silent = true;
    frame.picture = made.name_space == html::Namespace::kSvg;
  }
  if (element == Element::kPre || element == Element::kListing || element == Element::kXmp)
    frame.place.preformatted = true;
  if ((!foreign || holds_html) && !is_inline(element, made.token)) {
    blocks_.end();
    if (made.open && page_.nodes.size() < kMaxNodes) {
      Node node;
      node.parent = frame.place.node;
      const Node& parent = page_.nodes[node.parent];
      node.depth = static_cast<std::uint16_t>(std::min(parent.depth + 1, 0xFFFF));
      node.own = page_.cue_sets.number_of(own);
      node.around = node.own == 0 ? parent.around
                                  : page_.cue_sets.number_of(page_.cue_sets[parent.around] | own);
      node.element = element;
      node.first_block = static_cast<std::uint32_t>(page_.blocks.size());
      node.signature = static_cast<std::uint32_t>(hash64(value_of(found.classes), made.name));
      frame.place.node = static_cast<std::uint32_t>(page_.nodes.size());
      frame.block = true;
      if (page_.nodes.size() == page_.nodes.capacity()) make_room();
      page_.nodes.push_back(node);
    }
  }
  if (made.token != nullptr && !frame.silent) open_spans(made, found, own, frame);
  if (made.open) frames_.push_back(frame);
  return static_cast<std::uint32_t>(index) + 1;
}

// Makes `span` one of an author or a date if the markup names the element so.
bool PageReader::says_who_or_when(const MadeElement& made, const Attributes& found, Cues own,
                                  Span& span) {
  const std::string_view property = value_of(found.itemprop);
  const bool date_prop =
      equals_ignore_case(property, "datePublished") || equals_ignore_case(property, "dateCreated");
  const Attribute* date = nullptr;
  if (date_prop || (found.datetime != nullptr && !made.open)) {
    span.kind = SpanKind::kDate;
    span.weight = date_prop ? 4 : 2;
    date = value_of(found.content).empty() ? found.datetime : found.content;
  } else if (equals_ignore_case(value_of(found.rel), "author") ||
             equals_ignore_case(property, "author")) {
    span.kind = SpanKind::kAuthor;
    span.weight = 3;
  } else if (found.datetime != nullptr) {
    span.kind = SpanKind::kDate;
    span.weight = 2;
    date = found.datetime;
  } else if (has(own, Cue::kBylineWord) && made.name != static_cast<unsigned>(Element::kH1)) {
    const std::string lower = to_lower_copy(value_of(found.classes).substr(0, 256));
    const bool author =
        lower.find("author") != std::string::npos || lower.find("byline") != std::string::npos;
    span.kind = found.classes == nullptr || author ? SpanKind::kAuthor : SpanKind::kDate;
    span.weight = author ? 2 : 1;
  } else {
    return false;
  }
  if (date != nullptr) add_value(date->value, scratch_, span, page_.values);
  return true;
}

void PageReader::note_image(const Attributes& found) {
  if (value_of(found.alt).empty()) return;
  Span span;
  span.kind = SpanKind::kImage;
  span.begin = span.end = blocks_.end_of_text();
  const auto add = [&](std::string_view raw) { add_value(raw, scratch_, span, page_.values); };
  add(value_of(found.alt));
  page_.values += '\t';
  ++span.value_size;
  add(value_of(found.src));
  page_.spans.push_back(span);
}

// Opens at most two spans: one for author or date, and one for the form of the text.
void PageReader::open_spans(const MadeElement& made, const Attributes& found, Cues own,
                            Frame& frame) {
  if (page_.spans.size() >= kMaxSpans) return;
  if (frame.element == Element::kImg || frame.element == Element::kImage) return note_image(found);
  const auto push = [&](Span span) {
    if (page_.spans.size() >= kMaxSpans) return;
    span.begin = blocks_.end_of_text();
    if (!made.open) {
      span.end = span.begin;
    } else {
      span.end = 0;
      if (frame.spans++ == 0) frame.span = static_cast<std::uint32_t>(page_.spans.size()) + 1;
      ++span.begin;  // end < begin then says that the span is open
    }
    page_.spans.push_back(span);
  };
  if (Span span; says_who_or_when(made, found, own, span)) push(span);
  Span span;
  switch (frame.element) {
    case Element::kH1:
      if (frame.spans != 0) return;
      span.kind = SpanKind::kHeadline;
      break;
    case Element::kA:
      if (found.href == nullptr) return;
      span.kind = SpanKind::kLink;
      add_value(found.href->value, scratch_, span, page_.values);
      break;
    case Element::kB:
    case Element::kStrong: span.kind = SpanKind::kStrong; break;
    case Element::kEm:
    case Element::kI: span.kind = SpanKind::kEmphasis; break;
    case Element::kCode:
    case Element::kTt: span.kind = SpanKind::kCode; break;
    default: return;
  }
  push(span);
}

void PageReader::closed(std::size_t index) {
  if (index >= frames_.size()) return;
  Frame& frame = frames_[index];
  for (; frame.spans != 0; --frame.spans) {
    Span& span = page_.spans[frame.span - 2 + frame.spans];
    --span.begin;
    span.end = blocks_.end_of_text();
  }
  if (index + 1 < frames_.size()) {
    // The element is removed from the middle: elements that stay open above it are no longer in its
    // link or emphasis. The agency leaves a few blocks open; behind a thousand nobody could tell.
    const std::size_t end = std::min(frames_.size(), index + 64);
    const bool link = frame.element == Element::kA;
    const bool emphasis = frame.place.emphasis;
    for (std::size_t i = index; i < end; ++i) {
      frames_[i].place.link = frames_[i].place.link && !link;
      frames_[i].place.emphasis = frames_[i].place.emphasis && !emphasis;
    }
    return;
  }
  if (frame.block) {
    blocks_.end();
    page_.nodes[frame.place.node].end_block = static_cast<std::uint32_t>(page_.blocks.size());
  }
  frames_.pop_back();
}

// --- text ---

void PageReader::on_text() {
  if (raw_ != Element::kUnknown) return raw_text();
  if (token_.text.empty() || frames_.empty() || frames_.back().silent) return;
  const BlockWriter::Place& place = frames_.back().place;
  if (token_.mode == html::TextMode::kCdata || !html::value_bytes(token_.text).special)
    return blocks_.add(token_.text, place);
  scratch_.clear();
  html::append_decoded(scratch_, token_.text, html::EntityRules::kText);
  blocks_.add(scratch_, place);
}

void PageReader::raw_text() {
  const bool in_xml = token_.mode == html::TextMode::kData;
  if (raw_ == Element::kTitle && token_.mode != html::TextMode::kCdata) {
    html::append_decoded(page_.title, token_.text, html::EntityRules::kText);
  } else if (raw_ == Element::kTitle) {
    page_.title += token_.text;
  } else if (raw_ == Element::kScript && !page_.json.empty()) {
    std::string& json = page_.json.back();
    in_xml ? html::append_decoded(json, token_.text, html::EntityRules::kText)
           : static_cast<void>(json += token_.text);
  } else if ((raw_ == Element::kXmp || raw_ == Element::kPlaintext) && !frames_.empty()) {
    blocks_.add(token_.text, frames_.back().place);
  }
}

// --- what the page says of itself ---

void PageReader::note_base(const Attributes& found) {
  if (page_.has_base || found.href == nullptr || tree_.in_template()) return;
  page_.has_base = true;
  html::append_decoded(page_.base, trim(found.href->value), html::EntityRules::kAttribute);
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
    MetaFact meta{to_lower_copy(decoded(value(name), scratch_)), {}};
    meta.value = decoded(value("content"), scratch_);
    if (meta.value.empty()) return;
    // This includes an author's name in microdata: <div itemprop=author itemscope><meta
    // itemprop=name content=...>.
    const std::uint32_t span =
        frames_.empty() || frames_.back().spans == 0 ? 0 : frames_.back().span;
    if (span != 0 && meta.name == "name" && page_.spans[span - 1].kind == SpanKind::kAuthor &&
        page_.spans[span - 1].value_size == 0) {
      page_.spans[span - 1].value = static_cast<std::uint32_t>(page_.values.size());
      page_.spans[span - 1].value_size = static_cast<std::uint32_t>(meta.value.size());
      page_.values += meta.value;
    }
    page_.metas.push_back(std::move(meta));
    return;
  }
}

}  // namespace spinneret::text
