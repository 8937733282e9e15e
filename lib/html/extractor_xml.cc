// SPDX-License-Identifier: Apache-2.0
// XHTML and SVG documents: the same sources of links, by XML's rules of what an element is.
#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/extractor.h"
#include "html/xml_tokens.h"

namespace spinneret::html {
namespace {

bool has_upper(const Attribute& attribute) {
  return std::any_of(attribute.name.begin(), attribute.name.end(), is_upper);
}

}  // namespace

// One reading of a document that is known to be well-formed.
class XmlReading {
 public:
  XmlReading(LinkExtractor& extractor, std::string_view document)
      : extractor_(extractor), elements_(document) {}

  // False where a batch of links that was given makes the reading start anew, which XML never does, or at the end.
  bool step() {
    switch (elements_.next(token_)) {
      case TokenType::kStartTag: start(); break;
      case TokenType::kEndTag: end(); break;
      case TokenType::kText: text(); break;
      case TokenType::kComment: extractor_.on_comment(token_); break;
      case TokenType::kEnd: return false;
      default: break;
    }
    return true;
  }

 private:
  struct Open {
    bool counts;  // of a namespace that has links
    bool is_anchor;
  };

  void start();
  void end();
  void text();
  void end_raw_text();

  LinkExtractor& extractor_;
  XmlElements elements_;
  Token token_;
  std::vector<Open> open_;
  // Of a title, style or script: its pieces as one text; the first one alone as the document has it.
  std::string raw_;
  std::string_view first_piece_;
  std::size_t pieces_ = 0;
  std::size_t raw_begin_ = 0;
  std::size_t raw_depth_ = 0;
};

void XmlReading::start() {
  const XmlSpace space = elements_.space();
  const bool counts =
      space == XmlSpace::kHtml || space == XmlSpace::kSvg || space == XmlSpace::kMath;
  Placement place;
  place.inserted = true;
  if (counts) {
    // The sources' table knows names in lower case alone.
    token_.attributes.erase(
        std::remove_if(token_.attributes.begin(), token_.attributes.end(), has_upper),
        token_.attributes.end());
    place.element = token_.element;
    place.name_space = elements_.name_space();
    extractor_.tree_.open_element(token_, place.name_space);
    if (extractor_.reads_image(place.element)) extractor_.note_image(token_);
    // The title of a part of a picture is a word of it.
    const bool word = place.element == Element::kTitle && extractor_.anchor_.open();
    if (raw_depth_ == 0 && !word) {
      extractor_.begin_raw_text(token_, place);
      if (extractor_.raw_text_ != LinkExtractor::RawText::kNone) {
        raw_depth_ = open_.size() + 1;
        pieces_ = 0;
        raw_.clear();
        first_piece_ = {};
      }
    }
    if (extractor_.wanted_elements_[index_of(place.element)]) extractor_.visit(token_, place);
  }
  open_.push_back({counts, counts && place.element == Element::kA});
}

void XmlReading::end() {
  if (open_.empty()) return;
  if (open_.back().is_anchor) extractor_.end_text();
  if (raw_depth_ != 0 && open_.size() == raw_depth_) end_raw_text();
  if (open_.back().counts) extractor_.tree_.close_element();
  open_.pop_back();
}

void XmlReading::text() {
  const bool cdata = token_.mode == TextMode::kCdata;
  if (raw_depth_ != 0) {
    const std::string_view piece =
        cdata ? extractor_.decoded_high(token_.text) : extractor_.decoded_text(token_.text);
    if (++pieces_ == 1) raw_begin_ = token_.begin;
    if (pieces_ == 1 && piece.data() == token_.text.data()) {
      first_piece_ = piece;
      return;
    }
    raw_ += first_piece_;
    first_piece_ = {};
    raw_ += piece;
    return;
  }
  if (extractor_.anchor_.open() && !extractor_.anchor_.full()) {
    extractor_.anchor_.add(cdata ? extractor_.decoded_high(token_.text)
                                 : extractor_.decoded_text(token_.text));
  }
  if (extractor_.options_.plain_text) {
    extractor_.add_text_urls(token_.begin, cdata ? extractor_.decoded_high(token_.text)
                                                 : extractor_.decoded_text(token_.text));
  }
}

void XmlReading::end_raw_text() {
  raw_depth_ = 0;
  if (pieces_ != 0) {
    extractor_.read_raw_text(raw_.empty() ? first_piece_ : std::string_view(raw_), raw_begin_);
  }
  extractor_.raw_text_ = LinkExtractor::RawText::kNone;
}

void LinkExtractor::scan_xml(std::string_view document) {
  XmlReading reading(*this, document);
  do {
    if (page_.links.size() >= options_.batch && taker_ != nullptr) give_links_between_tokens();
  } while (!restart_ && reading.step());
}

const Page& LinkExtractor::extract_xml(std::string_view document, std::string_view http_charset,
                                       LinkTaker* taker) {
  begin(taker);
  page_.charset = find_xml_charset(document, http_charset);
  const Encoding& encoding = *page_.charset.encoding;
  std::string_view bytes = document.substr(page_.charset.bom);
  const bool recoded = !encoding.ascii_compatible();
  if (recoded) bytes = transcoded(bytes);
  const XmlSpace root =
      encoding.is_utf8() && !is_valid_utf8(bytes) ? XmlSpace::kNone : xml_root(bytes);
  if (root != XmlSpace::kHtml && root != XmlSpace::kSvg)
    return extract(document, http_charset, taker);
  xml_ = true;
  read(bytes, recoded);
  return finish();
}

}  // namespace spinneret::html
