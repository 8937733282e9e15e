// SPDX-License-Identifier: Apache-2.0
// The links and ids in text from which pages are made: Markdown, reStructuredText, AsciiDoc, and
// plain text.
//
//   SourceText source;
//   read_source(SourceKind::kMarkdown, "# A b\n[x](y.md#c) <a name=d>\n", source);
//   source.links();  // y.md#c at offset 10
//   source.ids();    // "a-b" NUL
//   source.html();   // as long as the text, blank but for <a name=d>: offsets in it are right
//
// Markdown is CommonMark with GitHub's tables, bare URLs and ids of headings, as far as these
// matter for links:
//
// - block structure (quotes, lists, code, raw HTML);
// - code spans, <autolinks>, links and images, inline and by reference (reported where the URL is
//   written);
// - front matter, footnotes, and {#name} after a heading.
//
// It differs in two points: a definition is reported even if nothing refers to it, and [a [b] c](d)
// is a link although [b] might be one. See markdown.cc.
//
// In reStructuredText it finds `text <URL>`_, targets (.. _name: URL, and internal ones), image,
// figure and :target:, bare URLs, and section titles by their underlines; roles and references by
// name are left to Sphinx. In AsciiDoc it finds link:, xref:, <<name>>, image:, include:, bare
// URLs, [[name]], [#name], and section titles as _name. Literal blocks and comments are skipped in
// both. In plain text it finds bare URLs. A URL that contains {{ or {% of a template, or an
// AsciiDoc attribute, is ignored.
//
// Time is linear in the text, whatever it contains. Memory: at worst about three times the text's
// size, and 56 bytes a link. Not thread-safe.
#ifndef SPINNERET_CHECK_SOURCE_H_
#define SPINNERET_CHECK_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace spinneret::check {

enum class SourceKind : std::uint8_t { kNone, kMarkdown, kRst, kAsciidoc, kText };

// Returns the kind of a media type (type_of_name()); kNone if it is not such a text.
SourceKind source_kind(std::string_view type);

struct SourceLink {
  std::size_t offset = 0;  // where the URL is written
  std::string_view value;  // the URL after decoding; a view into the text, or of kept_
  std::string_view tag;    // "md@link"
};

// The links, ids and HTML that were found. Views are valid as long as both the text and this
// object.
class SourceText {
 public:
  void clear();
  // Adds a link at `offset`: `written`, the bytes of the URL in the text, or `meant`, where these
  // had to be decoded or completed.
  void add_link(std::size_t offset, std::string_view written, std::string_view tag);
  void add_meant(std::size_t offset, std::string meant, std::string_view tag);
  void add_id(std::string_view id);
  // Adds an id made from a heading's text. A second heading with the same text gets "-1" appended
  // (for `joint` '-' and `first` 1), and so on.
  void add_slug(const std::string& slug, char joint, std::uint32_t first);
  // Marks these bytes of `text` as HTML.
  void add_html(std::string_view text, std::size_t begin, std::size_t end);

  // Sorts the links by offset.
  void sort_links();

  const std::vector<SourceLink>& links() const { return links_; }
  std::string_view ids() const { return ids_; }  // each followed by a NUL
  std::string_view html() const { return html_; }

 private:
  std::vector<SourceLink> links_;
  std::deque<std::string> kept_;
  std::string ids_;
  std::string html_;
  struct Repeats {
    std::uint32_t count = 0;  // how often the heading was repeated
    std::uint32_t tried = 0;  // how many numbers were tried for its id
  };
  // References to its elements stay valid while others are added.
  std::unordered_map<std::string, Repeats> slugs_;
};

// Replaces the content of `out`.
void read_source(SourceKind kind, std::string_view text, SourceText& out);

// Readers for the kinds above.
void read_markdown(std::string_view text, SourceText& out);
void read_rst(std::string_view text, SourceText& out);
void read_asciidoc(std::string_view text, SourceText& out);
// Finds bare URLs in text[begin, end): http:// and https://, not directly after a letter or digit,
// up to white space or '<', without the punctuation that ends a sentence.
void read_bare_urls(std::string_view text, std::size_t begin, std::size_t end, SourceText& out);

// Returns the length of the bare URL that begins at `at`; 0 if there is none.
std::size_t bare_url(std::string_view text, std::size_t at);

// Returns GitHub's id for a heading: lower case, '-' for blanks, without punctuation.
std::string heading_slug(std::string_view text);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_SOURCE_H_
