// SPDX-License-Identifier: Apache-2.0
#include "html/encoding.h"

#include "base/ascii.h"
#include "base/excerpt.h"
#include "html/entity.h"

namespace spinneret::html {
namespace {

constexpr char16_t kC1[32] = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                              0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                              0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                              0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

class Utf8 : public Encoding {
 public:
  std::string_view name() const override { return "utf-8"; }
  void append_utf8(std::string_view bytes, std::string& out) const override { out += bytes; }
  void encode(std::string_view text, std::string& out) const override { out += text; }
};

class Windows1252 : public Encoding {
 public:
  std::string_view name() const override { return "windows-1252"; }
  void append_utf8(std::string_view bytes, std::string& out) const override {
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      html::append_utf8(out, byte >= 0x80 && byte < 0xA0 ? kC1[byte - 0x80] : byte);
    }
  }
  void encode(std::string_view text, std::string& out) const override {
    while (!text.empty()) {
      char32_t code = 0;
      const std::size_t size = utf8_sequence(text, &code);
      if (size == 0) return;
      text.remove_prefix(size);
      int byte = code < 0x80 || (code >= 0xA0 && code < 0x100) ? static_cast<int>(code) : -1;
      for (int i = 0; i < 32 && byte < 0; ++i) {
        if (kC1[i] == code) byte = 0x80 + i;
      }
      if (byte >= 0) {
        out += static_cast<char>(byte);
      } else {
        out += "&#" + std::to_string(static_cast<unsigned>(code)) + ";";
      }
    }
  }
};

}  // namespace

const QueryEncoder* Encoding::query_encoder() const { return is_utf8() ? nullptr : this; }

const Encoding& utf8_encoding() {
  static const Utf8 encoding;
  return encoding;
}
const Encoding& windows1252_encoding() {
  static const Windows1252 encoding;
  return encoding;
}

const Encoding* find_encoding(std::string_view label) {
  label = trim(label);
  if (equals_ignore_case(label, "utf-8") || equals_ignore_case(label, "utf8")) return &utf8_encoding();
  if (equals_ignore_case(label, "windows-1252") || equals_ignore_case(label, "iso-8859-1")) {
    return &windows1252_encoding();
  }
  return nullptr;
}

bool is_valid_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    if (static_cast<unsigned char>(bytes.front()) < 0x80) {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t size = utf8_sequence(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

Charset find_charset(std::string_view document, std::string_view http_label) {
  if (document.starts_with("\xEF\xBB\xBF")) return {&utf8_encoding(), "bom", 3};
  if (const Encoding* const named = find_encoding(http_label)) return {named, "http", 0};
  if (is_valid_utf8(document)) return {&utf8_encoding(), "utf-8", 0};
  return {&windows1252_encoding(), "windows-1252", 0};
}

}  // namespace spinneret::html
