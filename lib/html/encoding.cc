// SPDX-License-Identifier: Apache-2.0
#include "html/encoding.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/encoding_multibyte.h"
#include "html/encoding_table.h"

namespace spinneret::html {
namespace {

class Utf8 : public Encoding {
 public:
  std::string_view name() const override { return "utf-8"; }
  void decode(std::string_view bytes, std::string& out) const override { out += bytes; }
  void encode(std::string_view text, std::string& out) const override { out += text; }
};

// Section 9.
class SingleByte : public Encoding {
 public:
  SingleByte(std::string_view name, const char16_t* upper) : name_(name), upper_(upper) {}
  std::string_view name() const override { return name_; }
  void decode(std::string_view bytes, std::string& out) const override {
    const auto is_high = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    while (!bytes.empty()) {
      // ASCII, which is all but a few bytes of most pages, is copied.
      const auto high = std::find_if(bytes.begin(), bytes.end(), is_high);
      const auto size = static_cast<std::size_t>(high - bytes.begin());
      out.append(bytes.substr(0, size));
      bytes.remove_prefix(size);
      if (bytes.empty()) return;
      append_utf8(out, upper_[static_cast<unsigned char>(bytes.front()) - 0x80]);
      bytes.remove_prefix(1);
    }
  }
  void encode(std::string_view text, std::string& out) const override {
    while (!text.empty()) {
      char32_t code = 0xFFFD;
      text.remove_prefix(std::max<std::size_t>(1, utf8_sequence(text, &code)));
      const char16_t* const end = upper_ + 128;
      const char16_t* const found = code == 0xFFFD ? end : std::find(upper_, end, code);
      if (code < 0x80) {
        out += static_cast<char>(code);
      } else if (found != end) {
        out += static_cast<char>(0x80 + (found - upper_));
      } else {
        append_reference(out, code);
      }
    }
  }

 private:
  std::string_view name_;
  const char16_t* upper_;
};

// Section 14.5: the upper half maps to U+F780 and on.
class UserDefined : public Encoding {
 public:
  std::string_view name() const override { return "x-user-defined"; }
  void decode(std::string_view bytes, std::string& out) const override {
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      append_utf8(out, byte < 0x80 ? byte : char32_t{0xF700} + byte);
    }
  }
  void encode(std::string_view text, std::string& out) const override {
    while (!text.empty()) {
      char32_t code = 0xFFFD;
      text.remove_prefix(std::max<std::size_t>(1, utf8_sequence(text, &code)));
      if (code < 0x80 || (code >= 0xF780 && code <= 0xF7FF)) {
        out += static_cast<char>(code & 0xFF);
      } else {
        append_reference(out, code);
      }
    }
  }
};

const Encoding* find_single_byte(std::string_view name) {
  static const std::vector<SingleByte> kAll = [] {
    std::vector<SingleByte> all;
    for (std::size_t i = 0; i < kSingleByteTableCount; ++i) {
      all.emplace_back(kSingleByteTables[i].name, kSingleByteTables[i].upper);
      if (all.back().name() == "iso-8859-8")
        all.emplace_back("iso-8859-8-i", kSingleByteTables[i].upper);
    }
    return all;
  }();
  const auto found = std::find_if(kAll.begin(), kAll.end(), [name](const SingleByte& encoding) {
    return encoding.name() == name;
  });
  return found == kAll.end() ? nullptr : &*found;
}

const Encoding* find_named(std::string_view name) {
  static const UserDefined user_defined;
  if (name == "utf-8") return &utf8_encoding();
  if (name == user_defined.name()) return &user_defined;
  const Encoding* const single = find_single_byte(name);
  return single != nullptr ? single : find_multibyte(name);
}

}  // namespace

const QueryEncoder* Encoding::query_encoder() const {
  const bool utf8 = is_utf8() || name().starts_with("utf-16") || name() == "replacement";
  return utf8 ? nullptr : this;
}

const Encoding& utf8_encoding() {
  static const Utf8 encoding;
  return encoding;
}

const Encoding& windows1252_encoding() { return *find_single_byte("windows-1252"); }

const Encoding* find_encoding(std::string_view label) {
  const std::string wanted = to_lower_copy(trim(label));
  const EncodingLabel* const end = kEncodingLabels + kEncodingLabelCount;
  const EncodingLabel* const found = std::lower_bound(
      kEncodingLabels, end, wanted,
      [](const EncodingLabel& entry, const std::string& key) { return entry.label < key; });
  return found != end && found->label == wanted ? find_named(found->name) : nullptr;
}

}  // namespace spinneret::html
