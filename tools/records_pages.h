// SPDX-License-Identifier: Apache-2.0
// records --from-dir: records of pages that are files of a folder, in a tar archive or in WARC or WACZ files, as if fetched.
#ifndef SPINNERET_TOOLS_RECORDS_PAGES_H_
#define SPINNERET_TOOLS_RECORDS_PAGES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive_pages.h"
#include "check/folder.h"
#include "cli/tool.h"
#include "io/record.h"

namespace spinneret {

class PageRecords {
 public:
  // Wrong options end the program.
  explicit PageRecords(cli::Tool& tool);
  // Appends the next record of an archive to `lines`, with a line end, or all of a folder. Returns false behind the last.
  bool more(std::string& lines);

 private:
  std::vector<std::string> warc_files(std::vector<std::string>& unread) const;
  void check_base();
  void read_folder();
  void read_tar();
  void add_page(const check::FolderPage& page);
  void trouble(const std::string& what, bool failed);
  check::Folder::Trouble teller();  // calls trouble()

  cli::Tool& tool_;
  std::string place_;    // of --from-dir
  std::string archive_;  // that add_page's are in
  std::optional<ArchivePages> archives_;
  std::string lines_;  // of files
  Record record_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_RECORDS_PAGES_H_
