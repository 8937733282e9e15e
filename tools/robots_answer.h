// SPDX-License-Identifier: Apache-2.0
// Writes the answer for a line whose host's rules are known: a verdict, a matrix, a policy.
#ifndef SPINNERET_TOOLS_ROBOTS_ANSWER_H_
#define SPINNERET_TOOLS_ROBOTS_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "robots_hosts.h"

namespace spinneret {

class Answerer {
 public:
  virtual ~Answerer() = default;
  // `path` is the comparable path of the URL that the context has read. Both views are valid until
  // the call returns, the host until flush().
  virtual void answer(std::string_view line, const KnownHost& host, std::string_view path) = 0;
  // Whether settled records are answered too, instead of being passed on.
  virtual bool takes_settled() const { return false; }
  // flush() writes all answers that are due; end(), to be called at the end, writes the rest.
  virtual void flush() {}
  virtual void end() { flush(); }
};

// Agents by paths, as --matrix prints them.
class AgentMatrix {
 public:
  static constexpr std::size_t kMaxColumns = 1000;
  struct Cell {
    std::string_view word;      // as word_of() gives it
    std::uint32_t line = 0;     // line of the rule that decides; 0: none does
    std::string_view old_word;  // --diff: the old verdict, where it differs
    std::uint32_t old_line = 0;
    bool changed() const { return !old_word.empty(); }
  };

  explicit AgentMatrix(RobotsContext& context) : context_(context) {}
  // Adds a path and its cells, one for each agent. Returns false where there are kMaxColumns
  // already.
  bool add(std::string_view path, const std::vector<Cell>& cells);
  // Prints the table. With `only_changes` rows of agents without a change are left out; as records,
  // all cells without one are.
  void print(bool only_changes);

 private:
  const Cell& cell(std::size_t agent, std::size_t path) const;
  bool has_change(std::size_t agent) const;
  std::vector<std::size_t> find_widths() const;
  void write_row(std::string_view row);
  void write_records(bool only_changes);

  RobotsContext& context_;
  std::vector<std::string> paths_;
  std::vector<Cell> cells_;  // by path, and within a path by agent
};

// Writes robots=allow or robots=disallow: a field for each agent, or a record.
std::unique_ptr<Answerer> make_verdict_writer(RobotsContext& context);
// --matrix: a row for each agent, a column for each line.
std::unique_ptr<Answerer> make_matrix_writer(RobotsContext& context);
// --policy. `may_fetch`: pages, and the files beside robots.txt, are asked for.
std::unique_ptr<Answerer> make_policy_writer(RobotsContext& context, bool may_fetch);

// Removes the explanation of a verdict of an earlier run.
void remove_explanation(Record& record, const std::string& suffix);
// Returns "allow", "disallow", or "unspecified": no group names the agent, and no rule for everyone
// decides.
std::string_view word_of(const robots::HostRules& rules, std::size_t agent,
                         const robots::HostRules::Answer& answer);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_ANSWER_H_
