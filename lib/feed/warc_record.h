// SPDX-License-Identifier: Apache-2.0
// One record of a WARC file (ISO 28500, WARC 1.1), decompressed, taken apart as far as a reader of pages
// needs it. Views are into the bytes given, but that of a payload in several chunks: it is of the record.
#ifndef SPINNERET_FEED_WARC_RECORD_H_
#define SPINNERET_FEED_WARC_RECORD_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spinneret::feed {

struct WarcRecord {
  std::string_view type;          // "response", "revisit", "request", ...
  std::string_view block;         // of Content-Length bytes, or what there is of them
  bool complete = false;          // whether all of the block was there
  std::string_view target;        // WARC-Target-URI, without the <> of WARC 1.0
  std::string_view content_type;  // of the block, as it came
  std::string_view ip;            // WARC-IP-Address, as it came
  // Of an HTTP response in the block:
  std::string_view http_head;    // its lines, without the empty one; empty: the block is none
  std::string_view payload;      // behind that, in its content coding, without its transfer coding
  std::string content_encoding;  // the header's value, several joined by ", "
  std::string joined;            // what `payload` views, where it came in several chunks
};

// How many bytes the record needs from its start; nullopt: its head is not all there, or is none.
std::optional<std::size_t> warc_record_size(std::string_view bytes);

// False: `bytes` do not begin with a WARC record.
bool parse_warc_record(std::string_view bytes, WarcRecord& record);

}  // namespace spinneret::feed

#endif  // SPINNERET_FEED_WARC_RECORD_H_
