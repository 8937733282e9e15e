// SPDX-License-Identifier: Apache-2.0
// Where the text stands that a filter reads and rewrites in each line: a column between tabs, or the
// string of a key in a JSON object. All other bytes of the line are kept.
#ifndef SPINNERET_IO_LOCATOR_H_
#define SPINNERET_IO_LOCATOR_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret {

// Immutable, thread-safe.
class Locator {
 public:
  // Column `number`, from 1. A record's URL is column 1.
  static Locator column(std::size_t number);
  // The first `key` of the line's object.
  static Locator json_key(std::string key);

  struct Place {
    std::size_t begin = 0;  // of what is replaced
    std::size_t end = 0;
    std::string_view text;  // a view into the line, or into `decoded`
    std::string decoded;
  };
  // False: there is no such text; `why` is the reason, and lives for ever.
  bool find(std::string_view line, Place& place, std::string_view& why) const;
  // Appends `line` with `text` in that place.
  void append_replaced(std::string& out, std::string_view line, const Place& place,
                       std::string_view text) const;

  bool is_json() const { return column_ == 0; }

 private:
  std::size_t column_ = 0;
  std::string key_;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_LOCATOR_H_
