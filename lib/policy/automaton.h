// SPDX-License-Identifier: Apache-2.0
// Patterns as finite automata over ASCII, to find out whether there is a text that two of them match.
//
//   const auto a = read_automaton("^/a");
//   const auto b = read_automaton("b$");
//   if (a && b && meet(*a, *b)) ...             // "/ab", for one
//
// RE2 syntax, unanchored. Word borders (\b) are assumed to be met everywhere. Pure functions.
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

// Thompson's construction. A node's states are made once for each place where it stands.
struct Automaton {
  std::vector<State> states;
  std::uint32_t start = 0;
};

// Returns nothing where the pattern is invalid, nests more than 500 deep, would take more than 20,000 states, or uses
// something that is not supported here, such as \p{...}.
std::optional<Automaton> read_automaton(std::string_view pattern);

// Whether both match some text; also true where finding out would take too much memory.
bool meet(const Automaton& a, const Automaton& b);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_AUTOMATON_H_
