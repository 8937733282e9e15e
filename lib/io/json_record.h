// SPDX-License-Identifier: Apache-2.0
// One JSON object (RFC 8259, and what JsonTree takes beside) as a record.
//
// A string member is a field with the string's bytes, a number as it is written, true and false the words; null is no
// field. An array's elements repeat the field, and a member of an object within is OUTER.INNER. Names become
// keys as key_of_name() makes them. A member that repeats is a field that repeats; for the URL the last one counts. What
// append_json() wrote comes back as it was, but for bytes that were no UTF-8.
#ifndef SPINNERET_IO_JSON_RECORD_H_
#define SPINNERET_IO_JSON_RECORD_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/record.h"

namespace spinneret {

class JsonRecordReader {
 public:
  // `url_key`: where the URL stands, "page.url" or "a.b[0].c" (parse_json_path; what that cannot read is the name of a
  // member). Of an array that no position is asked of, the first string or number.
  explicit JsonRecordReader(std::string_view url_key);
  ~JsonRecordReader();

  // False: `why` says what is wrong with the line, and `record` is of no use.
  bool read(std::string_view line, Record& record, std::string& why);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Names as OUTER.INNER, and values, in order.
using JsonMembers = std::vector<std::pair<std::string, std::string>>;

// The objects of a document that holds one, an array of them, or one whose member "@graph" does (JSON-LD): each flat,
// as above. Members together are at most four times the document, or 1 MiB; a name is at most 256 bytes.
class JsonItemReader {
 public:
  JsonItemReader();
  ~JsonItemReader();

  // False: `why`; what stood before the mistake has not been given.
  bool read(std::string_view document, std::string& why,
            const std::function<void(const JsonMembers&)>& take);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Every string, number and word of a document, with the names of the members that lead to it, from the outmost in; null
// is none, and an array's elements share its name. Both are views until `take` returns. False: `why`; nothing was given.
bool read_json_leaves(std::string_view document, std::string& why,
                      const std::function<void(std::span<const std::string_view> path,
                                               std::string_view value)>& take);

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_RECORD_H_
