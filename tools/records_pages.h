// SPDX-License-Identifier: Apache-2.0
// records --from-dir: reads the files of a folder, a tar archive, or WARC and WACZ files as records
// of fetched pages.
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
  // Appends the next record of an archive, or all records of a folder, to `lines`, each with a line
  // end. Returns false after the last one.
  bool more(std::string& lines);

 private:
  std::vector<std::string> warc_files(std::vector<std::string>& unread) const;
  void check_base();
  void read_folder();
  void read_tar();
  void add_page(const check::FolderPage& page);
  void trouble(const std::string& what, bool failed);
  check::Folder::Trouble teller();  // returns a function that calls trouble()

  cli::Tool& tool_;
  std::string place_;    // the value of --from-dir
  std::string archive_;  // the archive that the pages of add_page() are in
  std::optional<ArchivePages> archives_;
  std::string lines_;  // the records of files
  Record record_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_RECORDS_PAGES_H_
