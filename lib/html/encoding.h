// SPDX-License-Identifier: Apache-2.0
// Character encodings by the WHATWG Encoding Standard (https://encoding.spec.whatwg.org/): labels,
// decoders, and the encoders for the queries of a document's links.
//
//   const Encoding* sjis = find_encoding("x-sjis");
//   std::string text;
//   sjis->decode(bytes, text);
//
// Encodings are constant, shared and never destroyed. The tables are read-only data, which need no
// loading.
#ifndef SPINNERET_HTML_ENCODING_H_
#define SPINNERET_HTML_ENCODING_H_

#include <string>
#include <string_view>

#include "url/parse.h"

namespace spinneret::html {

class Encoding : public QueryEncoder {
 public:
  // The standard's name in lower case, such as "utf-8" or "windows-1252".
  virtual std::string_view name() const = 0;
  // Whether markup can be read as bytes: true of all encodings but UTF-16, ISO-2022-JP and
  // "replacement".
  virtual bool ascii_compatible() const { return true; }
  bool is_utf8() const { return name() == "utf-8"; }
  // Appends `bytes` as UTF-8; bytes that are invalid in the encoding become U+FFFD. UTF-8 itself is
  // appended unchecked: a caller that needs valid UTF-8 must check it (the URL parser does).
  virtual void decode(std::string_view bytes, std::string& out) const = 0;
  // The encoder for URL queries, or nullptr where the standard says UTF-8.
  const QueryEncoder* query_encoder() const;
};

// Finds an encoding by any of the standard's labels, in any case, with white space around it.
// Returns nullptr for other labels.
const Encoding* find_encoding(std::string_view label);
const Encoding& utf8_encoding();
const Encoding& windows1252_encoding();

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_ENCODING_H_
