// SPDX-License-Identifier: Apache-2.0
// A document in, its links and what it says of itself out.
//
//   LinkExtractor extractor(options);
//   const Page& page = extractor.extract(bytes, "utf-8");
//   for (const Link& link : page.links) resolve(link.value, base, url);
//
// The Page, and all views in it, live until the next extract() or the end of `bytes`. Reuse the extractor:
// it allocates little once warm. Never fails: whatever the bytes, there is a page. Not thread-safe.
//
// Cost: on real pages, where memchr of '<' is 1 (3.4 GB/s, tests/bench/html.cc), a[href] takes 4.4, with text 5.0,
// everything with text 6.1; linear on every input. Memory: the page's, what its links hold, and 10 MiB at most; a page
// in an encoding that ASCII is no part of (UTF-16, ISO-2022-JP) is held once more, in UTF-8. With a taker no more
// than a batch of links is held. What a page says of itself may stand
// behind its links (a late base, robots, charset; a frameset that throws the body away): where a page has
// more links than that, it is read once for the facts alone before the first of them are given.
#ifndef SPINNERET_HTML_EXTRACTOR_H_
#define SPINNERET_HTML_EXTRACTOR_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "html/anchor.h"
#include "html/arena.h"
#include "html/entity.h"
#include "html/link.h"
#include "html/scan.h"
#include "html/selection.h"
#include "html/source.h"
#include "html/tokenizer.h"
#include "html/tree.h"

namespace spinneret::html {

struct ExtractOptions {
  LinkSelection selection;
  // Attributes of the user's own.
  struct OwnAttribute {
    std::string element;  // in lower case; "": any
    std::string name;     // in lower case
    LinkKind kind = LinkKind::kPage;
  };
  std::vector<OwnAttribute> attributes;
  bool text = true;          // collect anchor text
  bool ids = false;          // collect the names that a fragment may point to: ids()
  std::size_t batch = 8192;  // links that are held before a taker gets them: 1.3 MiB
  // Opt-in: links of conditional comments (their context says so), strings of scripts, event handlers among them, and
  // URLs in plain text
  // (kind kGuess, which the selection must want).
  bool comments = false;
  bool scripts = false;
  bool plain_text = false;
  // false: every tag by tokenizer and tree, the slow twin of skim(), for tests.
  bool short_ways = true;
};

// Takes the links of a page as they come.
class LinkTaker {
 public:
  virtual ~LinkTaker() = default;
  // The next links of the page, whose facts are final. At least one call a page, the last one with the rest.
  virtual void take(const Page& page) = 0;
};

class LinkExtractor {
 public:
  // Links behind which an anchor's text is taken to be whole.
  static constexpr std::size_t kMaxInAnchor = 4096;
  static constexpr std::size_t kMaxMetas = 16384;  // meta elements of a page that are kept
  static constexpr int kMaxSrcdocDepth = 4;

  explicit LinkExtractor(ExtractOptions options) : LinkExtractor(std::move(options), 0) {}
  const ExtractOptions& options() const { return options_; }

  // `http_charset`: the charset parameter of the Content-Type header, or empty.
  // With a taker all links go there, in document order, and the Page that comes back has none.
  const Page& extract(std::string_view document, std::string_view http_charset,
                      LinkTaker* taker = nullptr);
  // XHTML or an SVG document, by XML's rules where it is well-formed, and by those of HTML where it is not (or is neither).
  // Costs two readings.
  const Page& extract_xml(std::string_view document, std::string_view http_charset,
                          LinkTaker* taker = nullptr);
  // The same for a style sheet (links css@url and css@import) and for plain text (text).
  const Page& extract_css(std::string_view sheet, std::string_view http_charset,
                          LinkTaker* taker = nullptr);
  const Page& extract_text(std::string_view text, std::string_view http_charset,
                           LinkTaker* taker = nullptr);
  // The strings of a script (script@string) or of JSON (json@string) that look like URLs, or the addresses of JSON-LD.
  enum class Strings : std::uint8_t { kScript, kJson, kJsonLd };
  const Page& extract_strings(std::string_view source, std::string_view http_charset, Strings what,
                              LinkTaker* taker = nullptr);

  // Of the document that extract() has read last: each id of an element and each name of an a, in document order,
  // with a NUL behind it (none holds one). What a template holds is in no document, and has none.
  std::string_view ids() const { return ids_; }

 private:
  LinkExtractor(ExtractOptions options, int depth);
  static constexpr std::size_t kNoOffset = static_cast<std::size_t>(-1);
  struct Wanted {
    Element element;
    ValueForm form;
    LinkKind kind;
    bool surely;  // each of its links is wanted: the selection need not be asked
  };

