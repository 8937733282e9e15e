// SPDX-License-Identifier: Apache-2.0
// Converts raw values and texts of a page to UTF-8 and replaces references. A result that differs
// from the raw bytes is kept in the page's arena; any other is a view of the page.
#ifndef SPINNERET_HTML_VALUES_H_
#define SPINNERET_HTML_VALUES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "html/arena.h"
#include "html/entity.h"
#include "html/link.h"

namespace spinneret::html {

class Values {
 public:
  // `page` is borrowed; its charset names the encoding.
  explicit Values(const Page& page) : page_(page) {}
  void begin_page() {
    arena_.clear();
    saw_high_ = false;
  }

  std::string_view attribute(std::string_view raw) { return decoded(raw, EntityRules::kAttribute); }
  std::string_view text(std::string_view raw) { return decoded(raw, EntityRules::kText); }
  // Converts the encoding only, not references.
  std::string_view bytes(std::string_view raw) {
    return value_bytes(raw).high ? recoded(raw) : raw;
  }
  std::string_view keep(std::string_view text) { return arena_.keep(text); }
  TextArena& arena() { return arena_; }

  bool is_utf8() const { return page_.charset.encoding->is_utf8(); }
  // Whether the encoding has mattered, because a value held bytes above 0x7F. If so, a late
  // declaration of another encoding starts the page anew.
  bool saw_high() const { return saw_high_; }
  void note_high(bool high) { saw_high_ = saw_high_ || high; }

 private:
  std::string_view decoded(std::string_view raw, EntityRules rules);
  std::string_view recoded(std::string_view raw);
  // Empties scratch_, and reserves what `size` bytes usually need once converted, so that a long
  // value is not copied while it grows.
  std::string& begin_scratch(std::size_t size) {
    scratch_.clear();
    if (size > TextArena::kBlock) scratch_.reserve(size);
    return scratch_;
  }
  std::string_view keep_scratch() {
    if (scratch_.size() <= TextArena::kBlock) return arena_.keep(scratch_);
    return arena_.adopt(std::exchange(scratch_, {}));
  }

  const Page& page_;
  TextArena arena_;
  std::string scratch_;
  bool saw_high_ = false;
};

inline std::string_view Values::recoded(std::string_view raw) {
  const Encoding& encoding = *page_.charset.encoding;
  saw_high_ = true;
  if (encoding.is_utf8() || !encoding.ascii_compatible()) return raw;
  encoding.decode(raw, begin_scratch(raw.size()));
  return keep_scratch();
}

inline std::string_view Values::decoded(std::string_view raw, EntityRules rules) {
  const ValueBytes bytes = value_bytes(raw);
  const TextArena::Mark mark = arena_.mark();
  if (bytes.high) raw = recoded(raw);
  if (!bytes.special) return raw;
  append_decoded(begin_scratch(raw.size()), raw, rules);
  if (bytes.high) arena_.release(mark);  // drop the converted intermediate
  return keep_scratch();
}

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_VALUES_H_
