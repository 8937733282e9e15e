// SPDX-License-Identifier: Apache-2.0
// One reading of a page, from bytes to tokens to elements, by the rules of HTML (DocumentWalk) or
// of XML (XmlWalk). LinkCollector, EmbeddedLinks and LinkList decide what the elements mean for
// links. Both walks stop if the reading turns out to be void (PageFacts::restart()).
#ifndef SPINNERET_HTML_DOCUMENT_WALK_H_
#define SPINNERET_HTML_DOCUMENT_WALK_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "html/link_collector.h"
#include "html/xml_tokens.h"

namespace spinneret::html {

// The parts of the extractor that a walk works with. All are borrowed.
struct WalkParts {
  const ExtractOptions& options;
  const WantedSources& wanted;
  Values& values;
  PageFacts& facts;
  LinkList& list;
  EmbeddedLinks& embedded;
  LinkCollector& collector;
  PageTree& tree;
};

class DocumentWalk {
 public:
  explicit DocumentWalk(const WalkParts& parts) : parts_(parts) { parts_.wanted.tell(tokenizer_); }

  void begin_page() { tokenizer_.reset(); }
  void scan(std::string_view document);

 private:
  friend class Skimmer;

  bool may_skim() const {
    return parts_.options.short_ways && !parts_.embedded.reads_raw_text() && unseen_ == 0 &&
           !parts_.options.plain_text && tokenizer_.in_data() && parts_.tree.may_skim();
  }
  void on_start_tag();
  void place(const Placement& place);
  void on_end_tag();
  void on_text();
  void begin_unseen(const Placement& place);
  void end_unseen();
  void end_sheet();

  WalkParts parts_;
  Tokenizer tokenizer_;
  Token token_;
  // Number of open foreign elements from the outermost to the one whose content is not shown
  // (is_unseen); 0 if no such element is open.
  std::size_t unseen_ = 0;
  // Whether the unseen element is a style sheet or script whose text is wanted. To the tokenizer a
  // <style> in foreign content is an element like any other: its sheet comes in pieces, with
  // comments, CDATA sections and references in between.
  bool in_sheet_ = false;
  std::string sheet_;
  Link sheet_place_;
};

class XmlWalk {
 public:
  explicit XmlWalk(const WalkParts& parts) : parts_(parts) {}

  // Reads a document that is known to be well-formed.
  void scan(std::string_view document);

 private:
  struct Open {
    bool counts;  // its namespace has links
    bool is_anchor;
  };

  void start(XmlSpace space, Namespace name_space);
  void end();
  void text();
  void begin_raw_text(const Placement& place);
  void add_raw_text();
  void end_raw_text();
  std::string_view decoded(std::string_view raw) const;

  WalkParts parts_;
  Token token_;
  std::vector<Open> open_;
  // The content of a title, style or script as one text. A single piece stays a view of the
  // document.
  std::string raw_;
  std::string_view first_piece_;
  std::size_t pieces_ = 0;
  std::size_t raw_begin_ = 0;
  std::size_t raw_depth_ = 0;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_DOCUMENT_WALK_H_
