// SPDX-License-Identifier: Apache-2.0
// Turns one JSON object (RFC 8259, or what JsonTree accepts beyond it) into a record.
//
// Each member of the object becomes fields:
//
// | member | fields |
// |---|---|
// | string | one, with the string's bytes |
// | number | one, with the number as it is written |
// | true, false | one, with that word |
// | null | none |
// | array | one for each element, all of one key |
// | nested object | those of its members, named OUTER.INNER |
//
// key_of_name() turns names into keys. A repeated member becomes a repeated field, except that for
// the URL the last one counts. What append_json() wrote comes back unchanged, except for bytes that
// were not UTF-8.
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
  // `url_key` is the place of the URL: "page.url" or "a.b[0].c" (parse_json_path; a text that is no
  // such path is taken as a member's name). If an array stands there, its first string or number is
  // the URL.
  explicit JsonRecordReader(std::string_view url_key);
  ~JsonRecordReader();

  // Returns false for a bad line. `why` then says what is wrong, and `record` must not be used.
  bool read(std::string_view line, Record& record, std::string& why);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Passes every string, number and word of a document, except null, to `take`, with the names of the
// members that lead to it, outermost first; the elements of an array share its name. Both views are
// valid until `take` returns. Where the document is malformed, returns false, explains it in `why`,
// and has not called `take`.
bool read_json_leaves(std::string_view document, std::string& why,
                      const std::function<void(std::span<const std::string_view> path,
                                               std::string_view value)>& take);

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_RECORD_H_
