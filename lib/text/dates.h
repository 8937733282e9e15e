// SPDX-License-Identifier: Apache-2.0
// Days in text.
#ifndef SPINNERET_TEXT_DATES_H_
#define SPINNERET_TEXT_DATES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret::text {

// The date that `text` holds, YYYY-MM-DD; empty: none. ISO 8601, "March 4, 2025", "4 March 2025", "4.3.2025",
// and 3/4/2025 as the month first. Looks at the first 400 bytes.
std::string find_date(std::string_view text);

// Where a date begins, or any other number; npos: nowhere.
std::size_t find_number(std::string_view text);

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_DATES_H_
