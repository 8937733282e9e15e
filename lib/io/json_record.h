// SPDX-License-Identifier: Apache-2.0
// One JSON object (RFC 8259) as a record, by simdjson: a library of its own (spinneret::json), so that whoever reads
// no JSON links none.
//
// A string member is a field with the string's bytes, a number its shortest decimal form, true and false the words;
// null is no field. An array's elements repeat the field, and a member of an object within is OUTER.INNER. Names become
// keys as key_of_name() makes them. What append_json() wrote comes back as it was, but for bytes that were no UTF-8.
#ifndef SPINNERET_IO_JSON_RECORD_H_
#define SPINNERET_IO_JSON_RECORD_H_

#include <memory>
#include <string>
#include <string_view>

#include "io/record.h"

namespace spinneret {

class JsonRecordReader {
 public:
  // `url_name`: the member, or OUTER.INNER, that holds the URL.
  explicit JsonRecordReader(std::string url_name);
  ~JsonRecordReader();

  // False: `why` says what is wrong with the line, and `record` is of no use.
  bool read(std::string_view line, Record& record, std::string& why);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_RECORD_H_
