// SPDX-License-Identifier: Apache-2.0
#include "url/idna.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret {

bool domain_to_ascii(std::string_view domain, std::string& out, std::string* reason) {
  if (std::all_of(domain.begin(), domain.end(), [](char c) { return c >= 0; })) {
    out += to_lower_copy(domain);
    return true;
  }
  if (reason != nullptr) *reason = "not ASCII";
  return false;
}

}  // namespace spinneret
