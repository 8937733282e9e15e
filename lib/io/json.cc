// SPDX-License-Identifier: Apache-2.0
#include "io/json.h"

#include <algorithm>
#include <iterator>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "io/record.h"

namespace spinneret {
namespace {

// The fields that spinneret-record(7) defines as numbers.
constexpr std::string_view kNumeric[] = {"crawl-delay", "depth",  "expires", "lastmod-ms",
                                         "offset",      "line",   "priority", "retry-after",
                                         "robots-line", "size",   "status",  "time-ms",
                                         "warc-offset", "similarity"};

bool is_numeric_field(std::string_view key) {
  return std::find(std::begin(kNumeric), std::end(kNumeric), key) != std::end(kNumeric);
}

// The grammar of RFC 8259, section 6, less the exponent, and short enough to be exact.
bool is_json_number(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  if (text.empty() || text.size() > 15) return false;
  const std::string_view whole = cut(text, '.');
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return false;
  return std::all_of(whole.begin(), whole.end(), is_digit) &&
         std::all_of(text.begin(), text.end(), is_digit);
}

void append_unicode_escape(std::string& out, char32_t c) {
  if (c > 0xFFFF) {
    append_unicode_escape(out, 0xD800 + ((c - 0x10000) >> 10));
    append_unicode_escape(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
    return;
  }
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHexLower[(c >> shift) & 15];
}

// Legal raw in JSON, but not fit for a terminal.
bool needs_escape(char32_t c) {
  return (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void append_json_ascii(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (is_control(c)) {
    append_unicode_escape(out, static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

void append_value(std::string& out, std::string_view key, std::string_view raw,
                  std::string& scratch) {
  if (is_numeric_field(key) && is_json_number(raw)) {
    out += raw;
    return;
  }
  scratch.clear();
  append_unescaped(scratch, raw);
  append_json_string(out, scratch);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    char32_t c = 0;
    const std::size_t length = utf8_sequence(text, &c);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (length == 1) {
      append_json_ascii(out, text.front());
    } else if (needs_escape(c)) {
      append_unicode_escape(out, c);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

void append_json(std::string& out, const Record& record) {
  out += "{\"url\":";
  append_json_string(out, record.url());
  const auto& fields = record.fields();
  std::string scratch;
  const auto same_key = [](const Record::Field& a) {
    return [key = a.key](const Record::Field& b) { return b.key == key; };
  };
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    const auto same = same_key(*field);
    if (std::any_of(fields.begin(), field, same)) continue;  // printed with the first of its key
    out += ',';
    append_json_string(out, field->key.empty() ? std::string_view("columns") : field->key);
    out += ':';
    const bool many = field->key.empty() || std::any_of(field + 1, fields.end(), same);
    if (many) out += '[';
    for (auto value = field; value != fields.end(); ++value) {
      if (!same(*value)) continue;
      if (value != field) out += ',';
      append_value(out, value->key, value->raw, scratch);
    }
    if (many) out += ']';
  }
  out += '}';
}

}  // namespace spinneret
