// SPDX-License-Identifier: Apache-2.0
// What the options want of a page, as tables: the sources of links for each attribute, whether
// attributes are read for each element, and how the skimmer treats its tags. Made once from the
// options, and then constant.
#ifndef SPINNERET_HTML_WANTED_H_
#define SPINNERET_HTML_WANTED_H_

#include <cstddef>
#include <vector>

#include "html/extract_options.h"
#include "html/source.h"
#include "html/tag_run.h"
#include "html/tokenizer.h"

namespace spinneret::html {

// One wanted source that has a given attribute.
struct Wanted {
  Element element;  // kUnknown: any element
  ValueForm form;
  LinkKind kind;
  bool surely;  // all its links are wanted, without asking the selection
};

class WantedSources {
 public:
  // `options` is borrowed.
  explicit WantedSources(const ExtractOptions& options);
  WantedSources(const WantedSources&) = delete;
  WantedSources& operator=(const WantedSources&) = delete;

  // The wanted sources of an attribute, by its index in the sources' table; a row for one element
  // comes before the row for any.
  const std::vector<Wanted>& of(std::size_t attribute) const { return by_attribute_[attribute]; }
  // Whether the attributes of this element are looked at.
  bool element(Element element) const { return elements_[index_of(element)]; }
  // What is wanted of the href of an <a>, if every such link is wanted and other attributes are
  // wanted only if they pass anchor_others() (nullptr if there are none). Otherwise nullptr.
  const Wanted* of_anchor() const { return of_anchor_; }
  const NameSieve* anchor_others() const { return anchor_has_others_ ? &tags_.sieve : nullptr; }
  // Whether the start tag has, or may have, something that is wanted.
  bool may_link(const Token& token) const;
  const TagTable& tags() const { return tags_; }
  // Tells the tokenizer which attributes to give.
  void tell(Tokenizer& tokenizer) const;

 private:
  bool surely_wanted(const Source& source) const;
  bool hides_wanted(const Source& source) const;
  bool takes(Element element) const;
  bool has_source(Element element) const;
  TagTable::Way raw_way(Element element, bool any_element) const;
  void choose_sources();
  void choose_anchor();
  void choose_elements();
  bool fill_sieve();
  void choose_tags();

  const ExtractOptions& options_;
  std::vector<std::vector<Wanted>> by_attribute_;
  Tokenizer::Wanted elements_{};
  const Wanted* of_anchor_ = nullptr;
  bool anchor_has_others_ = false;
  TagTable tags_;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_WANTED_H_
