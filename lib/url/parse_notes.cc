// SPDX-License-Identifier: Apache-2.0
#include "url/parse_notes.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "base/utf8.h"
#include "url/host.h"
#include "url/percent.h"

namespace spinneret {
namespace {

constexpr std::string_view kNames[kParseChanges] = {
    "space", "scheme-case", "backslash", "slashes",    "userinfo",     "host-case",    "address",
    "idna",  "host",        "port",      "empty-path", "dot-segments", "drive-letter", "escaped"};

// The ASCII bytes among the URL code points (section 4.3).
constexpr bool is_url_byte(char c) {
  return is_alnum(c) || std::string_view("!$&'()*+,-./:;=?@_~").find(c) != std::string_view::npos;
}

bool is_url_code_point(char32_t c) {
  return c >= 0xA0 && (c & 0xFFFE) != 0xFFFE && !(c >= 0xFDD0 && c <= 0xFDEF);
}

}  // namespace

std::string_view change_name(ParseChange change) { return kNames[change]; }

void ParseNotes::units(std::string_view text, std::size_t offset, char passed) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t length = 1;
    bool valid = is_url_byte(c) || (c == passed && c != '\0') || is_escape(text, at);
    if ((c & 0x80) != 0) {
      char32_t point = 0;
      length = utf8_sequence(text.substr(at), &point);
      valid = length != 0 && is_url_code_point(point);
      length = std::max<std::size_t>(length, 1);
    }
    if (!valid) fault("invalid-URL-unit", offset + at);
    if (faults_.size() == kMaxFaults) return;
    at += length;
  }
}

void ParseNotes::segment(std::string_view text, std::size_t offset, int dots, bool rootless) {
  units(text, offset);
  if (rootless && offset == path_offset_ && text == ".") {
    dot_first_ = true;
  } else {
    change(kChangeDotSegments, dots != 0);
  }
}

void ParseNotes::path_end(std::string_view href, std::size_t path_begin) {
  // A dot segment may have removed what was escaped.
  change(kChangeEscaped, first_escape_ <= href.size());
  change(kChangeDotSegments, dot_first_ && !href.substr(path_begin).starts_with("//"));
}

void ParseNotes::stripped(std::string_view input, std::size_t read) {
  if (read == input.size()) return;
  change(kChangeSpace);
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  const auto first = std::find_if_not(input.begin(), input.end(), is_blank) - input.begin();
  const auto behind = input.rend() - std::find_if_not(input.rbegin(), input.rend(), is_blank);
  for (std::ptrdiff_t at = 0; at < std::ssize(input) && faults_.size() < 2 * kMaxFaults; ++at) {
    const char c = input[static_cast<std::size_t>(at)];
    if (at < first || at >= behind || c == '\t' || c == '\n' || c == '\r')
      faults_.push_back({"invalid-URL-unit", static_cast<std::size_t>(at)});
  }
  const auto earlier = [](const ParseFault& a, const ParseFault& b) { return a.offset < b.offset; };
  std::stable_sort(faults_.begin(), faults_.end(), earlier);
}

void ParseNotes::host(std::string_view text, std::size_t offset, std::string_view host,
                      bool special, int notes) {
  if ((notes & kIpv4EmptyPart) != 0) fault("IPv4-empty-part", offset + text.size() - 1);
  if ((notes & kIpv4NonDecimalPart) != 0) fault("IPv4-non-decimal-part", offset);
  if ((notes & kIpv4OutOfRangePart) != 0) fault("IPv4-out-of-range-part", offset);
  const bool opaque = !special && !text.starts_with('[');
  if (opaque) units(text, offset);
  if (text == host) return;
  const bool case_only = equals_ignore_case(text, host);
  change(kChangeHostCase, case_only);
  // Opaque hosts are not domains: they are escaped.
  change(kChangeEscaped, opaque && !case_only);
  if (case_only || opaque) return;
  if (is_ip_address(host)) return change(kChangeAddress);
  std::string decoded;
  append_percent_decoded(decoded, text);
  const bool non_ascii =
      std::any_of(decoded.begin(), decoded.end(), [](char c) { return (c & 0x80) != 0; });
  change(kChangeIdna, non_ascii);
  change(kChangeHost, !non_ascii || text != decoded);
}

}  // namespace spinneret
