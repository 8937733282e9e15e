// SPDX-License-Identifier: Apache-2.0
// Style sheets, strings of JSON and scripts, plain text, srcset, refresh, encodings. Beyond "no
// crash":
//   - style sheets give the same results by the fast path and by its slow twin;
//   - any text, written as a CSS or JSON string, is read back;
//   - candidates of a srcset, written again, are the same candidates; so is a URL of
//     plain text, alone;
//   - what is decoded is valid UTF-8, and encoding it again and again gives the same bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/charset.h"
#include "html/css.h"
#include "html/encoding_table.h"
#include "html/guess.h"
#include "html/srcset.h"

namespace {

using namespace spinneret;
using namespace spinneret::html;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_within(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// Escapes every byte that could have a meaning, as "\26 " or "\u0026".
std::string quoted_string(std::string_view text, const char* format) {
  std::string out = "\"";
  for (const char c : text) {
    char code[8];
    if (is_alnum(c) || (c & 0x80) != 0) {
      out += c;
    } else {
      std::snprintf(code, sizeof code, format, static_cast<unsigned>(c));
      out += code;
    }
  }
  return out += '"';
}

void check_css(std::string_view input) {
  CssUrls urls(input);
  CssUrls slow(input, false);
  CssUrls::Kind kind = CssUrls::Kind::kUrl;
  CssUrls::Kind slow_kind = CssUrls::Kind::kUrl;
  std::string url;
  std::string slow_url;
  while (urls.next(url, kind)) {
    require(urls.offset() <= input.size() && url.size() <= 3 * input.size());
    require(slow.next(slow_url, slow_kind) && slow_url == url && slow_kind == kind);
    require(slow.offset() == urls.offset());
  }
  require(!slow.next(slow_url, slow_kind));
  // NUL cannot be written, because its escape means U+FFFD.
  if (input.find('\0') != std::string_view::npos) return;
  const std::string string = quoted_string(input, "\\%x ");
  const std::string sheet = "@import " + string + ";a{b:url(" + string +
                            ") c}/*url(no)*/d{e:image-set(" + string + " 1x);f:" + string + "}";
  CssUrls again(sheet);
  // An empty URL is no request.
  for (int i = 0; i < 3 && !input.empty(); ++i) {
    require(again.next(url, kind) && url == input);
    require((kind == CssUrls::Kind::kImport) == (i == 0));
  }
  require(!again.next(url, kind));
}

void check_strings(std::string_view input) {
  std::string text;
  std::string key;
  for (const auto language : {QuotedStrings::Language::kJson, QuotedStrings::Language::kScript}) {
    QuotedStrings strings(input, language);
    while (strings.next(text, key)) looks_like_url(text);
  }
  const std::string string = quoted_string(input, "\\u%04x");
  const std::string object = "{" + string + " : [" + string + "]}";
  QuotedStrings again(object, QuotedStrings::Language::kJson);
  require(again.next(text, key) && text == input && key == input && !again.next(text, key));
  QuotedStrings script(object, QuotedStrings::Language::kScript);
  for (int i = 0; i < 2; ++i) require(script.next(text, key) && text == input);
}

void check_text(std::string_view input) {
  std::string_view url;
  for (std::string_view rest = input; next_text_url(rest, url);) {
    require(is_within(url, input) && !url.empty());
    std::string_view alone = url;
    std::string_view again;
    require(next_text_url(alone, again) && again == url);
  }
}

using Candidates = std::vector<std::pair<std::string, std::string>>;

Candidates candidates_of(std::string_view value) {
  Candidates out;
  std::string_view url;
  std::string_view descriptor;
  for (std::string_view rest = value; next_srcset_candidate(rest, url, descriptor);) {
    require(is_within(url, value) && is_within(descriptor, value));
    out.emplace_back(url, descriptor);
  }
  return out;
}

void check_srcset(std::string_view input) {
  const Candidates candidates = candidates_of(input);
  std::string value;
  for (const auto& [url, descriptor] : candidates) {
    require(!url.empty() && !url.ends_with(','));
    // An open parenthesis takes the rest of the value, so that nothing can be written behind it.
    const std::size_t open = descriptor.rfind('(');
    if (open != std::string::npos && descriptor.find(')', open) == std::string::npos) return;
    value += url + ' ' + descriptor + ", ";
  }
  require(candidates_of(value) == candidates);
}

void check_encoding(std::string_view input, unsigned choice) {
  const Encoding* const encoding =
      find_encoding(kEncodingLabels[choice % kEncodingLabelCount].label);
  std::string text;
  encoding->decode(input, text);
  if (encoding->is_utf8()) return;
  require(is_valid_utf8(text));
  const QueryEncoder* const encoder = encoding->query_encoder();
  if (encoder == nullptr) return;
  std::string once;
  std::string twice;
  encoder->encode(text, once);
  text.clear();
  encoding->decode(once, text);
  require(is_valid_utf8(text));
  encoder->encode(text, twice);
  require(once == twice);
}

// A document that names its encoding keeps it, whatever plain ASCII stands behind; the encoding
// that HTTP names has precedence.
void check_charset(std::string_view input) {
  const std::string document = std::string(input) + "  ";
  const Charset found = find_charset(document, "");
  require(found.encoding != nullptr);
  const bool escaped = found.encoding->name() == "iso-2022-jp";
  if (found.source == Charset::Source::kGuessed && !escaped)
    require(find_charset(document + std::string(4096, ' '), "").encoding == found.encoding);
  const Charset named = find_charset(input, "koi8-r");
  require(named.source == Charset::Source::kBom || named.source == Charset::Source::kHttp);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_css(input);
  check_strings(input);
  check_text(input);
  check_srcset(input);
  std::string_view url;
  if (parse_refresh(input, url)) require(is_within(url, input));
  check_charset(input);
  check_encoding(input, data[0]);
  return 0;
}
