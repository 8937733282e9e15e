// SPDX-License-Identifier: Apache-2.0
// records --from-dir: records of pages that are files of a folder, in a tar archive or in WARC or WACZ files, as if fetched.
#ifndef SPINNERET_TOOLS_RECORDS_PAGES_H_
#define SPINNERET_TOOLS_RECORDS_PAGES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "check/folder.h"
#include "cli/tool.h"
#include "io/record.h"

namespace spinneret {

class PageRecords {
 public:
  explicit PageRecords(cli::Tool& tool);
  // All records, one on each line. They take little memory, since bodies stay where they are. Wrong options end the
  // program.
  std::string read();

 private:
  std::vector<std::string> warc_files() const;
  void check_base();
  void read_folder();
  void read_tar();
  void add_page(const check::FolderPage& page);
  void trouble(const std::string& what, bool failed);
  check::Folder::Trouble teller();  // calls trouble()

  cli::Tool& tool_;
  std::string place_;    // of --from-dir
  std::string archive_;  // that add_page's are in
  std::string lines_;
  Record record_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_RECORDS_PAGES_H_
