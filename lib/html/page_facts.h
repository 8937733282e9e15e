// SPDX-License-Identifier: Apache-2.0
// What a page says of itself: its base, canonical address, metas, title, language, and a charset
// that is declared late. One reading collects these. If links must be handed over before the page's
// end, another reading first goes through the whole page for the facts alone, and adopt() takes
// these over.
#ifndef SPINNERET_HTML_PAGE_FACTS_H_
#define SPINNERET_HTML_PAGE_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "html/link.h"
#include "html/values.h"

namespace spinneret::html {

class PageFacts {
 public:
  static constexpr std::size_t kMaxMetas = 16384;  // number of metas that are kept

  // Both arguments are borrowed.
  PageFacts(Page& page, Values& values) : page_(page), values_(values) {}

  // The document's kind. A text cannot have facts.
  enum class Kind : std::uint8_t { kHtml, kXml, kText };
  // Begins a document; begin_page() begins each reading of it.
  void begin(Kind kind) {
    kind_ = kind;
    known_ = kind == Kind::kText;
    adopted_ = nullptr;
  }
  void begin_page();
  // Takes over the facts of a reading for facts alone of the same document. `other` is borrowed:
  // this reading may begin anew with them.
  void adopt(const PageFacts& other);

  bool known() const { return known_; }
  Kind kind() const { return kind_; }
  bool xml() const { return kind_ == Kind::kXml; }
  // Whether the charset has turned out to be another one: this reading is void, and the next begins
  // with that charset.
  bool restart() const { return restart_; }

  void set_base(std::string_view href);
  void set_canonical(std::string_view href);
  void set_title(std::string_view text);
  bool has_title() const { return !page_.title.empty(); }
  void set_lang(std::string_view lang) {
    if (page_.lang.empty()) page_.lang = lang;
  }
  void add_meta(std::string_view name, std::string_view content, bool is_header);
  // Whether a charset declared behind the part that the prescan looks at would count. One real page
  // in eight has such a declaration.
  bool wants_charset() const { return page_.charset.is_guess() && !xml(); }
  void declare_charset(const Encoding& declared);

  // Notes that a frameset has replaced the body.
  void drop_body() {
    body_dropped_ = true;
    drop_is_ahead_ = false;
  }
  // Whether the reading for the facts has found that a frameset will replace the body. No link of
  // the body may then be handed over.
  bool will_drop_body() const { return drop_is_ahead_; }

 private:
  void take(const PageFacts& other);

  Page& page_;
  Values& values_;
  const PageFacts* adopted_ = nullptr;
  bool known_ = false;
  Kind kind_ = Kind::kHtml;
  bool restart_ = false;
  bool body_dropped_ = false;  // in this reading
  bool drop_is_ahead_ = false;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_PAGE_FACTS_H_
