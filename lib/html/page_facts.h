// SPDX-License-Identifier: Apache-2.0
// What a page says of itself: its base, canonical address, metas, title, language, a charset declared late. One reading
// collects them; where links must be given before the page's end, another has been through the whole page for them alone,
// and adopt() takes over what it found.
#ifndef SPINNERET_HTML_PAGE_FACTS_H_
#define SPINNERET_HTML_PAGE_FACTS_H_

#include <cstddef>
#include <string_view>

#include "html/link.h"
#include "html/values.h"

namespace spinneret::html {

class PageFacts {
 public:
  static constexpr std::size_t kMaxMetas = 16384;  // that are kept

  // Both are borrowed.
  PageFacts(Page& page, Values& values) : page_(page), values_(values) {}

  // A document, of which begin_page() begins each reading. `known`: it has no facts of this kind. `xml`: it is read by
  // XML's rules.
  void begin(bool known, bool xml) {
    known_ = known;
    xml_ = xml;
    adopted_ = nullptr;
  }
  void begin_page();
  // Those of a reading of the same document for them alone, which is borrowed: this one may begin anew with them.
  void adopt(const PageFacts& other);

  bool known() const { return known_; }
  bool xml() const { return xml_; }
  // The charset turned out to be another: this reading is void, and the next one begins with it.
  bool restart() const { return restart_; }

  void set_base(std::string_view href);
  void set_canonical(std::string_view href);
  void set_title(std::string_view text);
  bool has_title() const { return !page_.title.empty(); }
  void set_lang(std::string_view lang) {
    if (page_.lang.empty()) page_.lang = lang;
  }
  void add_meta(std::string_view name, std::string_view content, bool is_header);
  // Whether a declaration beyond what the prescan looks at would count: one real page in eight has it there.
  bool wants_charset() const { return page_.charset.is_guess() && !xml_; }
  void declare_charset(const Encoding& declared);

  // A frameset took the body's place.
  void drop_body() {
    body_dropped_ = true;
    drop_is_ahead_ = false;
  }
  // One will, as the reading for the facts has found: no link of the body is to be given.
  bool will_drop_body() const { return drop_is_ahead_; }

 private:
  void take(const PageFacts& other);

  Page& page_;
  Values& values_;
  const PageFacts* adopted_ = nullptr;
  bool known_ = false;
  bool xml_ = false;
  bool restart_ = false;
  bool body_dropped_ = false;  // by this reading
  bool drop_is_ahead_ = false;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_PAGE_FACTS_H_
