// SPDX-License-Identifier: Apache-2.0
// Parses one decompressed record of a WARC file (ISO 28500, WARC 1.1), as far as a reader of pages needs it. Views
// are into the bytes given, except that a payload of several chunks belongs to the record.
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
  bool truncated = false;           // WARC-Truncated: what was archived is not all that came
  bool segmented = false;           // WARC-Segment-Number: its block goes on in other records
  std::string_view target;          // WARC-Target-URI, without the <> of WARC 1.0
  std::string_view content_type;    // of the block, as it came
  std::string_view ip;              // WARC-IP-Address, as it came
  std::string_view payload_digest;  // WARC-Payload-Digest, as it came
  // If the block is an HTTP response, behind interim ones (1xx):
  std::string_view http_head;  // its lines, without the empty one; empty: it is none
  std::string_view payload;    // what follows, with transfer coding undone and content coding left
  // The transfer coding ends early, or the length of the head says more: `payload` goes as far as it does.
  bool cut = false;
  std::string content_encoding;  // the header's value, several joined by ", "
  std::string joined;            // what `payload` views if it came in several chunks
};

// How many bytes the record takes from its start; nullopt: its head is incomplete or invalid.
std::optional<std::size_t> warc_record_size(std::string_view bytes);

// Returns false where `bytes` do not begin with a WARC record.
bool parse_warc_record(std::string_view bytes, WarcRecord& record);

}  // namespace spinneret::feed

#endif  // SPINNERET_FEED_WARC_RECORD_H_
