// SPDX-License-Identifier: Apache-2.0
// How many files a process may have open.
#ifndef SPINNERET_BASE_DESCRIPTORS_H_
#define SPINNERET_BASE_DESCRIPTORS_H_

#include <cstddef>

namespace spinneret {

// Raises the limit (ulimit -n) to `wanted`, as far as the hard limit allows. Returns the limit that
// holds then, or `wanted` where it was at least that already.
std::size_t raise_descriptor_limit(std::size_t wanted);

}  // namespace spinneret

#endif  // SPINNERET_BASE_DESCRIPTORS_H_
