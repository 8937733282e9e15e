// SPDX-License-Identifier: Apache-2.0
#include "robots/robots_file.h"

#include <algorithm>

#include "base/ascii.h"
#include "robots/agent.h"
#include "robots/text.h"

namespace spinneret::robots {
namespace {

void sort_once(std::vector<RobotsPlace>& places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

}  // namespace

RobotsFile::RobotsFile(std::string_view bytes, const RuleOptions& options)
    : options_(options),
      contents_(read_contents(robots_text(bytes, options.size_limit, storage_), options.mode)) {
  for (std::uint32_t group = 0; group < contents_.groups.size(); ++group) {
    for (const RobotsAgent& agent : contents_.groups[group].agents) {
      const bool everyone =
          options_.mode == RobotsMode::k1994 ? agent.name == "*" : is_everyone(agent.name);
      if (everyone) everyone_.push_back({group, agent.run});
    }
  }
  sort_once(everyone_);
}

RobotsSelection RobotsFile::finish(RobotsSelection own) const {
  if (own.places.empty()) return {everyone_, false};
  sort_once(own.places);
  own.own = true;
  return own;
}

RobotsSelection RobotsFile::select_slowly(std::string_view token) const {
  RobotsSelection own;
  for (std::uint32_t group = 0; group < contents_.groups.size(); ++group) {
    for (const RobotsAgent& agent : contents_.groups[group].agents) {
      if (address_of(agent.name, token, options_.mode, options_.strict_token) == Address::kAgent) {
        own.places.push_back({group, agent.run});
      }
    }
  }
  return finish(std::move(own));
}

void RobotsFile::add_entry(std::string_view name, RobotsPlace place) {
  index_.push_back({hash64(to_lower_copy(name), seed_), place});
}

// Indexes the whole name and its token; where a hash matches, the names are compared.
void RobotsFile::build_index() {
  seed_ = random_seed();
  const bool strict = options_.strict_token || options_.mode == RobotsMode::kGoogle;
  for (std::uint32_t group = 0; group < contents_.groups.size(); ++group) {
    for (const RobotsAgent& agent : contents_.groups[group].agents) {
      const std::string_view token = product_token(agent.name, strict);
      add_entry(token, {group, agent.run});
      if (token != agent.name) add_entry(agent.name, {group, agent.run});
    }
  }
  std::sort(index_.begin(), index_.end(), [](const Entry& a, const Entry& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.place < b.place;
  });
  indexed_ = true;
}

void RobotsFile::find_own(std::string_view token, RobotsSelection& out) {
  if (options_.mode == RobotsMode::kGoogle) token = google_agent(token);
  if (token.empty()) return;
  const std::uint64_t hash = hash64(to_lower_copy(token), seed_);
  auto at = std::lower_bound(index_.begin(), index_.end(), hash,
                             [](const Entry& entry, std::uint64_t h) { return entry.hash < h; });
  for (; at != index_.end() && at->hash == hash; ++at) {
    const RobotsGroup& group = contents_.groups[at->place.group];
    for (std::size_t i = at->place.run;
         i < group.agents.size() && group.agents[i].run == at->place.run; ++i) {
      if (address_of(group.agents[i].name, token, options_.mode, options_.strict_token) ==
          Address::kAgent) {
        out.places.push_back(at->place);
        break;
      }
    }
  }
}

// The first standard compares parts of names, which no index can find.
RobotsSelection RobotsFile::select(std::string_view token) {
  if (options_.mode == RobotsMode::k1994 || ++asked_ == 1) return select_slowly(token);
  if (!indexed_) build_index();
  RobotsSelection own;
  find_own(token, own);
  return finish(std::move(own));
}

std::shared_ptr<const AgentRules> RobotsFile::compiled(const RobotsSelection& selection) {
  std::shared_ptr<const AgentRules>& known = compiled_[selection];
  if (!known) {
    known = std::make_shared<const AgentRules>(
        AgentRules{RuleSet::compile(contents_, selection, options_),
                   Extensions::compile(contents_, selection, options_)});
  }
  return known;
}

std::shared_ptr<const AgentRules> RobotsFile::rules(std::string_view token) {
  return compiled(select(token));
}

std::shared_ptr<const AgentRules> RobotsFile::crawler_rules(std::string_view crawler) {
  while (!crawler.empty()) {
    std::string_view together = cut(crawler, ':');
    RobotsSelection merged;
    while (!together.empty()) {
      const RobotsSelection one = select(cut(together, '+'));
      if (one.own) merged.places.insert(merged.places.end(), one.places.begin(), one.places.end());
    }
    if (!merged.places.empty()) return compiled(finish(std::move(merged)));
  }
  return compiled(finish({}));
}

}  // namespace spinneret::robots
