// SPDX-License-Identifier: Apache-2.0
// Finds one value of a JSON object in the text of a line, so that the value can be replaced there
// and every other byte kept.
#ifndef SPINNERET_IO_JSON_KEY_H_
#define SPINNERET_IO_JSON_KEY_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret {

// A path to a value: "a.b[0].c", with names between dots and positions, from 0, in brackets. A name
// that contains a dot or a bracket is written ["a.b"].
struct JsonStep {
  std::string key;
  std::size_t index = 0;
  bool is_index = false;
};
using JsonPath = std::vector<JsonStep>;
Result<JsonPath> parse_json_path(std::string_view text);

enum class JsonFind {
  kFound,
  kMissing,    // there is no such member
  kNull,       // its value is null
  kNotString,  // its value is neither a string nor null
  kMalformed,  // the line is not a JSON object
};

struct JsonString {
  // The place of the value; for a string it begins with the opening quote.
  std::size_t begin = 0;
  std::size_t end = 0;  // one after its last byte
  std::string text;     // for a string only: unescaped, with U+FFFD for a lone surrogate
};

// Looks for the value at `path` in the JSON object `line`. Where a name repeats, its last member
// counts, as in most JSON readers: if two readers disagreed on a line, a URL could slip past a
// filter. The line is read to its end: members, strings and brackets must be complete, but the
// spelling of numbers, words and values beside the path is not checked. Takes linear time; the
// recursion is as deep as the path is long.
JsonFind find_json_string(std::string_view line, const JsonPath& path, JsonString& out);

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_KEY_H_
