// SPDX-License-Identifier: Apache-2.0
// What link-check reads: records of pages and of their links, and folders of files.
#ifndef SPINNERET_TOOLS_LINK_CHECK_INPUT_H_
#define SPINNERET_TOOLS_LINK_CHECK_INPUT_H_

#include <string>
#include <string_view>

#include "check/book.h"
#include "check/folder.h"
#include "cli/tool.h"
#include "io/record.h"
#include "page/reader.h"

namespace spinneret {

class LinkCheckInput final : private PageTaker {
 public:
  // Both are borrowed.
  LinkCheckInput(cli::Tool& tool, links::LinkBook& book);
  void read();

 private:
  void record_line(std::string_view line);
  void settled();
  void link();
  void folder(const std::string& root);
  void file(const links::FolderPage& page);
  void document(std::string_view bytes, std::size_t skipped) override;
  void take(const PageLink& link, const Url& base, const QueryEncoder* encoder) override;
  void trouble(std::string_view reason) override;

  cli::Tool& tool_;
  links::LinkBook& book_;
  std::string base_;
  Record record_;
  PageReader reader_;
  std::string buffer_;  // of a file
  std::string path_;    // of it, for people
  Url page_url_;
  Url target_;
  UrlError why_;
  LineCounter lines_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_LINK_CHECK_INPUT_H_
