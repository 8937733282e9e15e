// SPDX-License-Identifier: Apache-2.0
// Turns one JSON object (RFC 8259, or what JsonTree accepts beyond it) into a record.
//
// A string member becomes a field with the string's bytes, a number a field as it is written, true and false the
// words; null gives no field. The elements of an array repeat the field, and a member of a nested object is
// OUTER.INNER. key_of_name() turns names into keys. A member that repeats is a field that repeats, except that for
// the URL the last one counts. What append_json() wrote comes back unchanged, save for bytes that were not UTF-8.
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
  // `url_key` says where the URL stands: "page.url" or "a.b[0].c" (parse_json_path; what that cannot read is taken as
  // a member's name). If an array stands there, its first string or number is the URL.
  explicit JsonRecordReader(std::string_view url_key);
  ~JsonRecordReader();

  // Returns false for a bad line; `why` then says what is wrong, and `record` must not be used.
  bool read(std::string_view line, Record& record, std::string& why);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Gives every string, number and word of a document, except null, together with the names of the members that lead to
// it, outermost first; the elements of an array share its name. Both views live until `take` returns. Returns false
// where the document is malformed, and says why; nothing has been given then.
bool read_json_leaves(std::string_view document, std::string& why,
                      const std::function<void(std::span<const std::string_view> path,
                                               std::string_view value)>& take);

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_RECORD_H_
