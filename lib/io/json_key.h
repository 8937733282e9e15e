// SPDX-License-Identifier: Apache-2.0
// One string value of a JSON object, found where it stands, so that a line can be rewritten in place and
// every other byte kept.
#ifndef SPINNERET_IO_JSON_KEY_H_
#define SPINNERET_IO_JSON_KEY_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret {

enum class JsonFind {
  kFound,
  kMissing,    // the object has no such key
  kNotString,  // its value is no string
  kMalformed,  // the line is no JSON object
};

struct JsonString {
  std::size_t begin = 0;  // of the opening quote
  std::size_t end = 0;    // behind the closing quote
  std::string text;       // unescaped; a lone surrogate is U+FFFD
};

// Looks for the first `key` of the object that `line` is; objects within it are skipped. The line is read to its end:
// members, strings and brackets must be whole; of values within others, and of numbers and words, the spelling is
// not judged. Where the value is no string the rest is not read. Linear, no recursion.
JsonFind find_json_string(std::string_view line, std::string_view key, JsonString& out);

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_KEY_H_
