// SPDX-License-Identifier: Apache-2.0
// Values of header fields, read by the code that uses them: Link, X-Robots-Tag, Retry-After,
// Cache-Control and Expires, Content-Type, dates. Beyond "no crash":
//   - links, written again, are the same links;
//   - page directives add up: none takes a refusal back, and repeating all of them changes nothing;
//   - waits and expiries stay within their bounds; max-age, no-cache and their kin ignore case;
//   - a date, written in today's form, is the same date to both readers of dates.
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "html/link_header.h"
#include "http/header_block.h"
#include "http/http_date.h"
#include "http/response_head.h"
#include "robots/page_directives.h"

namespace {

using namespace spinneret;

constexpr std::int64_t kNow = 1'795'132'800;
constexpr std::int64_t kYear = 366 * 86'400;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string quoted_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

// Writes the links as a server would, which shows all that is known of them.
std::string links_of(std::string_view value) {
  std::string out;
  html::HeaderLink link;
  for (std::string_view rest = value; html::next_header_link(rest, link);) {
    out += "<" + std::string(link.target) + ">; rel=" + quoted_string(link.rel) +
           ";type=" + quoted_string(link.type) + "; hreflang = " + quoted_string(link.hreflang);
    if (link.has_anchor) out += "; anchor=\"#\"";
    out += ", ";
  }
  return out;
}

void check_directives(std::string_view first, std::string_view second) {
  robots::PageDirectives page("foo");
  page.add_header(first);
  const std::uint16_t some = page.refusals();
  const auto snippet = page.max_snippet();
  page.add_header(second);
  page.add_meta("robots", second);
  const std::uint16_t all = page.refusals();
  require((some & ~all) == 0);
  require(!snippet || (page.max_snippet() && *page.max_snippet() <= *snippet));
  page.add_header(first);
  page.add_meta("robots", second);
  require(page.refusals() == all);
  require(page.noindex(kNow) || !page.noindex());
  page.add_http_header("TDM-Reservation", first);
  page.add_http_header("TDM-Policy", second);
}

http::HeaderBlock head_of(std::string_view first, std::string_view second) {
  http::HeaderBlock head;
  head.add_line("HTTP/1.1 503 \r\n");
  for (const auto& [name, value] :
       {std::pair("Cache-Control: ", first), std::pair("Retry-After: ", first),
        std::pair("Expires: ", second), std::pair("Date: ", first), std::pair("Age: ", second),
        std::pair("Content-Type: ", second)}) {
    head.add_line(name + std::string(value.substr(0, value.find('\n'))) + "\r\n");
  }
  head.add_line("\r\n");
  head.parse();
  return head;
}

void check_head(std::string_view first, std::string_view second) {
  const http::HeaderBlock head = head_of(first, second);
  const auto wait = http::retry_after(head, kNow);
  require(!wait || (*wait >= 0 && *wait <= http::kMaxRetryAfter));
  const auto until = http::fresh_until(head, kNow);
  require(!until || *until <= kNow + kYear);
  require(http::fresh_until(head_of(to_lower_copy(first), second), kNow) == until);
  for (const http::HeaderBlock::Field& field : head.fields()) {
    const std::string clean = http::clean_field_value(field.value);
    for (const char c : clean) require(!is_control(c));
    require(http::clean_field_value(clean) == clean);
  }
  const http::MediaType media = http::parse_media_type(second);
  require(media.type == to_lower_copy(media.type) && media.charset == to_lower_copy(media.charset));
  require(http::parse_media_type(media.type).type == media.type);
  http::Framing framing;
  std::string why;
  require(http::parse_framing(head, framing, why) || !why.empty());
}

void check_date(std::string_view text) {
  const auto date = http::parse_http_date(text, kNow);
  robots::parse_loose_date(text);
  if (!date) return;
  const std::time_t seconds = *date;
  std::tm parts = {};
  char written[64];
  require(gmtime_r(&seconds, &parts) != nullptr);
  require(std::strftime(written, sizeof written, "%a, %d %b %Y %H:%M:%S GMT", &parts) != 0);
  // This form can express only years of four digits.
  if (parts.tm_year + 1900 < 1000 || parts.tm_year + 1900 > 9999) return;
  require(http::parse_http_date(written, kNow) == date);
  require(robots::parse_loose_date(written) == date);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string_view second = input;
  const std::string_view first = cut(second, '\n');
  const std::string links = links_of(input);
  require(links_of(links) == links);
  check_directives(first, second);
  check_head(first, second);
  check_date(first);
  return 0;
}
