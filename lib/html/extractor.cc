// SPDX-License-Identifier: Apache-2.0
#include "html/extractor.h"

#include <algorithm>
#include <bit>

#include "base/ascii.h"
#include "html/entity.h"
#include "html/srcset.h"

namespace spinneret::html {
namespace {

const std::size_t kCharset = find_source_attribute("charset");
const std::size_t kContent = find_source_attribute("content");
const std::size_t kFormMethod = find_source_attribute("formmethod");
const std::size_t kHref = find_source_attribute("href");
const std::size_t kHreflang = find_source_attribute("hreflang");
const std::size_t kHttpEquiv = find_source_attribute("http-equiv");
const std::size_t kItemprop = find_source_attribute("itemprop");
const std::size_t kLang = find_source_attribute("lang");
const std::size_t kMethod = find_source_attribute("method");
const std::size_t kName = find_source_attribute("name");
const std::size_t kProperty = find_source_attribute("property");
const std::size_t kRel = find_source_attribute("rel");
const std::size_t kStyle = find_source_attribute("style");
const std::size_t kType = find_source_attribute("type");
const std::size_t kXlinkHref = find_source_attribute("xlink:href");

bool is_url_property(std::string_view name) {
  // Views, not literals: whose lengths would be counted anew for every meta element.
  constexpr std::string_view kPrefixes[] = {"og:image", "og:video", "og:audio", "twitter:image"};
  constexpr std::string_view kNames[] = {"og:url",
                                         "og:see_also",
                                         "twitter:url",
                                         "twitter:player",
                                         "twitter:player:stream",
                                         "al:web:url",
                                         "article:author",
                                         "article:publisher",
                                         "msapplication-tileimage",
                                         "msapplication-starturl",
                                         "thumbnail",
                                         "thumbnailurl",
                                         "contenturl",
                                         "embedurl"};
  for (const std::string_view prefix : kPrefixes) {
    if (!starts_with_ignore_case(name, prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    return rest.empty() || equals_ignore_case(rest, ":url") || equals_ignore_case(rest, ":src") ||
           equals_ignore_case(rest, ":secure_url") || (rest.size() == 1 && is_digit(rest[0]));
  }
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [name](std::string_view known) { return equals_ignore_case(name, known); });
}

}  // namespace

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
  for (const auto& [element, attribute] : options_.attributes) {
    wanted_elements_[index_of(find_element(element))] = true;
    any_element = any_element || find_element(element) == Element::kUnknown;
  }
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
  if (any_element) wanted_elements_.fill(true);
  if (wanted_elements_[index_of(Element::kImg)]) wanted_elements_[index_of(Element::kImage)] = true;
  tokenizer_.set_wanted(wanted_elements_);
  // Beside the sources' what the tree construction asks for, and the user.
  std::vector<std::string> names = {"color", "face", "size", "encoding"};
  for (const auto& [element, attribute] : options_.attributes) names.push_back(attribute);
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
  facts_known_ = false;
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
    scan(page_.source);
  } while (restart_);
  end_text();
}

void LinkExtractor::begin_page() {
  arena_.clear();
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
  text_link_ = kNoLink;
  raw_text_ = RawText::kNone;
}

