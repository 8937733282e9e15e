// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <system_error>

namespace spinneret {

// Uses std::generic_category().message(), not strerror(): it is thread-safe, and gives the same
// text without a locale.
Error system_error(std::string what, int code) {
  return {std::move(what) + ": " + std::generic_category().message(code)};
}

}  // namespace spinneret
