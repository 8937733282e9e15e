// SPDX-License-Identifier: Apache-2.0
#include "feed/warc_record.h"

#include <algorithm>
#include <cstdint>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret::feed {
namespace {

// Splits off the head, which ends with an empty line. Lines may end in LF alone: those of a server
// (RFC 9112, section 2.2), and those of an archive that has passed through an editor.
bool split_head(std::string_view bytes, std::string_view& head, std::string_view& rest) {
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    std::string_view behind = bytes.substr(at + 1);
    if (behind.starts_with('\r')) behind.remove_prefix(1);
    if (!behind.starts_with('\n')) continue;
    head = bytes.substr(0, at + 1);
    rest = behind.substr(1);
    return true;
  }
  return false;
}

// Whether the head is that of an interim answer, which the final one follows (RFC 9110, section
// 15.2). 101 counts as final here.
bool is_interim(std::string_view head) {
  cut(head, ' ');
  head = trim(head);
  return head.starts_with('1') && !head.starts_with("101");
}

// Splits off the head of an HTTP answer.
bool split_answer(std::string_view block, std::string_view& head, std::string_view& rest) {
  do {
    if (!block.starts_with("HTTP/") || !split_head(block, head, rest)) return false;
    block = rest;
  } while (is_interim(head));
  return true;
}

// Cuts the next chunk off `rest` (RFC 9112, section 7.1). Returns false if there is none.
bool next_chunk(std::string_view& rest, std::string_view& chunk) {
  constexpr std::size_t kMaxDigits = 15;  // a size with more digits does not fit
  std::size_t size = 0;
  std::size_t digits = 0;
  for (; digits < rest.size() && is_hex(rest[digits]); ++digits) {
    if (digits == kMaxDigits) return false;
    size = size * 16 + static_cast<std::size_t>(hex_value(rest[digits]));
  }
  const std::size_t end = rest.find('\n', digits);
  if (digits == 0 || end == std::string_view::npos) return false;
  const char behind = rest[digits];
  if (behind != '\r' && behind != '\n' && behind != ';' && behind != ' ') return false;
  if (size > rest.size() - end - 1) return false;
  rest.remove_prefix(end + 1);
  chunk = rest.substr(0, size);
  rest.remove_prefix(size);
  if (size != 0) cut(rest, '\n');
  return true;
}

// Returns `body` without its chunked transfer coding: a view of it if it is one chunk (as fetch
// writes it), otherwise of `joined`. Some archives keep the field but not the coding: a body that
// does not begin with a complete chunk is returned as it is. `cut` says that there is no last
// chunk; what is there of a chunk that is cut off belongs to the body.
std::string_view unchunked(std::string_view body, std::string& joined, bool& cut) {
  std::string_view first;
  std::string_view chunk;
  std::string_view rest = body;
  while (next_chunk(rest, chunk)) {
    if (chunk.empty()) return joined.empty() ? first : std::string_view(joined);
    if (first.empty()) {
      first = chunk;
      continue;
    }
    if (joined.empty()) joined = first;
    joined += chunk;
  }
  const bool is_coded =
      !first.empty() && std::string_view(first.end(), body.end()).starts_with("\r\n");
  if (!is_coded) {
    joined.clear();
    return body;
  }
  cut = true;
  if (joined.empty()) joined = first;
  spinneret::cut(rest, '\n');
  joined += rest;
  return joined;
}

// Cuts off the first line, and the lines behind it that begin with a blank: these continue its
// field, as they did for the client that fetched the page (RFC 9112, section 5.2).
std::string_view cut_field(std::string_view& head) {
  std::size_t end = head.find('\n');
  while (end != head.npos && end + 1 < head.size() &&
         (head[end + 1] == ' ' || head[end + 1] == '\t'))
    end = head.find('\n', end + 1);
  const std::string_view field = head.substr(0, end);
  head.remove_prefix(end == head.npos ? head.size() : end + 1);
  return field;
}

