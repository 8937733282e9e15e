// SPDX-License-Identifier: Apache-2.0
// The graph of the links that were printed: a file of lines `via url tag rel text`, tab-separated, a missing one
// empty, each escaped as in a record. Appended to, a page's links in one write before its record goes on: whoever
// has the record finds its links in the file, also after a crash (which may leave those of a page twice).
#ifndef SPINNERET_TOOLS_EXTRACT_EDGES_H_
#define SPINNERET_TOOLS_EXTRACT_EDGES_H_

#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace spinneret {

class EdgeFile {
 public:
  static Result<EdgeFile> open(const std::string& path);

  // A link as it goes out: its record without the line end.
  void add(std::string_view link);
  Status flush();

 private:
  EdgeFile(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Fd file_;
  std::string path_;
  std::string lines_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_EXTRACT_EDGES_H_
