// SPDX-License-Identifier: Apache-2.0
// Patterns as finite automata over ASCII, to be met with each other: is there a text that both match?
//
//   const auto a = read_automaton("^/a");
//   const auto b = read_automaton("b$");
//   if (a && b && meet(*a, *b)) ...             // "/ab", for one
//
// RE2 syntax, unanchored. Borders of words (\b) are taken for met wherever they stand. Pure functions.
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

// Thompson's construction. A node's states are made once for each place that it stands at.
struct Automaton {
  std::vector<State> states;
  std::uint32_t start = 0;
};

// Nothing: it is no such pattern, nests more than 500 deep, would take more than 20,000 states, or has something that is
// not known here, as \p{...}.
std::optional<Automaton> read_automaton(std::string_view pattern);

// Whether some text is of both; true also where that would take too much memory to say.
bool meet(const Automaton& a, const Automaton& b);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_AUTOMATON_H_
