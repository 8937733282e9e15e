// SPDX-License-Identifier: Apache-2.0
// The fields of records that the tools know: the table behind spinneret-record(7). A record may have any others; these
// are what --json prints as numbers, and what the completion of --fields offers.
#ifndef SPINNERET_IO_FIELD_H_
#define SPINNERET_IO_FIELD_H_

#include <span>
#include <string_view>

namespace spinneret {

struct FieldInfo {
  std::string_view name;
  bool is_number;  // else text, a word, a URL, or a list of them
};

// All of them, sorted by name.
std::span<const FieldInfo> known_fields();

// Whether the field holds a number; also of "robots-line.examplebot", one agent's.
bool is_number_field(std::string_view key);

}  // namespace spinneret

#endif  // SPINNERET_IO_FIELD_H_
