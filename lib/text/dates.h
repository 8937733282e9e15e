// SPDX-License-Identifier: Apache-2.0
// Days in text.
#ifndef SPINNERET_TEXT_DATES_H_
#define SPINNERET_TEXT_DATES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret::text {

// The date that `text` holds, YYYY-MM-DD; empty: none. ISO 8601, "March 4, 2025", "4 March 2025", "4.3.2025", months by
// their names in nine languages, and 3/4/2025 as the month first, unless `day_first`. Looks at the first 400 bytes.
std::string find_date(std::string_view text, bool day_first = false);

// How a page writes 3/4/2025: by what else it writes so (13/4/2025), else by its language ("en-GB", "fr").
bool writes_day_first(std::string_view text, std::string_view language);

// Where a date begins, or any other number; npos: nowhere.
std::size_t find_number(std::string_view text);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_DATES_H_
