// SPDX-License-Identifier: Apache-2.0
// What becomes of a line whose host's rules are known: a verdict, a matrix, a policy.
#ifndef SPINNERET_TOOLS_ROBOTS_ANSWER_H_
#define SPINNERET_TOOLS_ROBOTS_ANSWER_H_

#include <memory>
#include <string>
#include <string_view>

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

// robots=allow or disallow, a field or a record an agent.
std::unique_ptr<Answerer> make_verdict_writer(RobotsContext& context);
// --matrix: a row an agent, a column a line.
std::unique_ptr<Answerer> make_matrix_writer(RobotsContext& context);
// --policy. `may_fetch`: pages, and the files beside robots.txt, are asked for.
std::unique_ptr<Answerer> make_policy_writer(RobotsContext& context, bool may_fetch);

// An explanation of another run's verdict explains none of this one's.
void remove_explanation(Record& record, const std::string& suffix);
// "allow", "disallow", or "unspecified": no group names the agent, and no rule of everyone's decides.
std::string_view word_of(const HostRules& rules, std::size_t agent,
                         const HostRules::Answer& answer);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_ANSWER_H_
