// SPDX-License-Identifier: Apache-2.0
// The text of the anchor that is open: its words, folded and cut at their bound; where it has none, as an image link has
// not, what its images say (alt), or what its attributes say (aria-label, then title).
#ifndef SPINNERET_HTML_ANCHOR_H_
#define SPINNERET_HTML_ANCHOR_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "html/link.h"

namespace spinneret::html {

class AnchorText {
 public:
  static constexpr std::size_t kMax = 256;  // bytes
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // The link that it is of, as an index; kNone: no anchor is open.
  std::size_t link() const { return link_; }
  bool open() const { return link_ != kNone; }
  void move_to(std::size_t link) { link_ = link; }
  void close() { link_ = kNone; }

  // The attributes are raw, and live until the anchor is closed.
  void begin(std::size_t link, std::string_view label, std::string_view title) {
    link_ = link;
    words_.clear();
    alt_.clear();
    label_ = label;
    title_ = title;
  }

  bool empty() const { return words_.empty(); }
  bool full() const { return words_.size() >= kMax; }
  std::size_t room() const { return kMax - words_.size(); }
  bool ends_blank() const { return words_.empty() || words_.back() == ' '; }
  // Words of the document, references decoded: folded. NUL is none of them, as in a DOM.
  void add(std::string_view text);
  // The same of what folding leaves as it is, and for which there is room.
  void add_folded(std::string_view text) { words_ += text; }
  // An image within: its alt, or else its aria-label, decoded; its title, raw, stands where the anchor has none.
  void add_image(std::string_view alt, std::string_view title);

  // The words, or what stands for them; `from` says what that was. A raw attribute is passed through `decode`.
  template <typename Decode>
  std::string_view finish(TextFrom& from, Decode decode) {
    from = TextFrom::kContent;
    if (trim(words_)) return words_;
    from = TextFrom::kAlt;
    if (trim(alt_)) return alt_;
    from = TextFrom::kLabel;
    if (set(decode(label_))) return words_;
    from = TextFrom::kTitle;
    if (set(decode(title_))) return words_;
    from = TextFrom::kContent;
    return {};
  }

  // `text` on one line, cut at the bound: what a title is.
  static void append_folded(std::string& out, std::string_view text);

 private:
  static bool trim(std::string& text);
  bool set(std::string_view text);

  std::size_t link_ = kNone;
  std::string words_;
  std::string alt_;
  std::string_view label_;
  std::string_view title_;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_ANCHOR_H_
