// SPDX-License-Identifier: Apache-2.0
// What becomes of a line whose host's rules are known: a verdict, a matrix, a policy.
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
  // `path`: comparable, of the URL that the context has read. Both views live until the call returns, the host until
  // the flush.
  virtual void answer(std::string_view line, const KnownHost& host, std::string_view path) = 0;
  // Whether settled records are answered, too, instead of passing.
  virtual bool takes_settled() const { return false; }
  // All that was answered is written, or, at the end, all there is.
  virtual void flush() {}
  virtual void end() { flush(); }
};

// Agents by paths, as --matrix prints them.
class AgentMatrix {
 public:
  static constexpr std::size_t kMaxColumns = 1000;
  struct Cell {
    std::string_view word;      // of word_of
    std::uint32_t line = 0;     // of the rule that decides; 0: none does
    std::string_view old_word;  // of --diff, where the verdict differs
    std::uint32_t old_line = 0;
    bool changed() const { return !old_word.empty(); }
  };

  explicit AgentMatrix(RobotsContext& context) : context_(context) {}
  // A path and its cells, one for each agent. False: there are kMaxColumns.
  bool add(std::string_view path, const std::vector<Cell>& cells);
  // With `only_changes` the rows of agents without any are left out, and with records all other cells.
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

// robots=allow or disallow, a field or a record an agent.
std::unique_ptr<Answerer> make_verdict_writer(RobotsContext& context);
// --matrix: a row an agent, a column a line.
std::unique_ptr<Answerer> make_matrix_writer(RobotsContext& context);
// --policy. `may_fetch`: pages, and the files beside robots.txt, are asked for.
std::unique_ptr<Answerer> make_policy_writer(RobotsContext& context, bool may_fetch);

// An explanation of another run's verdict explains none of this one's.
void remove_explanation(Record& record, const std::string& suffix);
// "allow", "disallow", or "unspecified": no group names the agent, and no rule of everyone's decides.
std::string_view word_of(const robots::HostRules& rules, std::size_t agent,
                         const robots::HostRules::Answer& answer);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_ANSWER_H_
