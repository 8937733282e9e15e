// SPDX-License-Identifier: Apache-2.0
// The graph of the links that were printed: a file of lines `via url tag rel text`, tab-separated,
// with missing values empty and all values escaped as in a record. A page's links are appended in
// one write before its record goes on, so that whoever has the record finds its links in the file,
// even after a crash (which may leave those of a page twice). If a page's links cannot be written,
// the file has none of them.
#ifndef SPINNERET_TOOLS_EXTRACT_EDGES_H_
#define SPINNERET_TOOLS_EXTRACT_EDGES_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "io/line_file.h"
#include "io/record.h"
#include "page/line_counter.h"
#include "page/link.h"

namespace spinneret {

class EdgeFile {
 public:
  static Result<EdgeFile> open(const std::string& path);

  // Adds a link as it is printed: its record without the line end.
  void add(std::string_view link);
  Status flush();
  Status close() { return file_.close(); }

 private:
  explicit EdgeFile(LineFile file) : file_(std::move(file)) {}

  LineFile file_;
  std::string lines_;
};

// The file for link-check: records of a page's links with their fragments, line and column,
// followed by the page's own record with its outcome and ids. The lines of a page are one write,
// which precedes its record in the output. A page of which a crash left only a part is cut away
// when the file is opened again, since it will come once more.
class CheckFile {
 public:
  static Result<CheckFile> open(const std::string& path);

  void begin_page(std::string_view url);
  // `broken` says why `url` is no URL.
  void add(std::string_view url, std::string_view element, std::string_view attribute,
           const page::LineCounter* position, std::string_view broken = {});
  // `ids` are as extract-links writes them; no value where they are not known.
  void settle(const Record& record, const std::optional<std::string>& ids);
  Status flush();
  Status close() { return file_.close(); }

 private:
  explicit CheckFile(LineFile file) : file_(std::move(file)) {}

  LineFile file_;
  std::string lines_;
  std::string page_;  // "\tvia=...\ttag="
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_EXTRACT_EDGES_H_
