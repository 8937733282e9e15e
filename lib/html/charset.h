// SPDX-License-Identifier: Apache-2.0
// Determines the encoding of a document (HTML 13.2.3.2).
#ifndef SPINNERET_HTML_CHARSET_H_
#define SPINNERET_HTML_CHARSET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "html/encoding.h"

namespace spinneret::html {

struct Charset {
  enum class Source : std::uint8_t { kBom, kHttp, kMeta, kValidUtf8, kGuessed, kFallback };
  const Encoding* encoding = nullptr;
  Source source = Source::kFallback;
  std::size_t bom = 0;  // bytes of the byte order mark

  // Whether this is a guess, which a declaration later in the document overrides.
  bool is_guess() const { return source >= Source::kValidUtf8; }
};

// "bom", "http", "meta", "valid-utf8", "guessed", "fallback".
std::string_view to_string(Charset::Source source);
// "windows-1251 guessed".
std::string describe(const Charset& charset);

// Looks, in this order, at: the byte order mark; `http_label`, the charset parameter of
// Content-Type; a <meta> in the first 1,024 bytes, or else an XML declaration, by the standard's
// prescan; whether the bytes are valid UTF-8; what the letters look like (charset_guess.h). Without
// any of these it is windows-1252.
Charset find_charset(std::string_view document, std::string_view http_label);

// Does the same for XML (XML 1.0, appendix F): byte order mark, HTTP, the XML declaration, UTF-8.
Charset find_xml_charset(std::string_view document, std::string_view http_label);

// Returns the encoding that a <meta> declares, by its charset attribute or by http-equiv and
// content (values decoded), or nullptr if it declares none. UTF-16 means UTF-8 here, as the
// standard says.
const Encoding* declared_encoding(std::string_view charset, std::string_view http_equiv,
                                  std::string_view content);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_CHARSET_H_
