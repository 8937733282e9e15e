// SPDX-License-Identifier: Apache-2.0
// CDXJ, the index of a WARC file that replay tools look pages up in: a line for each response and revisit, sorted by
// byte, "KEY TIMESTAMP JSON" (https://specs.webrecorder.net/cdxj/0.1.0/).
//
//   com,example)/a?b=1 20231114221320 {"url":"http://example.com/A?b=1","mime":"text/html",...}
//
// Lines are appended to NAME.cdxj.part as records are written and sorted into NAME.cdxj by finish(). After a kill the
// part is there, and `LC_ALL=C sort` makes the index of it.
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
  std::string_view mime;  // "text/html"; "warc/revisit" of a revisit; empty: none
  int status = 0;
  std::string_view digest;  // "sha1:..."; empty: none
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // of the record, packed if its file is
  std::string_view filename;
};

// The key of a URL as the Internet Archive makes it: lower case, no scheme, no "www.", labels (also those of an IPv4
// address) reversed, a port that is not the scheme's, parameters sorted. A URL that is none is its own key.
std::string cdxj_key(std::string_view url);

// "x.cdxj" of "x.warc.gz".
std::string cdxj_path(std::string_view warc);

// With its LF.
std::string cdxj_line(const CdxjEntry& entry);

class CdxjIndex {
 public:
  // Begins the index of the file `warc`: "x.cdxj" beside "x.warc.gz". An index that is there is replaced.
  static Result<CdxjIndex> begin(const std::string& warc);
  Status add(const CdxjEntry& entry);
  // Takes memory for all lines, some 250 bytes each.
  Status finish();
  // Forgets what was begun.
  void drop();
  const std::string& path() const { return path_; }

 private:
  CdxjIndex(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string part() const { return path_ + ".part"; }

  std::string path_;
  Fd file_;  // of part()
  std::uint64_t size_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_CDXJ_H_
