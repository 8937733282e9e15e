// SPDX-License-Identifier: Apache-2.0
// Character encodings by the WHATWG Encoding Standard (https://encoding.spec.whatwg.org/): labels, decoders,
// and the encoders that a document's queries go through.
//
//   const Encoding* sjis = find_encoding("x-sjis");
//   std::string text;
//   sjis->decode(bytes, text);
//
// An Encoding is constant, shared and never destroyed. The tables are read-only data: nothing to load.
#ifndef SPINNERET_HTML_ENCODING_H_
#define SPINNERET_HTML_ENCODING_H_

#include <string>
#include <string_view>

#include "url/parse.h"

namespace spinneret::html {

class Encoding : public QueryEncoder {
 public:
  // The standard's name in lower case: "utf-8", "windows-1252".
  virtual std::string_view name() const = 0;
  // Whether markup can be read as bytes: all but UTF-16, ISO-2022-JP and "replacement".
  virtual bool ascii_compatible() const { return true; }
  bool is_utf8() const { return name() == "utf-8"; }
  // Appends `bytes` as UTF-8; what is not of the encoding becomes U+FFFD. Of UTF-8 itself the bytes are
  // appended as they are: who needs valid ones checks (the URL parser does).
  virtual void decode(std::string_view bytes, std::string& out) const = 0;
  // The encoder for URL queries, or nullptr where the standard says UTF-8.
  const QueryEncoder* query_encoder() const;
};

// By any of the standard's labels, in any case, with white space around; nullptr: none.
const Encoding* find_encoding(std::string_view label);
const Encoding& utf8_encoding();
const Encoding& windows1252_encoding();

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_ENCODING_H_
