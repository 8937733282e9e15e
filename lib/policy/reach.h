// SPDX-License-Identifier: Apache-2.0
// Whether there is any URL at all that a pattern can match: the pattern's language met with that of the part which it
// looks at, as the URL Standard's serialiser and the safe form (url/normalize.h) leave one to be.
//
//   reach_of("^/a b", Part::kPath).answer   // kNotOfTheWeb: a blank is %20, but in such as data:,/a b
//   reach_of("\\?id=", Part::kPath).answer  // kNever: a path ends ahead of the question mark
//   reach_of("^/a", Part::kPath).answer     // kPossible
//
// Both are finite automata over ASCII, and the answer is whether their product has a way to its end. The grammar allows
// somewhat more than URLs are (any dot segment, ports beyond 65535), and what this reader of patterns does not know
// (\p{...}, more than 20,000 states) is taken for possible: a pattern that matches a URL is never said not to.
// Cost: some 0.1 ms a pattern. Pure function, thread-safe.
#ifndef SPINNERET_POLICY_REACH_H_
#define SPINNERET_POLICY_REACH_H_

#include <cstdint>
#include <string_view>

#include "policy/line.h"

namespace spinneret::policy {

struct Reach {
  enum class Answer : std::uint8_t {
    kPossible,
    kNotOfTheWeb,  // none of http, https, ws, wss, ftp, file; perhaps such as mailto:a@b
    kNever,
  };
  Answer answer = Answer::kPossible;
  std::string_view why = {};  // static; what the pattern has that no such part has
};

// `pattern` is RE2 syntax, unanchored; `part` is kUrl, kPath or kQuery, kVia meaning kUrl.
Reach reach_of(std::string_view pattern, Part part);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_REACH_H_
