// SPDX-License-Identifier: Apache-2.0
// Lets a hash table of std::string be searched with a std::string_view.
#ifndef SPINNERET_POLICY_TEXT_HASH_H_
#define SPINNERET_POLICY_TEXT_HASH_H_

#include <cstddef>
#include <string_view>

#include "base/hash.h"

namespace spinneret::policy {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash64(text); }
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_TEXT_HASH_H_
