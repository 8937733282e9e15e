// SPDX-License-Identifier: Apache-2.0
// Writes JSON (RFC 8259).
#ifndef SPINNERET_IO_JSON_H_
#define SPINNERET_IO_JSON_H_

#include <string>
#include <string_view>

#include "base/json_text.h"

namespace spinneret {

class Record;

// Appends a field's value, given escaped as in a record: as a number where spinneret-record(7) says that it is one,
// else as a string.
void append_json_value(std::string& out, std::string_view key, std::string_view raw);

// Appends a record as one JSON object: {"url":"...","status":200,"via":["a","b"]}. A repeated key becomes
// an array at its first place. The numeric fields of spinneret-record(7) are numbers; all else strings.
// Columns that are not key=value, and fields whose key is "url" or "columns", come whole as "columns":[...],
// so that no name stands twice. No newline. O(n log n) in fields.
void append_json(std::string& out, const Record& record);

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_H_
