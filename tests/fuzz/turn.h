// SPDX-License-Identifier: Apache-2.0
// Chooses which check is made: the fuzzer makes one of several checks for each input, chosen by the
// input itself, and so runs several times as many inputs. The replay makes all of them.
#ifndef SPINNERET_TESTS_FUZZ_TURN_H_
#define SPINNERET_TESTS_FUZZ_TURN_H_

#include <cstddef>
#include <functional>
#include <string_view>

namespace spinneret {

struct Turn {
  explicit Turn(std::string_view input) : hash(std::hash<std::string_view>{}(input)) {}
  // Returns whether check number `which` of `checks` is to be made.
  bool is(std::size_t which, std::size_t checks) const {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return hash % checks == which;
#else
    return which < checks;
#endif
  }
  // Returns whether the input is one of the few for which something expensive is done: one in
  // `many`, and each one of the replay.
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
