// SPDX-License-Identifier: Apache-2.0
// CDXJ, the index by which replay tools find pages in a WARC file. It has a line for each response
// and revisit, "KEY TIMESTAMP JSON", sorted bytewise (https://specs.webrecorder.net/cdxj/0.1.0/).
//
//   com,example)/a?b=1 20231114221320 {"url":"http://example.com/A?b=1","mime":"text/html",...}
//
// Lines are appended to NAME.cdxj.part while records are written, and finish() sorts them into
// NAME.cdxj. A kill leaves the part, which `LC_ALL=C sort` turns into the index.
#ifndef SPINNERET_HTTP_CDXJ_H_
#define SPINNERET_HTTP_CDXJ_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::http {

struct CdxjEntry {
  std::string_view url;
  std::int64_t unix_ms = 0;
  std::string_view mime;  // "text/html", or "warc/revisit" for a revisit; empty: none
  int status = 0;
  std::string_view digest;  // "sha1:..."; empty: none
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // bytes of the record in the file, which may be compressed
  std::string_view filename;
};

// Returns the key of a URL as the Internet Archive makes it: in lower case, without scheme and
// "www.", with reversed labels (those of an IPv4 address, too), with the port if it is not the
// scheme's, and with sorted parameters. Text that is not a URL is its own key.
std::string cdxj_key(std::string_view url);

// Returns "x.cdxj" for "x.warc.gz".
std::string cdxj_path(std::string_view warc);

// Returns the line, with its LF.
std::string cdxj_line(const CdxjEntry& entry);

class CdxjIndex {
 public:
  // Begins the index of the file `warc`: "x.cdxj" for "x.warc.gz". An existing index is replaced.
  static Result<CdxjIndex> begin(const std::string& warc);
  Status add(const CdxjEntry& entry);
  // Sorts and writes the index. Takes memory for all lines, some 250 bytes each.
  Status finish();
  // Abandons the index.
  void drop();
  const std::string& path() const { return path_; }

 private:
  CdxjIndex(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string part() const { return path_ + ".part"; }

  std::string path_;
  Fd file_;  // open on part()
  std::uint64_t size_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_CDXJ_H_
