// SPDX-License-Identifier: Apache-2.0
// A URL as it was written, without what the basic URL parser drops before it begins (URL Standard,
// section 4.4, steps 1 and 3): C0 controls and blanks at both ends, and tabs and line ends
// anywhere.
//
//   const StrippedInput stripped(" http://h/\na ");
//   stripped.text();               // "http://h/a"
//   stripped.original_offset(9);   // 11: the offset of its 'a' in the input
//
// text() is a view into the input or, where something was removed from its middle, into this
// object. O(n).
#ifndef SPINNERET_URL_STRIPPED_INPUT_H_
#define SPINNERET_URL_STRIPPED_INPUT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret {

class StrippedInput {
 public:
  explicit StrippedInput(std::string_view input);
  StrippedInput(const StrippedInput&) = delete;
  StrippedInput& operator=(const StrippedInput&) = delete;

  std::string_view text() const { return text_; }
  // Returns the offset in the input of byte `offset` of text().
  std::size_t original_offset(std::size_t offset) const;

 private:
  std::string_view input_;
  std::string_view text_;
  std::size_t begin_ = 0;  // the offset of the text in the input
  std::string kept_;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_STRIPPED_INPUT_H_
