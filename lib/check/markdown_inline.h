// SPDX-License-Identifier: Apache-2.0
// The links in a leaf block of Markdown: a paragraph or a heading. Its lines need not be adjacent
// in the document, since the marks of quotes and lists between them are not part of its text.
//
//   LeafText leaf(document);
//   leaf.add_line(2, 9);                          // "[x](y)\n" of "> [x](y)\n"
//   MarkdownInline inlines(leaf, out);
//   inlines.read();                               // y at offset 6
//
// Each byte is looked at a bounded number of times: if the end of a code span, a quoted value or a
// comment was not found once, it is not searched for again. Brackets are kept on a stack, as in
// CommonMark's appendix.
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

// Several lines of a document as one text, with the offset of each byte in the document. Adjacent
// lines are not copied.
class LeafText {
 public:
  explicit LeafText(std::string_view document) : document_(document) {}
  void clear();
  // Adds the bytes [begin, end) of the document, including the line's end if it has one.
  void add_line(std::size_t begin, std::size_t end);
  bool empty() const { return lines_.empty(); }
  std::string_view text() const;
  std::string_view document() const { return document_; }
  // Returns the offset in the document of byte `at` of text().
  std::size_t offset(std::size_t at) const;

 private:
  struct Line {
    std::size_t at;      // in text()
    std::size_t offset;  // in the document
  };
  std::string_view document_;
  std::vector<Line> lines_;
  std::size_t size_ = 0;
  std::size_t end_ = 0;  // end of the last line, in the document
  bool parted_ = false;
  std::string joined_;
};

// The destination of a link, (URL "title"), or of a definition.
struct Destination {
  std::size_t begin = 0;  // of the URL
  std::size_t end = 0;
  std::size_t next = 0;  // after the whole destination
};

class MarkdownInline {
 public:
  MarkdownInline(const LeafText& leaf, SourceText& out)
      : leaf_(leaf), text_(leaf.text()), out_(out) {}
  // Reads the link reference definitions at the start of a paragraph. Returns where they end.
  std::size_t read_definitions();
  // Reads the text from `at` on, and appends the words of a heading to `words` if that is given.
  void read(std::size_t at = 0, std::string* words = nullptr);

 private:
  struct Opener {
    bool is_image;
    std::size_t bare_urls;  // how many were found before it
    std::size_t words;
  };
  // The most brackets that may be open at once. Beyond that the outer half is dropped: a file that
  // consists of brackets would take 32 times its size.
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
  std::size_t label_end(std::size_t at) const;
  bool has_url(std::size_t end);
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
  // Openers below this index cannot become links, since a link was found inside them.
  std::size_t inactive_ = 0;
  std::vector<BareUrl> bare_urls_;
  // For each run of backticks: where the next run of the same length begins.
  std::unordered_map<std::size_t, std::size_t> next_run_;
  bool runs_known_ = false;
  std::array<bool, 8> in_vain_{};
};

// Returns where the HTML tag, comment or instruction that begins at text[at] ends (CommonMark 6.6);
// npos if there is none. `in_vain` remembers, between calls on the same text, which ends do not
// occur any more.
std::size_t markup_end(std::string_view text, std::size_t at, std::array<bool, 8>& in_vain);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_MARKDOWN_INLINE_H_
