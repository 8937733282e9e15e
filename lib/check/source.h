// SPDX-License-Identifier: Apache-2.0
// The links and the names of text that people write for a page to be made of: Markdown, reStructuredText, AsciiDoc, plain.
//
//   SourceText source;
//   read_source(SourceKind::kMarkdown, "# A b\n[x](y.md#c) <a name=d>\n", source);
//   source.links();  // y.md#c at offset 10
//   source.ids();    // "a-b" NUL
//   source.html();   // the same size, blank but for <a name=d>: for a reader of HTML, whose offsets then hold
//
// Markdown is CommonMark with GitHub's tables, bare URLs and heading names, within what matters to links: block structure
// (quotes, lists, code, raw HTML), code spans, links and images in line and by reference (told where the URL is written),
// <autolinks>. Beside them front matter and footnotes, and {#name} behind a heading. What differs: a definition is told though
// nothing refers to it, and [a [b] c](d) is a link although [b] might be one. See markdown.cc.
//
// Of reStructuredText: `text <URL>`_, targets (.. _name: URL, also internal ones), image, figure and :target:, bare
// URLs, section titles by their underlines; roles and references by name are Sphinx's own affair. Of AsciiDoc: link:, xref:,
// <<name>>, image:, include:, bare URLs, [[name]], [#name], section titles as _name. Literal blocks and comments are left out in
// both. Of plain text bare URLs. A URL in which a template's {{ or {% stands, or an attribute of AsciiDoc, is none.
//
// Linear in the text, whatever stands in it; memory: about its size three times at worst, and 56 bytes a link. Not thread-safe.
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

// By the media type of a name (type_of_name); kNone: it is no such text.
SourceKind source_kind(std::string_view type);

struct SourceLink {
  std::size_t offset = 0;  // of the URL as it is written
  std::string_view value;  // as it means; into the text, or kept beside it
  std::string_view tag;    // "md@link"
};

// What was found. The views hold as long as the text and this do.
class SourceText {
 public:
  void clear();
  // `written`: the URL's bytes in the text, at `offset`. Takes it as it stands, or `meant` in its place.
  void add_link(std::size_t offset, std::string_view written, std::string_view tag);
  void add_meant(std::size_t offset, std::string meant, std::string_view tag);
  void add_id(std::string_view id);
  // A name made of a heading's text: the second one has "-1" behind it (`joint` '-', `first` 1), and so on.
  void add_slug(const std::string& slug, char joint, std::uint32_t first);
  // These bytes of `text` are HTML.
  void add_html(std::string_view text, std::size_t begin, std::size_t end);

  // By their offsets.
  void sort_links();

  const std::vector<SourceLink>& links() const { return links_; }
  std::string_view ids() const { return ids_; }  // each with a NUL behind it
  std::string_view html() const { return html_; }

 private:
  std::vector<SourceLink> links_;
  std::deque<std::string> kept_;
  std::string ids_;
  std::string html_;
  std::unordered_map<std::string, std::uint32_t> slugs_;
};

// Replaces what is in `out`.
void read_source(SourceKind kind, std::string_view text, SourceText& out);

// The parts of it.
void read_markdown(std::string_view text, SourceText& out);
void read_rst(std::string_view text, SourceText& out);
void read_asciidoc(std::string_view text, SourceText& out);
// Bare URLs of text[begin, end): http:// and https:// behind what is no letter or digit, up to white space or '<', without
// the punctuation that ends a sentence.
void read_bare_urls(std::string_view text, std::size_t begin, std::size_t end, SourceText& out);

// The length of the bare URL that begins there; 0: none does.
std::size_t bare_url(std::string_view text, std::size_t at);

// GitHub's name of a heading: lower case, blanks as '-', without punctuation.
std::string heading_slug(std::string_view text);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_SOURCE_H_
