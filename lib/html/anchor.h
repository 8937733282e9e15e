// SPDX-License-Identifier: Apache-2.0
// The text of the open anchor: its words, with white space folded and the length bounded. For an
// anchor without words, such as an image link, the text is what its images say (alt), or else what
// its attributes say (aria-label, then title).
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

  // Index of the anchor's link; kNone if no anchor is open.
  std::size_t link() const { return link_; }
  bool open() const { return link_ != kNone; }
  void move_to(std::size_t link) { link_ = link; }
  void close() { link_ = kNone; }

  // Begins an anchor. The attributes are raw, and must live until the anchor is closed.
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
  // Adds words of the document, with references decoded, and folds them. NUL is left out, as in a
  // DOM.
  void add(std::string_view text);
  // Adds words that folding would not change, and that fit within room().
  void add_folded(std::string_view text) { words_ += text; }
  // Adds an image within the anchor: its alt or else its aria-label, decoded. Its title (raw) is
  // used if the anchor has none.
  void add_image(std::string_view alt, std::string_view title);

  // Returns the words, or what stands for them; sets `from` to say which. A raw attribute is passed
  // through `decode`.
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

  // Appends `text` on one line, folded and cut at kMax. Titles are treated in this way, too.
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
