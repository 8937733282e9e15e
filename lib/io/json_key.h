// SPDX-License-Identifier: Apache-2.0
// One value of a JSON object, found where it stands, so that a line can be rewritten in place and every other byte kept.
#ifndef SPINNERET_IO_JSON_KEY_H_
#define SPINNERET_IO_JSON_KEY_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret {

// Where in an object a value stands: "a.b[0].c", names between dots and positions, from 0, in brackets. A name with a dot
// or a bracket in it is written ["a.b"].
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
  kNotString,  // or of another type than string
  kMalformed,  // the line is no JSON object
};

struct JsonString {
  std::size_t begin = 0;  // of the value: of the opening quote
  std::size_t end = 0;    // behind it
  std::string text;       // of a string, unescaped; a lone surrogate is U+FFFD
};

// Looks for the value at `path` in the object that `line` is; where a name repeats, the last member of that name counts,
// as it does for most that read JSON: two readings of one line would be a way past a filter. The line is read to its end: members, strings and
// brackets must be whole; of values beside the path, and of numbers and words, the spelling is not judged. Linear;
// recursion is as deep as the path is long.
JsonFind find_json_string(std::string_view line, const JsonPath& path, JsonString& out);

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_KEY_H_
