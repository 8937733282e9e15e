// SPDX-License-Identifier: Apache-2.0
// Finds dates in text.
#ifndef SPINNERET_TEXT_DATES_H_
#define SPINNERET_TEXT_DATES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret::text {

// Returns the first date in `text` as YYYY-MM-DD, or an empty string. Knows ISO 8601, "March 4,
// 2025", "4 March 2025", "4.3.2025", the names of months in nine more languages, and 3/4/2025, in
// which the month comes first unless `day_first` is set. Looks at the first 400 bytes.
std::string find_date(std::string_view text, bool day_first = false);

// Whether 3/4/2025 means 3 April on the page: other dates on it tell that (13/4/2025), or else its
// language ("en-GB", "fr").
bool writes_day_first(std::string_view text, std::string_view language);

// Returns where a date, or any other number, begins; npos if there is none.
std::size_t find_number(std::string_view text);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_DATES_H_
