// SPDX-License-Identifier: Apache-2.0
// The distance between two words, for "did you mean".
#ifndef SPINNERET_BASE_EDIT_DISTANCE_H_
#define SPINNERET_BASE_EDIT_DISTANCE_H_

#include <cstddef>
#include <string_view>

namespace spinneret {

// How many letters must be inserted, removed, replaced or swapped with the next one (optimal string alignment) to
// turn `a` into `b`, ignoring ASCII case; `limit` where that takes so many or more. Costs a.size() * b.size() where
// the sizes differ by less than `limit`, and next to nothing elsewhere, so that a stranger's long words are cheap to
// compare with our short names.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace spinneret

#endif  // SPINNERET_BASE_EDIT_DISTANCE_H_
