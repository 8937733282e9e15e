// SPDX-License-Identifier: Apache-2.0
// Finds what a start tag says: links, by the table of sources; facts of the page; and names that a
// fragment may point to.
#ifndef SPINNERET_HTML_LINK_COLLECTOR_H_
#define SPINNERET_HTML_LINK_COLLECTOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "html/embedded_links.h"
#include "html/page_tree.h"
#include "html/wanted.h"

namespace spinneret::html {

// The attributes of one start tag that the sources' table knows; the first of each name counts.
class TagAttributes {
 public:
  // Notes the attributes of `token`. The bytes behind a name may be read up to `end`; none may if
  // it is nullptr.
  void note(const Token& token, const char* end) {
    present_ = 0;
    for (const Attribute& attribute : token.attributes) {
      const std::size_t index = end == nullptr ? find_source_attribute(attribute.name)
                                               : find_source_attribute(attribute.name, end);
      if (index == 0 || has(index)) continue;
      present_ |= std::uint64_t{1} << index;
      first_[index] = &attribute;
    }
  }
  // The attributes that are present, as bits by the table's index.
  std::uint64_t present() const { return present_; }
  bool has(std::size_t index) const { return (present_ >> index & 1) != 0; }
  const Attribute& operator[](std::size_t index) const { return *first_[index]; }
  std::string_view raw(std::size_t index) const {
    return has(index) ? first_[index]->value : std::string_view();
  }

 private:
  std::uint64_t present_ = 0;
  std::array<const Attribute*, kMaxSourceAttributes> first_{};
};

class LinkCollector {
 public:
  // The parts that a collector works with; all are borrowed.
  struct Parts {
    const ExtractOptions& options;
    const WantedSources& wanted;
    Page& page;
    Values& values;
    PageFacts& facts;
    LinkList& list;
    EmbeddedLinks& embedded;
    const PageTree& tree;
    int depth;  // number of documents around this one
  };
  explicit LinkCollector(const Parts& parts) : parts_(parts) {}

  void begin_page() {
    root_attributes_.clear();
    ids_.clear();
  }
  // Visits a start tag that made an element, or whose attributes were added to one.
  void visit(const Token& token, const Placement& place);
  // Does the same for an <a> at `offset` in HTML of which only the href is `wanted`.
  void visit_anchor(std::size_t offset, const AnchorAttributes& attributes, const Wanted& wanted);
  // Each id of an element and each name of an a element, followed by a NUL.
  std::string_view ids() const { return ids_; }
  void drop_ids() { ids_.clear(); }

  LinkContext context() const {
    const LinkContext context = parts_.tree.context();
    const bool srcdoc = context == LinkContext::kNone && parts_.depth > 0;
    return srcdoc ? LinkContext::kSrcdoc : context;
  }

 private:
  void visit_sources(const Token& token, const Placement& place);
  void visit_svg(const Token& token, const Placement& place);
  void visit_own(const Token& token);
  void visit_handlers(const Token& token);
  void visit_base();
  void visit_meta(const Token& token);
  void note_id(const Token& token, const Placement& place);
  bool is_new_on_root(Element element, std::string_view attribute);
  Link link_of(const Token& token, Element element);
  void add(const Token& token, std::size_t index, const Wanted& wanted);
  void add_one(const Token& token, std::size_t index, const Wanted& wanted, Link& link);
  void add_rel(Link& link);
  void set_area_text(Link& link);
  // The decoded value of an attribute of the present tag; empty where it is missing.
  std::string_view value_of(std::size_t index) {
    return attributes_.has(index) ? parts_.values.attribute(attributes_[index].value)
                                  : std::string_view();
  }

  Parts parts_;
  TagAttributes attributes_;  // those of the present tag
  std::string ids_;
  // The attributes that the html and body elements have so far, as element and name.
  std::vector<std::pair<Element, std::string>> root_attributes_;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_LINK_COLLECTOR_H_
