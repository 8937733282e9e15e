// SPDX-License-Identifier: Apache-2.0
// The data of the WHATWG Encoding Standard. encoding_table.cc is made by generate-encodings.mjs; it
// is plain read-only data that needs no relocation or loading.
#ifndef SPINNERET_HTML_ENCODING_TABLE_H_
#define SPINNERET_HTML_ENCODING_TABLE_H_

#include <cstddef>
#include <cstdint>

namespace spinneret::html {

struct EncodingLabel {
  char label[24];  // in byte order
  char name[16];
};
extern const EncodingLabel kEncodingLabels[];
extern const std::size_t kEncodingLabelCount;

struct SingleByteTable {
  char name[16];
  char16_t upper[128];  // for the bytes 0x80 to 0xFF; U+FFFD where a byte is unassigned
};
extern const SingleByteTable kSingleByteTables[];
extern const std::size_t kSingleByteTableCount;

// The standard's indexes, by pointer; U+FFFD where a pointer is unassigned.
constexpr std::size_t kJis0208Size = 11280;
constexpr std::size_t kEucKrSize = 23940;
constexpr std::size_t kGb18030Size = 23940;
constexpr std::size_t kBig5Size = 19782;
extern const char16_t kJis0208[];
extern const char16_t kJis0212[];
extern const char16_t kEucKr[];
extern const char16_t kGb18030[];
extern const char16_t kBig5[];

struct AstralEntry {
  std::uint16_t pointer;
  char32_t code_point;
};
extern const AstralEntry kBig5Astral[];  // Big5's characters beyond U+FFFF, by pointer
extern const std::size_t kBig5AstralCount;

struct RangeEntry {
  std::uint32_t pointer;
  char32_t code_point;
};
extern const RangeEntry kGb18030Ranges[];
extern const std::size_t kGb18030RangeCount;

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_ENCODING_TABLE_H_
