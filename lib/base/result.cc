// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <system_error>

namespace spinneret {

// std::generic_category().message() rather than strerror(): thread-safe, same text, no locale set.
Error system_error(std::string what, int code) {
  return {std::move(what) + ": " + std::generic_category().message(code)};
}

}  // namespace spinneret
