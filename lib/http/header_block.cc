// SPDX-License-Identifier: Apache-2.0
#include "http/header_block.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"

namespace spinneret::http {
namespace {

// RFC 9110 section 5.6.2
constexpr std::array<bool, 256> kTokenChars = [] {
  std::array<bool, 256> out{};
  for (int c = 0; c < 256; ++c) out[static_cast<std::size_t>(c)] = is_alnum(static_cast<char>(c));
  for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
    out[static_cast<unsigned char>(c)] = true;
  return out;
}();
constexpr bool is_token_char(char c) { return kTokenChars[static_cast<unsigned char>(c)]; }

std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Returns the end of the field that starts at `from`: behind the last line that continues it.
std::size_t field_end(std::string_view text, std::size_t from) {
  while (true) {
    const std::size_t newline = text.find('\n', from);
    if (newline == std::string_view::npos) return text.size();
    from = newline + 1;
    if (from >= text.size() || (text[from] != ' ' && text[from] != '\t')) return from;
  }
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

std::optional<StatusLine> parse_status_line(std::string_view line) {
  line = without_line_end(line);
  StatusLine out;
  if (line.starts_with("HTTP/1.") && line.size() > 8 && is_digit(line[7])) {
    out.version = line[7] == '0' ? 10 : 11;
    line.remove_prefix(8);
  } else if (line.starts_with("HTTP/2") || line.starts_with("HTTP/3")) {
    out.version = line[5] == '2' ? 20 : 30;
    line.remove_prefix(6);
    if (line.starts_with(".0")) line.remove_prefix(2);
  } else {
    return std::nullopt;
  }
  // The standard wants one space; some servers send more.
  if (!line.starts_with(' ')) return std::nullopt;
  while (line.starts_with(' ')) line.remove_prefix(1);
  if (line.size() < 3 || (line.size() > 3 && line[3] != ' ')) return std::nullopt;
  for (const char c : line.substr(0, 3)) {
    if (!is_digit(c)) return std::nullopt;
    out.status = out.status * 10 + (c - '0');
  }
  if (out.status < 100) return std::nullopt;
  return out;
}

bool is_clean_field_value(std::string_view value) {
  return std::none_of(value.begin(), value.end(),
                      [](char c) { return is_control(c) || (c & 0x80) != 0; }) &&
         trim(value).size() == value.size();
}

std::string clean_field_value(std::string_view value) {
  std::string out;
  value = trim(value);
  if (is_clean_field_value(value)) return std::string(value);
  out.reserve(value.size());
  for (const char c : value) {
    if (!is_control(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  clean_words(out);
  return std::string(trim(out));
}

void HeaderBlock::clear() {
  raw_.clear();
  fields_.clear();
}

void HeaderBlock::add_line(std::string_view line) { raw_ += line; }

void HeaderBlock::parse() {
  fields_.clear();
  const std::string_view text = raw_;
  std::size_t at = text.find('\n');  // behind the status line
  at = at == std::string_view::npos ? text.size() : at + 1;
  while (at < text.size()) {
    const std::size_t end = field_end(text, at);
    const std::string_view line = text.substr(at, end - at);
    at = end;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    // White space before the colon is wrong (RFC 9112 section 5.1), but other readers cut it off.
    const std::string_view name = trim(line.substr(0, colon));
    const bool folded = line.find('\n') < line.size() - 1 || is_space(line.front());
    if (is_token(name)) fields_.push_back({name, trim(line.substr(colon + 1)), folded});
  }
}

std::optional<std::string_view> HeaderBlock::get(std::string_view name) const {
  for (const Field& field : fields_) {
    if (equals_ignore_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::string HeaderBlock::joined(std::string_view name) const {
  std::string out;
  bool first = true;
  for (const Field& field : fields_) {
    if (!equals_ignore_case(field.name, name)) continue;
    if (!first) out += ", ";
    first = false;
    out += field.value;
  }
  return out;
}

namespace {

// Only one field, with chunked, is accepted: no other coding was asked for.
bool take_transfer_coding(std::string_view value, Framing& out, std::string& why) {
  const bool good = !out.chunked && equals_ignore_case(value, "chunked");
  if (!good) {
    why = out.chunked ? "two Transfer-Encoding fields"
                      : "transfer coding that was not asked for: " + excerpt(value, 60);
  }
  out.chunked = true;
  return good;
}

// Takes a Content-Length field: digits only, or a list of the same digits (RFC 9110 section 8.6).
bool take_content_length(std::string_view value, Framing& out, std::string& why) {
  bool more = true;
  for (std::string_view rest = value; more;) {
    more = rest.find(',') != std::string_view::npos;
    const std::optional<std::uint64_t> length = parse_unsigned(trim(cut(rest, ',')));
    if (!length || *length > INT64_MAX) {
      why = "Content-Length is not a number: " + excerpt(value, 60);
      return false;
    }
    if (out.content_length && *out.content_length != *length) {
      why = "two Content-Length values that differ: " + std::to_string(*out.content_length) +
            " and " + std::to_string(*length);
      return false;
    }
    out.content_length = length;
  }
  return true;
}

}  // namespace

bool parse_framing(const HeaderBlock& head, Framing& out, std::string& why) {
  out = Framing();
  for (const HeaderBlock::Field& field : head.fields()) {
    const bool coding = equals_ignore_case(field.name, "transfer-encoding");
    if (!coding && !equals_ignore_case(field.name, "content-length")) continue;
    // libcurl does not take this for a field, but other readers do: they see another end of the
    // message (RFC 9112 section 5.1).
    if (*(field.name.data() + field.name.size()) != ':') {
      why = "white space between " + std::string(field.name) + " and its colon";
      return false;
    }
    // libcurl reads single lines, other readers the unfolded field. The same holds for white space
    // before a name.
    if (field.folded) {
      why = std::string(field.name) + " is folded, or not at the start of its line";
      return false;
    }
    if (coding ? !take_transfer_coding(field.value, out, why)
               : !take_content_length(field.value, out, why)) {
      return false;
    }
  }
  // RFC 9112 section 6.3: the transfer coding overrides the length.
  if (out.chunked) out.content_length.reset();
  return true;
}

}  // namespace spinneret::http
