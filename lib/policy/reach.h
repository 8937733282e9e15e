// SPDX-License-Identifier: Apache-2.0
// Tells whether there is any URL that a pattern can match. The pattern's language is intersected
// with that of the part it is matched against, as the URL Standard's serialiser and the safe form
// (url/normalize.h) can write it.
//
//   // kNotOfTheWeb: a blank is %20, except in URLs such as data:,/a b
//   reach_of("^/a b", Part::kPath).answer
//   reach_of("\\?id=", Part::kPath).answer  // kNever: a path ends before the question mark
//   reach_of("^/a", Part::kPath).answer     // kPossible
//
// Both are finite automata over ASCII, and the answer is whether their product can reach its end.
// The grammar allows somewhat more than URLs (any dot segment, ports beyond 65535), and a pattern
// that cannot be read here (\p{...}, more than 20,000 states) counts as possible: a pattern that
// matches a URL is never said not to. Cost: some 0.1 ms a pattern. Pure function, thread-safe.
#ifndef SPINNERET_POLICY_REACH_H_
#define SPINNERET_POLICY_REACH_H_

#include <cstdint>
#include <string_view>

#include "policy/line.h"

namespace spinneret::policy {

struct Reach {
  enum class Answer : std::uint8_t {
    kPossible,
    // No URL of http, https, ws, wss, ftp or file; perhaps one such as mailto:a@b.
    kNotOfTheWeb,
    kNever,
  };
  Answer answer = Answer::kPossible;
  std::string_view why = {};  // static; what the pattern has that no such part can have
};

// `pattern` has RE2's syntax and is unanchored. `part` is kUrl, kPath, kQuery, or kVia, which means
// kUrl.
Reach reach_of(std::string_view pattern, Part part);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_REACH_H_