void LinkExtractor::scan(std::string_view document) {
  tokenizer_.set_input(document, true);
  while (!restart_) {
    if (page_.links.size() >= options_.batch && taker_ != nullptr) give_links_between_tokens();
    if (restart_) return;
    if (may_skim() && skim()) continue;
    const bool reads_text =
        text_link_ != kNoLink || raw_text_ != RawText::kNone || options_.plain_text;
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
  if (text_link_ != kNoLink && token.mode == TextMode::kData && text_.size() < kMaxText) {
    add_to_text(token.text);
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

std::string_view LinkExtractor::value_of(std::size_t attribute) {
  return has_attribute(attribute) ? decoded(attribute_[attribute]->value) : std::string_view();
}

void LinkExtractor::note_attributes(const Token& token) {
  present_ = 0;
  for (const Attribute& attribute : token.attributes) {
    const std::size_t index = find_source_attribute(attribute.name, tokenizer_.input_end());
    if (index == 0 || has_attribute(index)) continue;  // the first of them counts
    present_ |= std::uint64_t{1} << index;
    attribute_[index] = &attribute;
  }
}

// Attributes of a second <html> or <body> count where the first had none of that name.
bool LinkExtractor::is_new_on_root(Element element, std::string_view attribute) {
  const std::pair<Element, std::string> key{element, to_lower_copy(attribute)};
  if (std::find(root_attributes_.begin(), root_attributes_.end(), key) != root_attributes_.end()) {
    return false;
  }
  root_attributes_.push_back(key);
  return true;
}

void LinkExtractor::visit(const Token& token, const Placement& place) {
  if (token.attributes.empty()) return;
  note_attributes(token);
  if (!options_.attributes.empty()) visit_custom(token);
  if (place.name_space == Namespace::kSvg) return visit_svg(token, place);
  if (place.name_space != Namespace::kHtml) return;
  if (place.element == Element::kBase) visit_base(place);
  if (place.element == Element::kMeta) visit_meta(token);
  if (place.element == Element::kHtml && page_.lang.empty()) page_.lang = value_of(kLang);
  const bool root = place.element == Element::kHtml || place.element == Element::kBody;
  for (std::uint64_t rest = present_; rest != 0; rest &= rest - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(rest));
    for (const Wanted& wanted : by_attribute_[index]) {
      if (wanted.element != Element::kUnknown && wanted.element != place.element) continue;
      if (root && !is_new_on_root(place.element, attribute_[index]->name)) break;
      add(token, *attribute_[index], index, wanted);
      break;
    }
  }
}

LinkContext LinkExtractor::present_context() const {
  if (tree_.in_template()) return LinkContext::kTemplate;
  if (tree_.in_noscript()) return LinkContext::kNoscript;
  if (tree_.in_foreign_subtree()) return LinkContext::kForeign;
  return depth_ > 0 ? LinkContext::kSrcdoc : LinkContext::kNone;
}

void LinkExtractor::add(const Token& token, const Attribute& attribute, std::size_t index,
                        const Wanted& wanted) {
  Link link;
  link.element = element_name(token.element == Element::kImage ? Element::kImg : token.element);
  if (link.element.empty()) link.element = arena_.keep(to_lower_copy(token.name));
  link.attribute = source_attribute_name(index);
  link.value = decoded(attribute.value);
  link.offset = token.begin;
  link.kind = wanted.kind;
  link.context = present_context();
  switch (wanted.form) {
    case ValueForm::kMetaContent: return;  // visit_meta has it
    case ValueForm::kSpaceList: return add_list(link, " \t\n\r\f");
    case ValueForm::kCommaList: return add_list(link, ",");
    case ValueForm::kSrcset: return add_srcset(link);
    case ValueForm::kSrcdoc: return add_srcdoc(link);
    case ValueForm::kCss: return add_css(link, link.value, true);
    case ValueForm::kFormAction:
      link.method = value_of(attribute.name.size() > 6 ? kFormMethod : kMethod);
      if (equals_ignore_case(link.method, "post") || equals_ignore_case(link.method, "dialog")) {
        link.kind = LinkKind::kMetadata;
      } else {
        link.method = {};
      }
      break;
    case ValueForm::kLinkHref:
      link.rel = value_of(kRel);
      link.type = value_of(kType);
      link.hreflang = value_of(kHreflang);
      link.kind = link_kind(link.rel, link.type);
      if (!page_.has_canonical && has_rel_token(link.rel, "canonical") && !tree_.in_template()) {
        page_.has_canonical = true;
        page_.canonical = link.value;
      }
      break;
    default:
      if (token.element == Element::kA || token.element == Element::kArea) {
        link.rel = value_of(kRel);
        link.type = value_of(kType);
        link.hreflang = value_of(kHreflang);
      }
      break;
  }
  const std::size_t before = page_.links.size();
  if (wanted.surely) {
    page_.links.push_back(link);
  } else {
    push(link);
  }
  if (token.element != Element::kA || index != kHref) return;
  end_text();
  if (page_.links.size() > before) begin_text();
}

// href and xlink:href of SVG: "a" leads to a page, the others are part of this one.
void LinkExtractor::visit_svg(const Token& token, const Placement& place) {
  for (const std::size_t index : {kHref, kXlinkHref}) {
    if (!has_attribute(index)) continue;
    Link link;
    link.element = place.element == Element::kUnknown ? arena_.keep(to_lower_copy(token.name))
                                                      : element_name(place.element);
    link.attribute = source_attribute_name(index);
    link.value = value_of(index);
    link.offset = token.begin;
    link.kind = place.element == Element::kA ? LinkKind::kPage : LinkKind::kResource;
    link.context = present_context();
    end_text();
    const std::size_t before = page_.links.size();
    push(link);
    if (place.element == Element::kA && page_.links.size() > before) begin_text();
  }
  if (has_attribute(kStyle)) {
    for (const Wanted& wanted : by_attribute_[kStyle])
      add(token, *attribute_[kStyle], kStyle, wanted);
  }
}

void LinkExtractor::visit_custom(const Token& token) {
  for (const auto& [element, attribute] : options_.attributes) {
    if (!element.empty() && !equals_ignore_case(token.name, element)) continue;
    const Attribute* const found = token.find(attribute);
    if (found == nullptr) continue;
    Link link;
    link.element = arena_.keep(to_lower_copy(token.name));
    link.attribute = attribute;
    link.value = decoded(found->value);
    link.offset = token.begin;
    link.context = present_context();
    push(link);
  }
}

void LinkExtractor::visit_base(const Placement& place) {
  const bool counts = place.name_space == Namespace::kHtml && !tree_.in_template();
  if (!counts || page_.has_base || !has_attribute(kHref)) return;
  page_.has_base = true;
  page_.base = value_of(kHref);
}

// A declaration beyond what the prescan looks at: one real page in eight has it there.
void LinkExtractor::visit_declaration() {
  const Encoding* const declared =
      declared_encoding(value_of(kCharset), value_of(kHttpEquiv), value_of(kContent));
  if (declared == nullptr) return;
  restart_ =
      declared != page_.charset.encoding && (saw_high_bytes_ || !declared->ascii_compatible());
  page_.charset.encoding = declared;
  page_.charset.source = Charset::Source::kMeta;
}

void LinkExtractor::visit_meta(const Token& token) {
  if (page_.charset.is_guess()) visit_declaration();
  if (!has_attribute(kContent)) return;
  const std::string_view content = value_of(kContent);
  const bool live = !tree_.in_template();
  std::string_view name = value_of(kName);
  if (!name.empty() && live && !facts_known_ && page_.metas.size() < kMaxMetas) {
    page_.metas.push_back({name, content});
  }
  if (name.empty()) name = value_of(kProperty);
  if (name.empty()) name = value_of(kItemprop);
  Link link;
  link.element = "meta";
  link.attribute = "content";
  link.offset = token.begin;
  link.context = present_context();
  if (equals_ignore_case(value_of(kHttpEquiv), "refresh")) {
    if (!parse_refresh(content, link.value) || link.value.empty()) return;
    link.rel = "refresh";
  } else if (is_url_property(name)) {
    link.value = content;
    link.rel = name;
    link.kind = LinkKind::kMetadata;
  } else {
    return;
  }
  push(link);
}

// --- values with several URLs ---

void LinkExtractor::add_list(Link& link, std::string_view separators) {
  std::string_view rest = link.value;
  const TextArena::Mark mark = arena_.mark();
  while (!rest.empty() && make_room(mark)) {
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    link.value = trim(rest.substr(0, end));
    if (!link.value.empty()) push(link);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
}

void LinkExtractor::add_srcset(Link& link) {
  std::string_view rest = link.value;
  std::string_view descriptor;
  const TextArena::Mark mark = arena_.mark();
  while (make_room(mark) && next_srcset_candidate(rest, link.value, descriptor)) push(link);
}

void LinkExtractor::push(const Link& link) {
  if (options_.selection.wants(link)) page_.links.push_back(link);
}

}  // namespace spinneret::html
