// SPDX-License-Identifier: Apache-2.0
// Patterns as finite automata over ASCII, to find out whether there is a text that two patterns
// match.
//
//   const auto a = read_automaton("^/a");
//   const auto b = read_automaton("b$");
//   if (a && b && meet(*a, *b)) ...             // true: both match "/ab", for example
//
// Patterns have RE2 syntax and are unanchored. Word borders (\b) are assumed to be met everywhere.
// These are pure functions.
#ifndef SPINNERET_POLICY_AUTOMATON_H_
#define SPINNERET_POLICY_AUTOMATON_H_

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spinneret::policy {

struct State {
  enum class Kind : std::uint8_t { kByte, kSplit, kBegin, kEnd, kMatch };
  Kind kind;
  std::uint32_t next = UINT32_MAX;
  std::uint32_t other = UINT32_MAX;  // of kSplit
  std::bitset<128> bytes = {};       // of kByte
};

// Thompson's construction. The states of a node are made once for each place where the node occurs.
struct Automaton {
  std::vector<State> states;
  std::uint32_t start = 0;
};

// Returns nothing where the pattern is invalid, nests more than 500 deep, would take more than
// 20,000 states, or uses something that is not supported here, such as \p{...}.
std::optional<Automaton> read_automaton(std::string_view pattern);

// Returns whether some text matches both. Also returns true where finding out would take too much
// memory.
bool meet(const Automaton& a, const Automaton& b);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_AUTOMATON_H_
