// SPDX-License-Identifier: Apache-2.0
#include "html/charset.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/charset_guess.h"
#include "html/tokenizer.h"

namespace spinneret::html {
namespace {

constexpr std::size_t kPrescan = 1024;

const Encoding* of_meta(const Token& token) {
  const auto value = [&token](std::string_view name) {
    const Attribute* const found = token.find(name);
    return found == nullptr ? std::string_view() : found->value;
  };
  return declared_encoding(value("charset"), value("http-equiv"), value("content"));
}

// A declaration in bytes that can be read as ASCII cannot mean UTF-16.
const Encoding* not_utf16(const Encoding* declared) {
  return declared != nullptr && declared->name().starts_with("utf-16") ? &utf8_encoding()
                                                                       : declared;
}

// 13.2.3.2, "get an XML encoding", and XML 1.0, 4.3.3. Returns nullptr if there is no declaration,
// or if it names no encoding.
const Encoding* of_xml_declaration(std::string_view head) {
  if (!head.starts_with("<?xml")) return nullptr;
  head = head.substr(0, head.find('>'));
  constexpr std::string_view kWord = "encoding";
  const std::size_t at = head.find(kWord);
  if (at == std::string_view::npos) return nullptr;
  head = trim(head.substr(at + kWord.size()));
  if (!head.starts_with('=')) return nullptr;
  head = trim(head.substr(1));
  if (!head.starts_with('"') && !head.starts_with('\'')) return nullptr;
  const std::size_t end = head.find(head.front(), 1);
  if (end == std::string_view::npos) return nullptr;
  return not_utf16(find_encoding(head.substr(1, end - 1)));
}

// Recognises the declaration's first character in two bytes, without a byte order mark (13.2.3.2,
// and XML 1.0, appendix F).
const Encoding* of_wide_start(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("<\0?\0"sv)) return find_encoding("utf-16le");
  return head.starts_with("\0<\0?"sv) ? find_encoding("utf-16be") : nullptr;
}

// 13.2.3.2, "prescan a byte stream": tags and comments count wherever they stand, even in raw text.
// The tokenizer gives exactly these if it is not told of raw text.
const Encoding* prescan(std::string_view head) {
  if (const Encoding* const wide = of_wide_start(head)) return wide;
  Tokenizer tokenizer;
  Tokenizer::Wanted wanted{};
  wanted[index_of(Element::kMeta)] = true;
  tokenizer.set_wanted(wanted);
  tokenizer.set_input(head, true);
  Token token;
  while (tokenizer.next(token) != TokenType::kEnd) {
    if (token.type != TokenType::kStartTag || token.element != Element::kMeta) continue;
    if (const Encoding* const found = of_meta(token)) return found;
  }
  return of_xml_declaration(head);
}

struct Bom {
  std::string_view bytes;
  std::string_view label;
};
constexpr Bom kBoms[] = {
    {"\xEF\xBB\xBF", "utf-8"}, {"\xFE\xFF", "utf-16be"}, {"\xFF\xFE", "utf-16le"}};

// Returns the encoding label in "text/html; charset=..." (HTML, "extracting a character encoding
// from a meta element"); empty if there is none.
std::string_view charset_of_content(std::string_view content) {
  constexpr std::string_view kWord = "charset";
  for (std::size_t at = 0; at + kWord.size() <= content.size(); ++at) {
    if (!equals_ignore_case(content.substr(at, kWord.size()), kWord)) continue;
    std::string_view rest = content.substr(at + kWord.size());
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    if (!rest.starts_with('=')) continue;
    rest.remove_prefix(1);
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    if (rest.starts_with('"') || rest.starts_with('\'')) {
      const std::size_t end = rest.find(rest.front(), 1);
      return end == std::string_view::npos ? std::string_view() : rest.substr(1, end - 1);
    }
    const auto end =
        std::find_if(rest.begin(), rest.end(), [](char c) { return is_space(c) || c == ';'; });
    return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  }
  return {};
}

}  // namespace

std::string_view to_string(Charset::Source source) {
  constexpr std::string_view kNames[] = {"bom",        "http",    "meta",
                                         "valid-utf8", "guessed", "fallback"};
  return kNames[static_cast<std::size_t>(source)];
}

std::string describe(const Charset& charset) {
  return std::string(charset.encoding->name()) + ' ' + std::string(to_string(charset.source));
}

const Encoding* declared_encoding(std::string_view charset, std::string_view http_equiv,
                                  std::string_view content) {
  std::string_view label = charset;
  if (label.empty() && equals_ignore_case(http_equiv, "content-type"))
    label = charset_of_content(content);
  const Encoding* const found = label.empty() ? nullptr : not_utf16(find_encoding(label));
  return found != nullptr && found->name() == "x-user-defined" ? &windows1252_encoding() : found;
}

Charset find_charset(std::string_view document, std::string_view http_label) {
  for (const auto& [bytes, label] : kBoms) {
    if (document.starts_with(bytes))
      return {find_encoding(label), Charset::Source::kBom, bytes.size()};
  }
  if (const Encoding* const named = find_encoding(http_label))
    return {named, Charset::Source::kHttp, 0};
  if (const Encoding* const declared = prescan(document.substr(0, kPrescan))) {
    return {declared, Charset::Source::kMeta, 0};
  }
  const bool utf8 = is_valid_utf8(document);
  const Encoding* const guessed = utf8 ? guess_escaped(document) : guess_encoding(document);
  if (guessed != nullptr) return {guessed, Charset::Source::kGuessed, 0};
  if (utf8) return {&utf8_encoding(), Charset::Source::kValidUtf8, 0};
  return {&windows1252_encoding(), Charset::Source::kFallback, 0};
}

Charset find_xml_charset(std::string_view document, std::string_view http_label) {
  Charset found = find_charset(document.substr(0, 4), http_label);
  if (!found.is_guess()) return found;
  const Encoding* const declared = of_xml_declaration(document.substr(0, kPrescan));
  if (declared != nullptr) return {declared, Charset::Source::kMeta, 0};
  return {&utf8_encoding(), Charset::Source::kValidUtf8, 0};
}

}  // namespace spinneret::html
