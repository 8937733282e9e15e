// SPDX-License-Identifier: Apache-2.0
// The body of a record (spinneret-record(7)), in whichever of the four places it is: inline, a file, a WARC file, nowhere.
#ifndef SPINNERET_BODY_READER_H_
#define SPINNERET_BODY_READER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/record.h"

namespace spinneret::body {

// Undoes gzip where `bytes` begin as such (a sitemap.xml.gz). Replaces `out`; false where it is broken, or
// larger than `max_bytes`: `out` then holds what could be read.
bool gunzip(std::string_view bytes, std::uint64_t max_bytes, std::string& out);
inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

class BodyReader {
 public:
  // A body, a page or a compressed one, beyond this is an error.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

  // The view lives until the next call, or as long as the record's. Empty where there is no body. An Error
  // where it cannot be read, has not the length that `size` says (the record was torn in its pipe), or comes
  // from a file and has not its `digest`.
  Result<std::string_view> read(Record& record);

  // Whether the last record read has its body in one of the four places, or says that it is of size 0: an empty body is
  // a page without content, wherever bodies are; no body is one that has been read already, or was never kept.
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
  std::string record_;       // of a WARC file
  bool is_revisit_ = false;  // whether that one holds no body, for another does
  bool is_there_ = false;
};

}  // namespace spinneret::body

#endif  // SPINNERET_BODY_READER_H_
