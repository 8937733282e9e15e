// SPDX-License-Identifier: Apache-2.0
#include "robots/agent_groups.h"

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "robots/agent.h"
#include "robots/selection.h"

namespace spinneret::robots {
namespace {

// The places of one name in the file: pairs of a group and a run of agents there.
using Runs = std::vector<RobotsPlace>;
struct Places {
  std::string name;
  Runs runs;
  std::vector<std::uint32_t> lines;
};

std::string name_of(std::string_view value) {
  return is_everyone(value) ? "*" : to_lower_copy(value);
}

std::vector<Places> places_of(const RobotsContents& contents) {
  std::vector<Places> out;
  std::map<std::string, std::size_t> index;
  for (std::uint32_t group = 0; group < contents.groups.size(); ++group) {
    const auto& agents = contents.groups[group].agents;
    for (std::uint32_t i = 0; i < agents.size(); ++i) {
      const std::string name = name_of(agents[i].name);
      const auto [known, is_new] = index.try_emplace(name, out.size());
      if (is_new) out.push_back({name, {}, {}});
      Places& places = out[known->second];
      places.lines.push_back(agents[i].line);
      const RobotsPlace run{group, agents[i].run};
      if (places.runs.empty() || places.runs.back() != run) places.runs.push_back(run);
    }
  }
  return out;
}

std::vector<const RobotsRecord*> records_of(const RobotsContents& contents, const Runs& runs) {
  std::vector<const RobotsRecord*> out;
  each_record(contents, {runs, true}, false,
              [&out](const RobotsRecord& record) { out.push_back(&record); });
  return out;
}

}  // namespace

std::vector<AgentGroup> agent_groups(const RobotsContents& contents) {
  std::vector<AgentGroup> out;
  // Names that occur in the same runs share their records, so that a group of a thousand agents
  // does not cost a thousand lists.
  std::map<Runs, std::size_t> index;
  for (Places& places : places_of(contents)) {
    const auto [known, is_new] = index.try_emplace(places.runs, out.size());
    if (is_new) out.push_back({{}, std::move(places.lines), records_of(contents, places.runs)});
    out[known->second].names.push_back(places.name);
  }
  for (AgentGroup& group : out) std::sort(group.names.begin(), group.names.end());
  std::stable_partition(out.begin(), out.end(), [](const AgentGroup& group) {
    return std::find(group.names.begin(), group.names.end(), "*") == group.names.end();
  });
  return out;
}

}  // namespace spinneret::robots
