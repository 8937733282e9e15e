// SPDX-License-Identifier: Apache-2.0
#include "html/extractor.h"

#include <algorithm>

#include "base/ascii.h"
#include "html/entity.h"

namespace spinneret::html {

LinkExtractor::LinkExtractor(ExtractOptions options, int depth)
    : options_(std::move(options)), depth_(depth) {
  choose_sources();
}

bool LinkExtractor::surely_wanted(const Source& source) const {
  if (source.form != ValueForm::kUrl || source.element == Element::kUnknown) return false;
  Link link;
  link.element = element_name(source.element);
  link.attribute = source.attribute;
  link.kind = source.kind;
  return !options_.selection.asks_for_rel() && options_.selection.wants(link);
}

// A row of one element keeps the row of any element from its attribute, whether it is wanted or not.
bool LinkExtractor::hides_wanted(const Source& source) const {
  if (source.element == Element::kUnknown) return false;
  const auto sources = all_sources();
  return std::any_of(sources.begin(), sources.end(), [&](const Source& other) {
    return other.element == Element::kUnknown && other.attribute == source.attribute &&
           options_.selection.may_want(other);
  });
}

void LinkExtractor::choose_sources() {
  by_attribute_.assign(source_attribute_count(), {});
  bool any_element = false;
  for (const Source& source : all_sources()) {
    const bool needed = source.form == ValueForm::kBaseHref ||
                        source.form == ValueForm::kLinkHref ||
                        source.form == ValueForm::kMetaContent;
    if (!needed && !options_.selection.may_want(source) && !hides_wanted(source)) continue;
    by_attribute_[find_source_attribute(source.attribute)].push_back(
        {source.element, source.form, source.kind, surely_wanted(source)});
    wanted_elements_[index_of(source.element)] = true;
    any_element = any_element || source.element == Element::kUnknown;
  }
  for (const ExtractOptions::OwnAttribute& own : options_.attributes) {
    wanted_elements_[index_of(find_element(own.element))] = true;
    any_element = any_element || find_element(own.element) == Element::kUnknown;
  }
  any_element = any_element || options_.scripts;  // event handlers
  for (const Element element : options_.selection.svg_elements()) {
    wanted_elements_[index_of(element)] = true;
    any_element = any_element || element == Element::kUnknown;
  }
  // What the tree construction and the page's facts need.
  for (const Element element :
       {Element::kInput, Element::kFont, Element::kAnnotationXml, Element::kMeta, Element::kBase,
        Element::kHtml, Element::kLink, Element::kForm, Element::kScript}) {
    wanted_elements_[index_of(element)] = true;
  }
  if (any_element || options_.ids) wanted_elements_.fill(true);
  if (wanted_elements_[index_of(Element::kImg)]) wanted_elements_[index_of(Element::kImage)] = true;
  Tokenizer::Wanted with_attributes = wanted_elements_;
  if (options_.text) with_attributes[index_of(Element::kImg)] = true;  // of anchors: their alt
  tokenizer_.set_wanted(with_attributes);
  // Beside the sources' what the tree construction asks for, and the user.
  std::vector<std::string> names = {"color", "face", "size", "encoding"};
  if (options_.ids) names.push_back("id");
  for (const ExtractOptions::OwnAttribute& own : options_.attributes) names.push_back(own.name);
  tokenizer_.keep_few_of_many(std::move(names));
  choose_skims();
}

const Page& LinkExtractor::extract(std::string_view document, std::string_view http_charset,
                                   LinkTaker* taker) {
  begin(taker);
  page_.charset = find_charset(document, http_charset);
  read(document.substr(page_.charset.bom), false);
  return finish();
}

void LinkExtractor::begin(LinkTaker* taker) {
  taker_ = taker;
  facts_known_ = xml_ = false;
}

const Page& LinkExtractor::finish() {
  if (taker_ != nullptr) {
    taker_->take(page_);
    page_.links.clear();
  }
  return page_;
}

// All of a document in UTF-8. With room for what most of them need, so that it is not copied as it grows; untouched
// room is no memory. The largest page's is not kept.
std::string_view LinkExtractor::transcoded(std::string_view bytes) {
  constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;
  if (transcoded_.capacity() > kKeepAtMost) std::string().swap(transcoded_);
  transcoded_.clear();
  transcoded_.reserve(bytes.size() + bytes.size() / 2);
  page_.charset.encoding->decode(bytes, transcoded_);
  return transcoded_;
}

// `in_utf8`: what was no ASCII-compatible encoding has been made UTF-8 already.
void LinkExtractor::read(std::string_view bytes, bool in_utf8) {
  do {
    begin_page();
    if (facts_known_ && taker_ != nullptr) adopt_facts();
    page_.source =
        in_utf8 || page_.charset.encoding->ascii_compatible() ? bytes : transcoded(bytes);
    xml_ ? scan_xml(page_.source) : scan(page_.source);
  } while (restart_);
  end_text();
}

void LinkExtractor::begin_page() {
  arena_.clear();
  ids_.clear();
  page_.links.clear();
  page_.metas.clear();
  page_.has_base = page_.has_canonical = false;
  page_.base = page_.canonical = page_.title = page_.lang = {};
  tree_.reset();
  tokenizer_.reset();
  root_attributes_.clear();
  body_links_ = 0;
  body_drop_ = kNoOffset;
  body_seen_ = saw_high_bytes_ = restart_ = body_dropped_ = false;
  anchor_.close();
  raw_text_ = RawText::kNone;
}

void LinkExtractor::scan(std::string_view document) {
  tokenizer_.set_input(document, true);
  while (!restart_) {
    if (page_.links.size() >= options_.batch && taker_ != nullptr) give_links_between_tokens();
    if (restart_) return;
    if (may_skim() && skim()) continue;
    const bool reads_text = anchor_.open() || raw_text_ != RawText::kNone || options_.plain_text;
    tokenizer_.set_wants_text(reads_text || tree_.wants_text());
    switch (tokenizer_.next(token_)) {
      case TokenType::kStartTag: on_start_tag(token_); break;
      case TokenType::kEndTag: on_end_tag(token_); break;
      case TokenType::kText: on_text(token_); break;
      case TokenType::kComment: on_comment(token_); break;
      case TokenType::kEnd:
      case TokenType::kMore: return;
      default: break;
    }
  }
}

void LinkExtractor::on_start_tag(const Token& token) {
  place_start_tag(token, tree_.start_tag(token));
}

void LinkExtractor::place_start_tag(const Token& token, const Placement& place) {
  tokenizer_.set_foreign(tree_.in_foreign());
  if (place.dropped_body) drop_body(token.begin);
  if (!body_seen_ && tree_.in_body()) {
    body_seen_ = true;
    body_links_ = page_.links.size();
  }
  if (!place.inserted && !place.merged) return;
  if (place.text != TextMode::kData) {
    tokenizer_.set_text_mode(place.text, element_name(place.element));
    begin_raw_text(token, place);
  }
  if (reads_image(place.element) && place.name_space == Namespace::kHtml) note_image(token);
  if (wanted_elements_[index_of(place.element)]) visit(token, place);
}

void LinkExtractor::on_end_tag(const Token& token) {
  tree_.end_tag(token);
  tokenizer_.set_foreign(tree_.in_foreign());
  raw_text_ = RawText::kNone;
  if (token.element == Element::kA) end_text();
}

void LinkExtractor::on_text(const Token& token) {
  if (tree_.wants_text()) {
    tree_.text(token);
    if (!body_seen_ && tree_.in_body()) {
      body_seen_ = true;
      body_links_ = page_.links.size();
    }
  }
  if (anchor_.open() && token.mode == TextMode::kData && !anchor_.full()) {
    anchor_.add(decoded_text(token.text));
  } else if (raw_text_ != RawText::kNone) {
    on_raw_text(token);
  }
  if (options_.plain_text && token.mode == TextMode::kData) {
    add_text_urls(token.begin, decoded_text(token.text));
  }
}

// --- attributes ---

std::string_view LinkExtractor::decoded_bytes(std::string_view raw) {
  const Encoding& encoding = *page_.charset.encoding;
  saw_high_bytes_ = true;
  if (encoding.is_utf8() || !encoding.ascii_compatible()) return raw;
  bytes_scratch_.clear();
  encoding.decode(raw, bytes_scratch_);
  return arena_.keep(bytes_scratch_);
}

// The raw value as UTF-8 with references replaced: a view of the document where that changes nothing.
std::string_view LinkExtractor::decoded(std::string_view raw, bool is_attribute) {
  const ValueBytes bytes = value_bytes(raw);
  if (bytes.high) raw = decoded_bytes(raw);
  if (!bytes.special) return raw;
  scratch_.clear();
  append_decoded(scratch_, raw, is_attribute ? EntityRules::kAttribute : EntityRules::kText);
  return arena_.keep(scratch_);
}

}  // namespace spinneret::html
