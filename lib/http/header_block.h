// SPDX-License-Identifier: Apache-2.0
// Parses a response's status line and header fields as they came (RFC 9112 sections 4 and 5).
//
// libcurl 7.88 accepts much that is not HTTP. So the parts that go into a record are parsed again
// here: strictly where two readers might disagree (status, Content-Length, Transfer-Encoding),
// leniently where only a field's text is at stake.
#ifndef SPINNERET_HTTP_HEADER_BLOCK_H_
#define SPINNERET_HTTP_HEADER_BLOCK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::http {

struct StatusLine {
  int version = 0;  // 10, 11, 20, 30
  int status = 0;   // 100 to 999
  friend bool operator==(const StatusLine&, const StatusLine&) = default;
};

// Parses "HTTP/1.1 200 OK" or "HTTP/2 204 ", with or without a line end. Returns nothing for
// anything else.
std::optional<StatusLine> parse_status_line(std::string_view line);

// Returns whether a field may have this name (RFC 9110 section 5.6.2).
bool is_token(std::string_view text);

// Makes `value` fit for a record: trims white space, turns each control (also in an obsolete line
// fold) into a space, and removes bidi controls (clean_words, base/excerpt.h).
std::string clean_field_value(std::string_view value);
// Returns whether clean_field_value() would certainly change nothing, as for almost all values.
bool is_clean_field_value(std::string_view value);

class HeaderBlock {
 public:
  struct Field {
    std::string_view name;   // as it came
    std::string_view value;  // trimmed; may contain a line fold: see clean_field_value
    bool folded = false;     // spans several lines, or its first line begins with white space
  };

  void clear();
  // Adds one line as it came, with its line end. A line that begins with white space belongs to the
  // field before it.
  void add_line(std::string_view line);
  // All lines as they came.
  const std::string& raw() const { return raw_; }

  // Parses raw(). Views live until the next add_line or clear. Lines without a colon, and names
  // that are not tokens, are left out.
  void parse();
  const std::vector<Field>& fields() const { return fields_; }
  // Returns the first field of that name, compared without ASCII case, or nothing.
  std::optional<std::string_view> get(std::string_view name) const;
  // Returns the values of all fields of that name, joined by ", " (RFC 9110 section 5.3); empty
  // where there is none.
  std::string joined(std::string_view name) const;

 private:
  std::string raw_;
  std::vector<Field> fields_;
};

// The framing of the body, as the fields announce it (RFC 9112 section 6.3).
struct Framing {
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
};

// Returns false, with the reason in `why`, where the fields contradict themselves or each other:
//
// - a Content-Length that is not just digits ("5abc", "+5", "0x5", "5, 6"), or several that differ,
// - a Transfer-Encoding other than chunked (no other was asked for), or two of them,
// - in either field white space before the name or the colon, or a line fold.
bool parse_framing(const HeaderBlock& head, Framing& out, std::string& why);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_HEADER_BLOCK_H_
