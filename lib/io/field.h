// SPDX-License-Identifier: Apache-2.0
// The fields of records that the tools know: the table behind spinneret-record(7). Records may have any others.
// --json goes by it to print numbers, and completion to offer names for --fields.
#ifndef SPINNERET_IO_FIELD_H_
#define SPINNERET_IO_FIELD_H_

#include <span>
#include <string>
#include <string_view>

namespace spinneret {

struct FieldInfo {
  std::string_view name;
  bool is_number;  // otherwise a text, a word, a URL, or a list of them
};

// All of them, sorted by name.
std::span<const FieldInfo> known_fields();

// Whether the field holds a number. One agent's field ("robots-line.examplebot") is of the type of the field itself.
bool is_number_field(std::string_view key);

// What to say of a field that was asked for and that no record had: ": no record has titel: did you mean title?", where that
// is nearly a known field or one of `seen`. Empty for known fields, and where nothing is near. Names of three and four letters
// are near to many by nature: they are compared with `seen` alone.
std::string mistyped_field(std::string_view name, std::span<const std::string> seen = {});

}  // namespace spinneret

#endif  // SPINNERET_IO_FIELD_H_
