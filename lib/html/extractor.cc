// SPDX-License-Identifier: Apache-2.0
#include "html/extractor.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/document_walk.h"

namespace spinneret::html {
namespace {

// The parts that read pages, and what they are read into: made once, and bound to each other.
struct Reading {
  Reading(const ExtractOptions& options, int depth, std::function<void()> read_facts)
      : wanted(options),
        list(options, page, values, facts, std::move(read_facts)),
        embedded(options, page, values, facts, list, depth),
        tree(wanted.tags()),
        collector({options, wanted, page, values, facts, list, embedded, tree, depth}),
        walk({options, wanted, values, facts, list, embedded, collector, tree}),
        xml_walk({options, wanted, values, facts, list, embedded, collector, tree}) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  void begin_page();
  // Reads the document from its first byte to its last. Afterwards its facts are known, and its
  // links are in the list or with the taker. Begins anew if the charset turns out to be another
  // one. With `in_utf8`, text in an encoding that is not ASCII-compatible has already been
  // converted to UTF-8.
  void read(std::string_view bytes, bool in_utf8);
  // Returns the whole document, converted to UTF-8.
  std::string_view transcoded(std::string_view bytes);

  Page page;
  WantedSources wanted;
  Values values{page};
  PageFacts facts{page, values};
  LinkList list;
  EmbeddedLinks embedded;
  PageTree tree;
  LinkCollector collector;
  DocumentWalk walk;
  XmlWalk xml_walk;
  std::string utf8;  // the text of a page that was in another encoding
};

void Reading::begin_page() {
  values.begin_page();
  facts.begin_page();
  list.begin_page();
  embedded.end_raw_text();
  tree.begin_page();
  collector.begin_page();
  walk.begin_page();
}

void Reading::read(std::string_view bytes, bool in_utf8) {
  do {
    begin_page();
    const bool as_it_is = in_utf8 || page.charset.encoding->ascii_compatible();
    page.source = as_it_is ? bytes : transcoded(bytes);
    facts.xml() ? xml_walk.scan(page.source) : walk.scan(page.source);
  } while (facts.restart());
  list.end_text();
}

// Reserves what most pages need, so that the text is not copied while it grows; untouched memory
// costs nothing. The memory of a very large page is not kept.
std::string_view Reading::transcoded(std::string_view bytes) {
  constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;
  if (utf8.capacity() > kKeepAtMost) std::string().swap(utf8);
  utf8.clear();
  utf8.reserve(bytes.size() + bytes.size() / 2);
  page.charset.encoding->decode(bytes, utf8);
  return utf8;
}

ExtractOptions for_facts_alone() {
  ExtractOptions out;
  out.selection = LinkSelection::nothing();
  out.text = false;
  return out;
}

}  // namespace

class LinkExtractor::Engine {
 public:
  Engine(ExtractOptions asked, int depth)
      : options(std::move(asked)), links(options, depth, [this] { read_facts(); }), depth_(depth) {}

  const Page& extract(std::string_view document, std::string_view http_charset, LinkTaker* taker);
  const Page& extract_xml(std::string_view document, std::string_view http_charset,
                          LinkTaker* taker);
  // Begins a document that is not markup. Returns its text in UTF-8, in which queries are then
  // encoded, too.
  std::string_view begin_text(std::string_view text, std::string_view charset, LinkTaker* taker);
  const Page& finish();

  const ExtractOptions options;
  Reading links;

 private:
  void begin(PageFacts::Kind kind, LinkTaker* taker);
  void read_facts();

