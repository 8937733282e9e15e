// SPDX-License-Identifier: Apache-2.0
// The links of a leaf block of Markdown: a paragraph, a heading, the lines of which may stand apart in their document
// (the marks of quotes and lists between them are none of its text).
//
//   LeafText leaf(document);
//   leaf.add_line(2, 9);                          // "[x](y)\n" of "> [x](y)\n"
//   MarkdownInline inlines(leaf, out);
//   inlines.read();                               // y at offset 6
//
// Each byte is looked at a bounded number of times: what is looked for ahead in vain (the end of a code span, of a quoted
// value, of a comment) is not looked for again. Brackets are a stack, as in CommonMark's appendix.
#ifndef SPINNERET_CHECK_MARKDOWN_INLINE_H_
#define SPINNERET_CHECK_MARKDOWN_INLINE_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "check/source.h"

namespace spinneret::check {

// Lines of a document as one text, which knows where each of its bytes stands there. Lines that follow each other there
// are not copied.
class LeafText {
 public:
  explicit LeafText(std::string_view document) : document_(document) {}
  void clear();
  // [begin, end) of the document, with the line's end where it has one.
  void add_line(std::size_t begin, std::size_t end);
  bool empty() const { return lines_.empty(); }
  std::string_view text() const;
  std::string_view document() const { return document_; }
  // In the document.
  std::size_t offset(std::size_t at) const;

 private:
  struct Line {
    std::size_t at;      // in text()
    std::size_t offset;  // in the document
  };
  std::string_view document_;
  std::vector<Line> lines_;
  std::size_t size_ = 0;
  std::size_t end_ = 0;  // of the last, in the document
  bool parted_ = false;
  std::string joined_;
};

// A destination of a link: (URL "title") or the same of a definition.
struct Destination {
  std::size_t begin = 0;  // of the URL
  std::size_t end = 0;
  std::size_t next = 0;  // behind all of it
};

class MarkdownInline {
 public:
  MarkdownInline(const LeafText& leaf, SourceText& out)
      : leaf_(leaf), text_(leaf.text()), out_(out) {}
  // The link reference definitions that a paragraph begins with; where they end.
  std::size_t read_definitions();
  // The rest; a heading's words into `words`, where that is wanted.
  void read(std::size_t at = 0, std::string* words = nullptr);

 private:
  struct Opener {
    bool is_image;
    std::size_t bare_urls;  // found before it
    std::size_t words;
  };
  // Brackets that are open at once. Beyond, the outer half is forgotten: a file of nothing else would take 32 times its size.
  static constexpr std::size_t kMaxOpeners = 10'000;
  struct BareUrl {
    std::size_t begin;
    std::size_t end;
  };
  std::size_t read_one(std::size_t at);
  std::size_t read_code(std::size_t at);
  std::size_t read_angle(std::size_t at);
  std::size_t read_open(std::size_t at);
  std::size_t read_close(std::size_t at);
  std::size_t read_bare(std::size_t at);
  std::size_t read_underscore(std::size_t at);
  bool find_destination(std::size_t at, bool is_definition, Destination& out);
  bool find_url(std::size_t at, Destination& out) const;
  std::size_t skip_title(std::size_t at);
  std::size_t skip_space(std::size_t at) const;
  void give(const Destination& found, std::string_view tag);
  void give_bare_urls();
  void count_runs();
  void say(std::string_view words) {
    if (words_ != nullptr) words_->append(words);
  }

  const LeafText& leaf_;
  std::string_view text_;
  SourceText& out_;
  std::string* words_ = nullptr;
  std::vector<Opener> openers_;
  std::size_t inactive_ = 0;  // openers of links below: a link within has been found
  std::vector<BareUrl> bare_urls_;
  std::unordered_map<std::size_t, std::size_t>
      next_run_;  // of backticks: where the next of its length begins
  bool runs_known_ = false;
  std::array<bool, 8> in_vain_{};
};

// Where the HTML tag, comment or instruction that begins at text[at] ends (CommonMark 6.6); npos: none does.
// `in_vain`: notes what there is no more of behind, from call to call on the same text.
std::size_t markup_end(std::string_view text, std::size_t at, std::array<bool, 8>& in_vain);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_MARKDOWN_INLINE_H_
