// SPDX-License-Identifier: Apache-2.0
// How many files a process may have open.
#ifndef SPINNERET_BASE_DESCRIPTORS_H_
#define SPINNERET_BASE_DESCRIPTORS_H_

#include <cstddef>

namespace spinneret {

// Raises the limit (ulimit -n) to `wanted`, as far as allowed. Returns what holds then, and `wanted` where there is no less.
std::size_t raise_descriptor_limit(std::size_t wanted);

}  // namespace spinneret

#endif  // SPINNERET_BASE_DESCRIPTORS_H_
