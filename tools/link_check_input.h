// SPDX-License-Identifier: Apache-2.0
// Reads the input of link-check: records of pages and of their links, folders of files, and single
// files.
#ifndef SPINNERET_TOOLS_LINK_CHECK_INPUT_H_
#define SPINNERET_TOOLS_LINK_CHECK_INPUT_H_

#include <string>
#include <string_view>
#include <vector>

#include "check/book.h"
#include "check/cache.h"
#include "check/files.h"
#include "cli/tool.h"
#include "io/record.h"

namespace spinneret {

class LinkCheckInput {
 public:
  // All are borrowed. A cache that is not open is left alone.
  LinkCheckInput(cli::Tool& tool, check::LinkBook& book, check::LinkCache& cache);
  void read();

 private:
  struct Operands {
    std::vector<std::string> folders;
    std::vector<std::string> documents;
    std::vector<std::string> streams;
  };
  Operands sort_operands() const;
  void read_files(const Operands& operands);
  void record_line(std::string_view line);
  void settled();
  void link();
  void bad_links();
  void probe(Outcome outcome);

  cli::Tool& tool_;
  check::LinkBook& book_;
  check::LinkCache& cache_;
  check::Remap remap_;
  std::string base_;
  Record record_;
  bool bare_pages_ = false;  // there were pages that extract-links has not read yet
  Url target_;
  Url scratch_;
  UrlError why_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_LINK_CHECK_INPUT_H_
