// SPDX-License-Identifier: Apache-2.0
// The fields of records that the tools know: the table behind spinneret-record(7). Records may have
// any other fields as well. --json uses the table to tell numbers from strings, and shell
// completion to offer names for --fields.
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

// Returns all known fields, sorted by name.
std::span<const FieldInfo> known_fields();

// Whether the field holds a number. The field of one agent ("robots-line.examplebot") has the type
// of the field without the agent.
bool is_number_field(std::string_view key);

// Returns a message about a field that was asked for and that no record had, such as ": no record
// has titel: did you mean title?". It is empty if the name is a known field, and if neither a known
// field nor one of `seen` is near. Names of three and four letters are near to many others by
// nature, so they are compared with `seen` alone.
std::string mistyped_field(std::string_view name, std::span<const std::string> seen = {});

}  // namespace spinneret

#endif  // SPINNERET_IO_FIELD_H_
