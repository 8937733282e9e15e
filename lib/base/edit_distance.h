// SPDX-License-Identifier: Apache-2.0
// For "did you mean": how many letters are wrong.
#ifndef SPINNERET_BASE_EDIT_DISTANCE_H_
#define SPINNERET_BASE_EDIT_DISTANCE_H_

#include <cstddef>
#include <string_view>

namespace spinneret {

// Letters to insert, remove, replace or swap with the next (optimal string alignment) to make `b` of `a`,
// ASCII case ignored; `limit` where they are that many or more. Cost: a.size() * b.size() only where the
// sizes differ by less than `limit`; long words of a stranger against short names of ours cost nothing.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace spinneret

#endif  // SPINNERET_BASE_EDIT_DISTANCE_H_
