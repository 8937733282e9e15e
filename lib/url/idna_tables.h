// SPDX-License-Identifier: Apache-2.0
// The part of Unicode 17 that domains need. The data is in idna_tables.cc, made by
// make-idna-tables.mjs; the functions that search it are in unicode.h.
#ifndef SPINNERET_URL_IDNA_TABLES_H_
#define SPINNERET_URL_IDNA_TABLES_H_

#include <cstddef>
#include <cstdint>

namespace spinneret::idna {

// The ranges of IdnaMappingTable.txt, each up to the start of the next, in order of start:
// start << 11 | MapKind << 8 | length of a string.
enum MapKind : std::uint8_t { kValid, kIgnored, kDisallowed, kShift, kAlternate, kString };
extern const std::uint32_t kMapStarts[];
extern const std::int32_t kMapPayloads[];  // the shift, or the string's place in the pool
extern const std::size_t kMapCount;
extern const char16_t kMapPool[];  // UTF-16

// Primary composites whose parts can occur in a mapped domain, in order of (first, second).
struct Composite {
  char32_t first;
  char32_t second;
  char32_t composite;
};
extern const Composite kComposites[];
extern const std::uint16_t kByComposite[];  // indices, in order of composite
extern const std::size_t kCompositeCount;

enum class Bidi : std::uint8_t { kOther, kL, kR, kAL, kAN, kEN, kES, kCS, kET, kON, kBN, kNSM };
enum class Joining : std::uint8_t { kNone, kLeft, kRight, kDual, kTransparent };
enum PropertyFlag : std::uint8_t { kMark = 1, kVirama = 2 };
struct Properties {
  std::uint8_t combining_class;  // a rank: orders as Canonical_Combining_Class does
  std::uint8_t bidi;
  std::uint8_t joining;
  std::uint8_t flags;
};
// start << 8 | index into kProperties. Right for valid code points only.
extern const std::uint32_t kPropertyStarts[];
extern const std::size_t kPropertyCount;
extern const Properties kProperties[];

}  // namespace spinneret::idna

#endif  // SPINNERET_URL_IDNA_TABLES_H_
