// SPDX-License-Identifier: Apache-2.0
// Whose turn it is: the fuzzer makes one of several checks an input, chosen by the input itself, and so has several times
// as many inputs; the replay makes all of them.
#ifndef SPINNERET_TESTS_FUZZ_TURN_H_
#define SPINNERET_TESTS_FUZZ_TURN_H_

#include <cstddef>
#include <functional>
#include <string_view>

namespace spinneret {

struct Turn {
  explicit Turn(std::string_view input) : hash(std::hash<std::string_view>{}(input)) {}
  // Whether check number `which` of so many is to be made.
  bool is(std::size_t which, std::size_t checks) const {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return hash % checks == which;
#else
    return which < checks;
#endif
  }
  // Whether it is one of the few inputs for which something dear is done: one in so many, and each of the replay.
  bool is_one_in(std::size_t many) const {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return hash / 64 % many == 0;
#else
    return many != 0;
#endif
  }
  std::size_t hash;
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_FUZZ_TURN_H_
