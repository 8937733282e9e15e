// SPDX-License-Identifier: Apache-2.0
// Finds the body of a record (spinneret-record(7)), which may be in one of four places: inline, in
// a file, in a WARC file, nowhere.
#ifndef SPINNERET_BODY_READER_H_
#define SPINNERET_BODY_READER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/record.h"

namespace spinneret::body {

// Decompresses `bytes` if they begin as gzip does (a sitemap.xml.gz). Replaces `out`. Returns false
// if they are broken, or larger than `max_bytes`; `out` then holds what could be read.
bool gunzip(std::string_view bytes, std::uint64_t max_bytes, std::string& out);
inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

class BodyReader {
 public:
  // A larger body, or compressed page, is an error.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

  // Returns the body, or an empty view if there is none. The view lives until the next call, or as
  // long as the record's. An Error means that the body cannot be read, that its length is not
  // `size` (the record was torn in its pipe), or that a body in a file does not have its `digest`.
  Result<std::string_view> read(Record& record);

  // Whether the last record has its body in one of these places, or says that its size is 0: an
  // empty body is a page without content, wherever bodies are kept. A body is missing if it was
  // read and then removed, or never kept.
  bool is_there() const { return is_there_; }

 private:
  Result<std::string_view> find(Record& record);
  std::string_view unescaped(std::string_view raw);
  Result<std::string_view> from_file(const std::string& path);
  Result<std::string_view> from_pack(const std::string& path, const Record& record);
  Result<std::string_view> from_archive(Record& record, std::string_view file,
                                        std::string_view place);
  Result<std::string_view> from_warc(const std::string& path, std::uint64_t offset);

  std::string bytes_;
  std::string record_;       // the decompressed record of a WARC file
  bool is_revisit_ = false;  // that record is a revisit: its body is in another one
  bool is_there_ = false;
};

}  // namespace spinneret::body

#endif  // SPINNERET_BODY_READER_H_
