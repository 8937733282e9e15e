// SPDX-License-Identifier: Apache-2.0
// Parses one decompressed record of a WARC file (ISO 28500, WARC 1.1), as far as a reader of pages
// needs it. Views are into the given bytes, except that a payload of several chunks belongs to the
// record.
#ifndef SPINNERET_FEED_WARC_RECORD_H_
#define SPINNERET_FEED_WARC_RECORD_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spinneret::feed {

struct WarcRecord {
  std::string_view type;            // "response", "revisit", "request", ...
  std::string_view block;           // Content-Length bytes, or as many as there are
  bool complete = false;            // the whole block was there
  bool truncated = false;           // WARC-Truncated: only a part was archived
  bool segmented = false;           // WARC-Segment-Number: the block continues in other records
  std::string_view target;          // WARC-Target-URI, without the <> of WARC 1.0
  std::string_view content_type;    // of the block, as written
  std::string_view ip;              // WARC-IP-Address, as written
  std::string_view payload_digest;  // WARC-Payload-Digest, as written
  // If the block is an HTTP response, perhaps behind interim ones (1xx):
  std::string_view http_head;  // its lines, without the empty one; empty: no response
  std::string_view payload;    // the bytes behind it: transfer coding undone, content coding kept
  // The transfer coding ends early, or Content-Length says more: `payload` has what is there.
  bool cut = false;
  std::string content_encoding;  // the header's value; several are joined by ", "
  std::string joined;            // the bytes of `payload` if it came in several chunks
};

// Returns the number of bytes that the record takes from its start; nullopt if its head is
// incomplete or invalid.
std::optional<std::size_t> warc_record_size(std::string_view bytes);

// Returns false if `bytes` do not begin with a WARC record.
bool parse_warc_record(std::string_view bytes, WarcRecord& record);

}  // namespace spinneret::feed

#endif  // SPINNERET_FEED_WARC_RECORD_H_
