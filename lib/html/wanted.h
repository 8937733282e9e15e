// SPDX-License-Identifier: Apache-2.0
// What of a page somebody wants, as tables: for each attribute the sources of links, for each element whether its
// attributes are read, and how the skimmer goes about its tags. Made once from the options; not changed afterwards.
#ifndef SPINNERET_HTML_WANTED_H_
#define SPINNERET_HTML_WANTED_H_

#include <cstddef>
#include <vector>

#include "html/extract_options.h"
#include "html/source.h"
#include "html/tag_run.h"
#include "html/tokenizer.h"

namespace spinneret::html {

// What is wanted of an attribute.
struct Wanted {
  Element element;  // kUnknown: of any
  ValueForm form;
  LinkKind kind;
  bool surely;  // each of its links is wanted: the selection need not be asked
};

class WantedSources {
 public:
  // `options` is borrowed.
  explicit WantedSources(const ExtractOptions& options);
  WantedSources(const WantedSources&) = delete;
  WantedSources& operator=(const WantedSources&) = delete;

  // By the index of the sources' table, the row of one element before that of any.
  const std::vector<Wanted>& of(std::size_t attribute) const { return by_attribute_[attribute]; }
  // Whether the attributes of such an element are looked at.
  bool element(Element element) const { return elements_[index_of(element)]; }
  // What is wanted of href of an <a>, where each such link surely is, and of other attributes those at most that pass
  // anchor_others(), which is nullptr where there are none. Else nullptr.
  const Wanted* of_anchor() const { return of_anchor_; }
  const NameSieve* anchor_others() const { return anchor_has_others_ ? &tags_.sieve : nullptr; }
  // Whether anything is wanted of such a start tag, or it may be.
  bool may_link(const Token& token) const;
  const TagTable& tags() const { return tags_; }
  // Says which attributes it is to give.
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