  int depth_;
  LinkTaker* taker_ = nullptr;
  ExtractOptions facts_options_ = for_facts_alone();
  std::unique_ptr<Reading> facts_;  // a reading for the facts alone, for pages that need one
};

void LinkExtractor::Engine::begin(PageFacts::Kind kind, LinkTaker* taker) {
  taker_ = taker;
  links.list.begin(taker);
  links.facts.begin(kind);
}

const Page& LinkExtractor::Engine::finish() {
  if (taker_ != nullptr) {
    taker_->take(links.page);
    links.page.links.clear();
  }
  return links.page;
}

// Finds the page's facts by a separate reading. If a charset is declared behind what was read so
// far, the present reading starts anew, before any link was given.
void LinkExtractor::Engine::read_facts() {
  if (!facts_) facts_ = std::make_unique<Reading>(facts_options_, depth_, nullptr);
  const Charset charset = links.page.charset;
  facts_->list.begin(nullptr);
  facts_->facts.begin(links.facts.kind());
  facts_->page.charset = charset;
  facts_->read(links.page.source, !charset.encoding->ascii_compatible());
  links.facts.adopt(facts_->facts);
}

const Page& LinkExtractor::Engine::extract(std::string_view document, std::string_view http_charset,
                                           LinkTaker* taker) {
  begin(PageFacts::Kind::kHtml, taker);
  links.page.charset = find_charset(document, http_charset);
  links.read(document.substr(links.page.charset.bom), false);
  return finish();
}

const Page& LinkExtractor::Engine::extract_xml(std::string_view document,
                                               std::string_view http_charset, LinkTaker* taker) {
  links.page.charset = find_xml_charset(document, http_charset);
  const Encoding& encoding = *links.page.charset.encoding;
  std::string_view bytes = document.substr(links.page.charset.bom);
  const bool recoded = !encoding.ascii_compatible();
  if (recoded) bytes = links.transcoded(bytes);
  const XmlSpace root =
      encoding.is_utf8() && !is_valid_utf8(bytes) ? XmlSpace::kNone : xml_root(bytes);
  if (root != XmlSpace::kHtml && root != XmlSpace::kSvg)
    return extract(document, http_charset, taker);
  begin(PageFacts::Kind::kXml, taker);
  links.read(bytes, recoded);
  return finish();
}

std::string_view LinkExtractor::Engine::begin_text(std::string_view text, std::string_view charset,
                                                   LinkTaker* taker) {
  begin(PageFacts::Kind::kText, taker);
  links.begin_page();
  links.page.charset = find_charset(text, charset);
  text.remove_prefix(links.page.charset.bom);
  if (!links.page.charset.encoding->is_utf8()) text = links.transcoded(text);
  links.page.charset.encoding = &utf8_encoding();
  links.page.source = text;
  return text;
}

// --- the class ---

LinkExtractor::LinkExtractor(ExtractOptions options) : LinkExtractor(std::move(options), 0) {}
LinkExtractor::LinkExtractor(ExtractOptions options, int depth)
    : engine_(std::make_unique<Engine>(std::move(options), depth)) {}
LinkExtractor::LinkExtractor(LinkExtractor&& other) noexcept = default;
LinkExtractor& LinkExtractor::operator=(LinkExtractor&& other) noexcept = default;
LinkExtractor::~LinkExtractor() = default;

std::string_view LinkExtractor::ids() const { return engine_->links.collector.ids(); }

const Page& LinkExtractor::extract(std::string_view document, std::string_view http_charset,
                                   LinkTaker* taker) {
  return engine_->extract(document, http_charset, taker);
}

const Page& LinkExtractor::extract_xml(std::string_view document, std::string_view http_charset,
                                       LinkTaker* taker) {
  return engine_->extract_xml(document, http_charset, taker);
}

const Page& LinkExtractor::extract_css(std::string_view sheet, std::string_view http_charset,
                                       LinkTaker* taker) {
  // CSS Syntax, 3.2: in this order a byte order mark, HTTP, and an @charset at the very start,
  // where UTF-16 means UTF-8.
  std::string_view label = http_charset;
  constexpr std::string_view kCharset = "@charset \"";
  if (find_encoding(label) == nullptr && sheet.starts_with(kCharset)) {
    label = sheet.substr(kCharset.size(), sheet.find('"', kCharset.size()) - kCharset.size());
    if (starts_with_ignore_case(trim(label), "utf-16")) label = "utf-8";
  }
  Link link;
  link.element = "css";
  engine_->links.embedded.add_sheet(link, engine_->begin_text(sheet, label, taker));
  return engine_->finish();
}

const Page& LinkExtractor::extract_strings(std::string_view source, std::string_view http_charset,
                                           Strings what, LinkTaker* taker) {
  const auto strings = what == Strings::kScript ? EmbeddedLinks::Strings::kScript
                       : what == Strings::kJson ? EmbeddedLinks::Strings::kJson
                                                : EmbeddedLinks::Strings::kJsonLd;
  Link link;
  link.element = what == Strings::kScript ? "script" : "json";
  engine_->links.embedded.add_strings(link, engine_->begin_text(source, http_charset, taker),
                                      strings);
  return engine_->finish();
}

const Page& LinkExtractor::extract_text(std::string_view text, std::string_view http_charset,
                                        LinkTaker* taker) {
  engine_->links.embedded.add_text_urls(0, engine_->begin_text(text, http_charset, taker),
                                        LinkContext::kNone);
  return engine_->finish();
}

}  // namespace spinneret::html
