// SPDX-License-Identifier: Apache-2.0
// A response's status line and header fields, as they came, taken apart (RFC 9112 sections 4 and 5).
//
// libcurl 7.88 lets much pass that is not HTTP; what a record is made of is therefore read here again,
// strictly where two readings could differ (status, Content-Length, Transfer-Encoding), leniently where
// only the text of a field is at stake.
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

// "HTTP/1.1 200 OK", "HTTP/2 204 ", with or without line end. Nothing where it is anything else.
std::optional<StatusLine> parse_status_line(std::string_view line);

// RFC 9110 section 5.6.2: what a field's name may be.
bool is_token(std::string_view text);

// `value` with white space trimmed and each control (also those of an obsolete line fold) turned into a
// space, without bidi controls (clean_words, base/excerpt.h): what may go into a record.
std::string clean_field_value(std::string_view value);
// Whether nothing would be done to it, as with almost all. May be false where there is nothing, too.
bool is_clean_field_value(std::string_view value);

class HeaderBlock {
 public:
  struct Field {
    std::string_view name;   // as it came
    std::string_view value;  // trimmed; may hold a line fold: see clean_field_value
    bool folded = false;     // on several lines, or begun with white space
  };

  void clear();
  // One line as it came, with its line end. A line that begins with white space belongs to the field
  // before it.
  void add_line(std::string_view line);
  // Everything as it came, and its size.
  const std::string& raw() const { return raw_; }

  // Takes raw() apart; views live until the next add_line or clear. Lines without a colon and names that
  // are no token are left out.
  void parse();
  const std::vector<Field>& fields() const { return fields_; }
  // First field of that name (ASCII case aside), or nothing.
  std::optional<std::string_view> get(std::string_view name) const;
  // Values of all fields of that name, joined by ", " (RFC 9110 section 5.3); empty where there is none.
  std::string joined(std::string_view name) const;

 private:
  std::string raw_;
  std::vector<Field> fields_;
};

// The framing that the fields announce (RFC 9112 section 6.3).
struct Framing {
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
};

// False with `why` set where the fields contradict each other or themselves: a Content-Length that is
// not digits only ("5abc", "+5", "0x5", "5, 6"), several that differ, a Transfer-Encoding other than
// chunked (no other was asked for), two of them, white space before the name or the colon of either, a line
// fold in either.
bool parse_framing(const HeaderBlock& head, Framing& out, std::string& why);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_HEADER_BLOCK_H_
