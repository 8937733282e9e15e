// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <algorithm>

#include "base/utf8.h"
#include "report/quantity.h"

namespace spinneret::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kMostLinkBytes = 2000;
constexpr std::size_t kMostShownBytes = 300;

// Whether XML forbids the character, or it changes how its neighbours are read.
bool is_unfit(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return true;
  if ((c >= 0x200E && c <= 0x200F) || (c >= 0x202A && c <= 0x202E)) return true;
  return (c >= 0x2066 && c <= 0x2069) || c == 0x061C || c == 0xFEFF || (c & 0xFFFE) == 0xFFFE;
}

void append_character(std::string& out, std::string_view bytes, char32_t c) {
  switch (c) {
    case '&': out += "&amp;"; return;
    case '<': out += "&lt;"; return;
    case '>': out += "&gt;"; return;
    case '"': out += "&quot;"; return;
    case '\'': out += "&#39;"; return;
    default: out += is_unfit(c) ? kReplacement : bytes;
  }
}

}  // namespace

Html& Html::raw(std::string_view markup) {
  out_ += markup;
  return *this;
}

Html& Html::text(std::string_view bytes, std::size_t most_bytes) {
  const bool cut = bytes.size() > most_bytes;
  for (std::size_t at = 0; at < std::min(bytes.size(), most_bytes);) {
    char32_t c = 0;
    const std::size_t size = utf8_sequence(bytes.substr(at), &c);
    if (size == 0) {
      out_ += kReplacement;
    } else {
      append_character(out_, bytes.substr(at, size), c);
    }
    at += std::max<std::size_t>(size, 1);
  }
  if (cut) out_ += "\u2026";
  return *this;
}

Html& Html::link(std::string_view url) {
  const bool can_follow =
      (url.starts_with("http://") || url.starts_with("https://")) && url.size() <= kMostLinkBytes;
  if (!can_follow) return raw("<span class=\"url\">").text(url, kMostShownBytes).raw("</span>");
  raw("<a class=\"url\" rel=\"noopener noreferrer nofollow\" href=\"").text(url).raw("\">");
  return text(url, kMostShownBytes).raw("</a>");
}

Html& Html::number_cell(std::uint64_t number) {
  return raw("<td class=\"n\" data-value=\"")
      .raw(std::to_string(number))
      .raw("\">")
      .raw(grouped(number))
      .raw("</td>");
}

}  // namespace spinneret::report
