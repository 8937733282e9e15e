// SPDX-License-Identifier: Apache-2.0
// The part of a line that is compared: its URL (column 1), the whole line, another column, or named
// fields.
//
//   const LineKey key = LineKey::fields({"digest", "type"});
//   if (key.of(line, scratch, bytes)) ...        // false: the line has no such column or field
//
// Values are compared in their escaped form, since a record's escapes have only one form.
#ifndef SPINNERET_DEDUPE_LINE_KEY_H_
#define SPINNERET_DEDUPE_LINE_KEY_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::dedupe {

class LineKey {
 public:
  enum class Kind { kUrl, kWholeLine, kColumn, kFields };

  static LineKey url() { return LineKey(Kind::kUrl); }
  static LineKey whole_line() { return LineKey(Kind::kWholeLine); }
  // `number` counts from 1; column 1 is the URL.
  static LineKey column(std::size_t number);
  // `names` are names of fields; "url" is column 1. A line that has only some of several fields is
  // compared by those.
  static LineKey fields(std::vector<std::string> names);

  Kind kind() const { return kind_; }
  // Gives the key's bytes: a view into the line, or into `scratch` where several fields were
  // joined. Returns false where the line has no such column or field.
  bool of(std::string_view line, std::string& scratch, std::string_view& key) const {
    if (kind_ == Kind::kWholeLine) {
      key = line;
      return true;
    }
    if (kind_ == Kind::kUrl) {
      key = line.substr(0, line.find('\t'));
      return true;
    }
    return of_other(line, scratch, key);
  }
  // Returns "url", "line", "column 3" or "fields digest,type". Two descriptions are equal exactly
  // where the keys are the same.
  std::string description() const;

 private:
  explicit LineKey(Kind kind) : kind_(kind) {}
  bool of_other(std::string_view line, std::string& scratch, std::string_view& key) const;

  Kind kind_;
  std::size_t number_ = 1;
  std::vector<std::string> names_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_LINE_KEY_H_
