// SPDX-License-Identifier: Apache-2.0
// The links and names in text from which pages are made: Markdown, reStructuredText, AsciiDoc, and plain text.
//
//   SourceText source;
//   read_source(SourceKind::kMarkdown, "# A b\n[x](y.md#c) <a name=d>\n", source);
//   source.links();  // y.md#c at offset 10
//   source.ids();    // "a-b" NUL
//   source.html();   // the same size, blank except for <a name=d>, so that offsets in it are right
//
// Markdown is CommonMark with GitHub's tables, bare URLs and names of headings, as far as that matters for links:
// block structure (quotes, lists, code, raw HTML), code spans, links and images, inline and by reference (reported
// where the URL is written), <autolinks>; and also front matter, footnotes, and {#name} behind a heading. It differs
// in two points: a definition is reported even if nothing refers to it, and [a [b] c](d) is a link although [b] might
// be one. See markdown.cc.
//
// In reStructuredText it finds `text <URL>`_, targets (.. _name: URL, and internal ones), image, figure and :target:,
// bare URLs, and section titles by their underlines; roles and references by name are left to Sphinx. In AsciiDoc it
// finds link:, xref:, <<name>>, image:, include:, bare URLs, [[name]], [#name], and section titles as _name. Literal
// blocks and comments are left out in both. In plain text it finds bare URLs. A URL that contains {{ or {% of a
// template, or an AsciiDoc attribute, is ignored.
//
// Linear in the text, whatever it contains. Memory: at worst about three times its size, and 56 bytes a link. Not
// thread-safe.
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

// By the media type that a name has (type_of_name); kNone: it is not such a text.
SourceKind source_kind(std::string_view type);

struct SourceLink {
  std::size_t offset = 0;  // where the URL is written
  std::string_view value;  // its meaning; a view into the text, or kept beside it
  std::string_view tag;    // "md@link"
};

// What was found. Views are valid as long as both the text and this object.
class SourceText {
 public:
  void clear();
  // Adds a link. `written` is the URL's bytes in the text, at `offset`. The link is that, or `meant` in its place.
  void add_link(std::size_t offset, std::string_view written, std::string_view tag);
  void add_meant(std::size_t offset, std::string meant, std::string_view tag);
  void add_id(std::string_view id);
  // Adds a name made from a heading's text. A second one with the same text gets "-1" appended (`joint` '-', `first`
  // 1), and so on.
  void add_slug(const std::string& slug, char joint, std::uint32_t first);
  // Says that these bytes of `text` are HTML.
  void add_html(std::string_view text, std::size_t begin, std::size_t end);

  // Sorts them by offset.
  void sort_links();

  const std::vector<SourceLink>& links() const { return links_; }
  std::string_view ids() const { return ids_; }  // each with a NUL behind it
  std::string_view html() const { return html_; }

 private:
  std::vector<SourceLink> links_;
  std::deque<std::string> kept_;
  std::string ids_;
  std::string html_;
  struct Repeats {
    std::uint32_t count = 0;  // of the heading
    std::uint32_t tried = 0;  // numbers behind its name that were taken, or given
  };
  // A reference into it stays valid while others come.
  std::unordered_map<std::string, Repeats> slugs_;
};

// Replaces what is in `out`.
void read_source(SourceKind kind, std::string_view text, SourceText& out);

// Its parts.
void read_markdown(std::string_view text, SourceText& out);
void read_rst(std::string_view text, SourceText& out);
void read_asciidoc(std::string_view text, SourceText& out);
// Finds bare URLs in text[begin, end): http:// and https://, not directly behind a letter or digit, up to white space
// or '<', without punctuation that ends a sentence.
void read_bare_urls(std::string_view text, std::size_t begin, std::size_t end, SourceText& out);

// The length of the bare URL that begins there; 0: there is none.
std::size_t bare_url(std::string_view text, std::size_t at);

// GitHub's name for a heading: lower case, '-' for blanks, without punctuation.
std::string heading_slug(std::string_view text);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_SOURCE_H_
