// SPDX-License-Identifier: Apache-2.0
// Writes JSON (RFC 8259).
#ifndef SPINNERET_IO_JSON_H_
#define SPINNERET_IO_JSON_H_

#include <string>
#include <string_view>

#include "base/json_text.h"

namespace spinneret {

class Record;

// Appends a field's value, given escaped as in a record: as a number where spinneret-record(7) says
// that the field is one, otherwise as a string.
void append_json_value(std::string& out, std::string_view key, std::string_view raw);

// Appends a record as one JSON object, without a newline:
// {"url":"...","status":200,"via":["a","b"]}.
//
// - A repeated key becomes an array at its first place.
// - The numeric fields of spinneret-record(7) are numbers; all others are strings.
// - Columns that are not key=value, and fields whose key is "url" or "columns", become whole
//   strings in "columns":[...], so that no name occurs twice.
//
// Cost: O(n log n) in the number of fields.
void append_json(std::string& out, const Record& record);

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_H_
