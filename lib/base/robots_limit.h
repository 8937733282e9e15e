// SPDX-License-Identifier: Apache-2.0
// How much of a robots.txt is read, whether it comes from a file, a cache or the network.
#ifndef SPINNERET_BASE_ROBOTS_LIMIT_H_
#define SPINNERET_BASE_ROBOTS_LIMIT_H_

#include <cstddef>

namespace spinneret {

// RFC 9309, section 2.5, asks for at least 500 KiB. The largest of 4,231 real files has 1.3 MB, and
// rules that are not read cannot be obeyed. lib/http cuts a response at this size, and lib/robots
// cuts a file: if the two limits differed, one robots.txt could give two verdicts.
inline constexpr std::size_t kRobotsSizeLimit = std::size_t{4} << 20;

}  // namespace spinneret

#endif  // SPINNERET_BASE_ROBOTS_LIMIT_H_
