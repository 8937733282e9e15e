// SPDX-License-Identifier: Apache-2.0
#include "feed/warc_record.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret::feed {
namespace {

// The head that ends with an empty line, and what is behind it.
bool split_head(std::string_view bytes, std::string_view& head, std::string_view& rest) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return false;
  head = bytes.substr(0, end + 2);
  rest = bytes.substr(end + 4);
  return true;
}

// Calls `use(name, value)` for each field of a head, after its first line.
template <typename Use>
void for_each_field(std::string_view head, Use use) {
  cut(head, '\n');
  while (!head.empty()) {
    std::string_view line = cut(head, '\n');
    const std::string_view name = trim(cut(line, ':'));
    use(name, trim(line));
  }
}

struct Head {
  std::string_view type;
  std::optional<std::uint64_t> length;
  std::string_view rest;
};

bool parse_head(std::string_view bytes, Head& out) {
  std::string_view head;
  if (!bytes.starts_with("WARC/") || !split_head(bytes, head, out.rest)) return false;
  for_each_field(head, [&](std::string_view name, std::string_view value) {
    if (equals_ignore_case(name, "WARC-Type")) out.type = value;
    if (equals_ignore_case(name, "Content-Length")) out.length = parse_unsigned(value);
  });
  return out.length.has_value();
}

}  // namespace

std::optional<std::size_t> warc_record_size(std::string_view bytes) {
  Head head;
  if (!parse_head(bytes, head)) return std::nullopt;
  return bytes.size() - head.rest.size() + *head.length;
}

bool parse_warc_record(std::string_view bytes, WarcRecord& record) {
  Head head;
  if (!parse_head(bytes, head)) return false;
  record.type = head.type;
  record.block = head.rest.substr(0, *head.length);
  record.complete = record.block.size() == *head.length;
  record.payload = {};
  record.content_encoding.clear();
  std::string_view http;
  if (!record.block.starts_with("HTTP/") || !split_head(record.block, http, record.payload))
    return true;
  for_each_field(http, [&](std::string_view name, std::string_view value) {
    if (!equals_ignore_case(name, "Content-Encoding")) return;
    if (!record.content_encoding.empty()) record.content_encoding += ", ";
    record.content_encoding += value;
  });
  return true;
}

}  // namespace spinneret::feed
