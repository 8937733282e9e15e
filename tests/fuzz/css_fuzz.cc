// SPDX-License-Identifier: Apache-2.0
// Style sheets, JSON and script strings, plain text, srcset, refresh, Link headers, encodings: nothing is read
// past the end, everything ends, and what decodes is valid UTF-8.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "html/charset.h"
#include "html/css.h"
#include "html/encoding_table.h"
#include "html/guess.h"
#include "html/link_header.h"
#include "html/srcset.h"

using namespace spinneret;
using namespace spinneret::html;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string text;
  std::string key;
  CssUrls urls(input);
  CssUrls::Kind kind = CssUrls::Kind::kUrl;
  while (urls.next(text, kind)) {
    if (urls.offset() > input.size()) std::abort();
  }
  for (const auto language : {QuotedStrings::Language::kJson, QuotedStrings::Language::kScript}) {
    QuotedStrings strings(input, language);
    while (strings.next(text, key)) looks_like_url(text);
  }
  std::string_view url;
  std::string_view descriptor;
  for (std::string_view rest = input; next_text_url(rest, url);) {
    if (url.data() < input.data() || url.data() + url.size() > input.data() + input.size()) std::abort();
  }
  for (std::string_view rest = input; next_srcset_candidate(rest, url, descriptor);) {
  }
  parse_refresh(input, url);
  HeaderLink link;
  for (std::string_view rest = input; next_header_link(rest, link);) {
  }
  find_charset(input, "");
  const Encoding* const encoding = find_encoding(kEncodingLabels[data[0] % kEncodingLabelCount].label);
  text.clear();
  encoding->append_utf8(input, text);
  if (!encoding->is_utf8() && !is_valid_utf8(text)) std::abort();
  if (is_valid_utf8(text)) {
    key.clear();
    encoding->encode(text, key);
  }
  return 0;
}