  void choose_sources();
  bool surely_wanted(const Source& source) const;
  bool hides_wanted(const Source& source) const;
  bool takes(Element element) const;
  void choose_skims();
  bool skim();
  void skim_text(const char* from, const char* to);
  bool may_skim() const {
    return options_.short_ways && raw_text_ == RawText::kNone && !options_.plain_text &&
           tokenizer_.in_data();
  }
  void begin_page();
  void begin(LinkTaker* taker);
  const Page& finish();
  void read(std::string_view bytes, bool in_utf8);
  std::string_view transcoded(std::string_view bytes);
  void read_facts_first();
  void adopt_facts();
  void give_links();
  void give_links_between_tokens();
  bool make_room(const TextArena::Mark& mark);
  void scan(std::string_view document);
  void scan_xml(std::string_view document);
  void on_start_tag(const Token& token);
  void place_start_tag(const Token& token, const Placement& place);
  void on_end_tag(const Token& token);
  void on_text(const Token& token);
  void on_comment(const Token& token);
  void add_stylesheet_instruction(const Token& token);
  void begin_raw_text(const Token& token, const Placement& place);
  void on_raw_text(const Token& token);
  void read_raw_text(std::string_view text, std::size_t offset);
  void visit(const Token& token, const Placement& place);
  void visit_svg(const Token& token, const Placement& place);
  void visit_custom(const Token& token);
  void visit_handlers(const Token& token);
  void add_link_header(std::string_view content, std::size_t offset);
  void note_id(const Token& token, const Placement& place);
  void note_attributes(const Token& token);
  void visit_meta(const Token& token);
  void visit_declaration();
  void visit_base(const Placement& place);
  void add(const Token& token, const Attribute& attribute, std::size_t index, const Wanted& wanted);
  void add_list(Link& link, std::string_view separators);
  void add_srcset(Link& link);
  void add_srcdoc(const Link& link);
  std::size_t offset_of(std::string_view inner, std::size_t around) const;
  void add_css(Link link, std::string_view sheet, bool is_attribute);
  void add_strings(Link link, std::string_view source);
  void add_text_urls(std::size_t offset, std::string_view text);
  void add_nested(std::string_view document, std::string_view charset, std::size_t offset,
                  LinkContext context);
  friend class NestedTaker;
  friend class XmlReading;
  void push(const Link& link);
  void begin_text();
  void end_text();
  void note_image(const Token& token);
  bool reads_image(Element element) const {
    return element == Element::kImg && anchor_.open() && anchor_.empty();
  }
  void set_area_text(Link& link);
  void drop_body(std::size_t offset);
  void drop_body_links();
  LinkContext present_context() const;
  // The decoded value of the present tag's attribute; empty where it has none.
  std::string_view value_of(std::size_t attribute);
  bool has_attribute(std::size_t attribute) const { return (present_ >> attribute & 1) != 0; }
  std::string_view decoded(std::string_view raw) { return decoded(raw, true); }
  std::string_view decoded_text(std::string_view raw) { return decoded(raw, false); }
  std::string_view decoded(std::string_view raw, bool is_attribute);
  // Of the document's encoding only: no references.
  std::string_view decoded_bytes(std::string_view raw);
  std::string_view decoded_high(std::string_view raw) {
    return value_bytes(raw).high ? decoded_bytes(raw) : raw;
  }
  bool is_new_on_root(Element element, std::string_view attribute);

  ExtractOptions options_;
  int depth_;
  // For each attribute of the sources' table what is wanted of it.
  std::vector<std::vector<Wanted>> by_attribute_;
  Tokenizer::Wanted wanted_elements_{};
  // What skim() does with a tag of each element: leaves it, passes over it, does so where no attribute's name
  // passes the sieve, or takes it for a link.
  enum class Skim : std::uint8_t { kStop, kPass, kSift, kTake };
  struct SkimEntry {
    std::uint64_t name = 0;  // in lower case, NULs behind it
    Element element = Element::kUnknown;
    Skim start = Skim::kStop;
    Skim end = Skim::kStop;
  };
  const SkimEntry& find_skim(std::uint64_t name) const;
  std::array<SkimEntry, 512> skims_{};
  NameSieve sieve_;
  Tokenizer tokenizer_;
  Tree tree_;
  Token token_;
  // Of the present tag: which attributes of the table it has, and where the first of each is.
  std::uint64_t present_ = 0;
  std::array<const Attribute*, kMaxSourceAttributes> attribute_{};
  Page page_;
  // The encoding mattered: a value held bytes above 0x7F. A late declaration of another then starts anew.
  bool saw_high_bytes_ = false;
  bool restart_ = false;
  bool xml_ = false;  // the document is read by XML's rules
  TextArena arena_;
  TextArena spare_arena_;
  LinkTaker* taker_ = nullptr;
  std::unique_ptr<LinkExtractor> facts_;  // reads a page for its facts alone
  bool facts_known_ = false;
  // Where a frameset takes the body's place: of a reading for facts, where it did; of another, where it will.
  std::size_t body_drop_ = kNoOffset;
  bool body_dropped_ = false;  // this reading is past it
  std::string transcoded_;
  std::string scratch_;
  std::string bytes_scratch_;
  std::string ids_;
  std::unique_ptr<LinkExtractor> nested_;
  // The attributes that the html and body elements have so far, as element and name.
  std::vector<std::pair<Element, std::string>> root_attributes_;
  std::size_t body_links_ = 0;  // links before the body
  bool body_seen_ = false;
  AnchorText anchor_;
  // What the raw text under way is read as.
  enum class RawText : std::uint8_t {
    kNone,
    kTitle,
    kStyle,
    kScript,
    kJson,
    kJsonLd,
    kImportMap,
    kSpeculation
  };
  RawText raw_text_ = RawText::kNone;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_EXTRACTOR_H_
