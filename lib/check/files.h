// SPDX-License-Identifier: Apache-2.0
// Files as the pages that a LinkBook knows: a folder, single ones, and what those link to on disk.
//
//   PageFiles files({.base = "http://localhost/", .root = "."}, book, remark);
//   files.read_folder("public");          // all of it
//   files.read_file("README.md");         // its links; what they lead to is found by
//   files.look_up();                      // below the root, and read for its names alone
//
// HTML, style sheets, sitemaps, feeds, Markdown, reStructuredText and AsciiDoc are read; plain text where it is given as a
// file. One file at a time is in memory. Not thread-safe.
#ifndef SPINNERET_CHECK_FILES_H_
#define SPINNERET_CHECK_FILES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/book.h"
#include "check/folder.h"
#include "check/ignore.h"
#include "check/source.h"
#include "page/reader.h"

namespace spinneret::links {

// URLs that begin so stand for others: where a site is to be found once it is published, for where it is now.
class Remap {
 public:
  // "FROM=TO", both http or https URLs.
  Status add(std::string_view rule);
  bool empty() const { return rules_.empty(); }
  // By the first rule that fits: the URL in its new place, or false.
  bool apply(Url& url, Url& scratch) const;

 private:
  struct Rule {
    std::string from;
    std::string to;
  };
  std::vector<Rule> rules_;
};

// Whether a link of that kind is asked about. A connection to be opened is no link; nor is where a form is sent to, which
// a GET does not ask about. A redirect is told by its own record.
bool is_checked(std::string_view tag, std::string_view rel, std::string_view method);

// Whether a file of that name is read for its links.
bool is_document(std::string_view name);

class PageFiles final : private PageTaker {
 public:
  struct Options {
    std::string base;  // of the root: a URL that ends in '/'
    std::string root;
    bool pretty_urls = false;
    Remap remap = {};
  };
  // `failed`: it could not be read.
  using Trouble = Folder::Trouble;

  PageFiles(Options options, LinkBook& book, Trouble trouble);
  // What cannot be read in them is told to `trouble`; an Error says that they are not below the root.
  Status read_folder(const std::string& path);
  Status read_file(const std::string& path);
  // What links lead to on the site and no page has told of, for what was read by file or has sources.
  void look_up();

 private:
  void page(const FolderPage& page, bool is_alone = false);
  bool read(const FolderPage& page, SettledPage& settled);
  void read_source_text(SourceKind kind, std::string_view bytes);
  void add(std::string_view value, std::string_view tag, std::size_t offset, const Url& base,
           const QueryEncoder* encoder);
  void tell_remarks();
  void document(std::string_view bytes, std::size_t skipped) override;
  void take(const PageLink& link, const Url& base, const QueryEncoder* encoder) override;
  void trouble(std::string_view reason) override;

  Options options_;
  LinkBook& book_;
  Trouble trouble_;
  Folder disk_;
  PageReader reader_;
  SourceText source_;
  InlineIgnore ignore_;
  LineCounter lines_;
  bool is_source_ = false;  // what is read: its comments are looked for in all of it
  bool wants_look_up_ = false;
  bool names_only_ = false;  // of what was linked to
  std::string path_;         // of the page, for people
  std::string ids_;
  std::string buffer_;
  Url url_;  // of the page
  Url target_;
};

}  // namespace spinneret::links

#endif  // SPINNERET_CHECK_FILES_H_