// Calls `use(name, value)` for each field of a head, after its first line.
template <typename Use>
void for_each_field(std::string_view head, Use use) {
  cut(head, '\n');
  while (!head.empty()) {
    std::string_view field = cut_field(head);
    const std::string_view name = trim(cut(field, ':'));
    use(name, trim(field));
  }
}

struct Head {
  std::string_view type;
  std::string_view target;
  std::string_view content_type;
  std::string_view ip;
  std::string_view payload_digest;
  std::optional<std::uint64_t> length;
  bool truncated = false;
  bool segmented = false;
  std::string_view rest;
};

bool parse_head(std::string_view bytes, Head& out) {
  std::string_view head;
  if (!bytes.starts_with("WARC/") || !split_head(bytes, head, out.rest)) return false;
  for_each_field(head, [&](std::string_view name, std::string_view value) {
    if (equals_ignore_case(name, "WARC-Type")) out.type = value;
    if (equals_ignore_case(name, "WARC-Target-URI")) out.target = value;
    if (equals_ignore_case(name, "WARC-IP-Address")) out.ip = value;
    if (equals_ignore_case(name, "WARC-Payload-Digest")) out.payload_digest = value;
    if (equals_ignore_case(name, "Content-Type")) out.content_type = value;
    if (equals_ignore_case(name, "Content-Length")) out.length = parse_unsigned(value);
    if (equals_ignore_case(name, "WARC-Truncated")) out.truncated = true;
    if (equals_ignore_case(name, "WARC-Segment-Number")) out.segmented = true;
  });
  if (out.target.starts_with('<') && out.target.ends_with('>'))
    out.target = out.target.substr(1, out.target.size() - 2);
  return out.length.has_value();
}

}  // namespace

std::optional<std::size_t> warc_record_size(std::string_view bytes) {
  Head head;
  if (!parse_head(bytes, head)) return std::nullopt;
  const std::size_t before = bytes.size() - head.rest.size();
  // A sum that wraps round would lead back, so that a walk from record to record would never end.
  if (*head.length > SIZE_MAX - before) return std::nullopt;
  return before + *head.length;
}

bool parse_warc_record(std::string_view bytes, WarcRecord& record) {
  Head head;
  if (!parse_head(bytes, head)) return false;
  record.type = head.type;
  record.target = head.target;
  record.block = head.rest.substr(0, *head.length);
  record.complete = record.block.size() == *head.length;
  record.content_type = head.content_type;
  record.ip = head.ip;
  record.payload_digest = head.payload_digest;
  record.truncated = head.truncated;
  record.segmented = head.segmented;
  record.cut = false;
  record.http_head = record.payload = {};
  record.content_encoding.clear();
  record.joined.clear();
  // A resource is the page itself, whatever its text begins with.
  const bool is_answer =
      record.type != "resource" || starts_with_ignore_case(record.content_type, "application/http");
  if (!is_answer || !split_answer(record.block, record.http_head, record.payload)) {
    record.http_head = record.payload = {};
    return true;
  }
  bool chunked = false;
  std::optional<std::uint64_t> length;
  for_each_field(record.http_head, [&](std::string_view name, std::string_view value) {
    if (equals_ignore_case(name, "Content-Length")) length = parse_unsigned(value);
    if (equals_ignore_case(name, "Transfer-Encoding")) chunked = true;
    if (!equals_ignore_case(name, "Content-Encoding")) return;
    if (!record.content_encoding.empty()) record.content_encoding += ", ";
    record.content_encoding += value;
  });
  if (chunked) {
    record.payload = unchunked(record.payload, record.joined, record.cut);
  } else if (record.content_encoding.empty() && record.complete && !record.payload.empty()) {
    // An answer to HEAD has no payload at all, and some archives keep the length of a coding that
    // they have undone.
    record.cut = length && *length > record.payload.size();
  }
  return true;
}

}  // namespace spinneret::feed
