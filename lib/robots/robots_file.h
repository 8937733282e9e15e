// SPDX-License-Identifier: Apache-2.0
// One robots.txt, read once and asked for as many crawlers as one likes.
//
//   RobotsFile file(bytes);
//   const std::shared_ptr<const AgentRules> rules = file.rules("examplebot");
//   rules->rules.check(path);
//
// Crawlers whom the same lines address share one AgentRules: of 200 agents most fall to "*", and that is
// compiled once. It owns its bytes and outlives the file.
//
// Cost: reading is O(n); the first crawler is found by a walk over the User-agent lines, further ones by
// hash; each distinct set of lines is compiled once. Not thread-safe; what rules() returns is.
#ifndef SPINNERET_ROBOTS_ROBOTS_FILE_H_
#define SPINNERET_ROBOTS_ROBOTS_FILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "robots/contents.h"
#include "robots/extensions.h"
#include "robots/rule_set.h"

namespace spinneret::robots {

// What a robots.txt says to one crawler.
struct AgentRules {
  RuleSet rules;
  Extensions extensions;
};

class RobotsFile {
 public:
  // `bytes` must outlive it.
  explicit RobotsFile(std::string_view bytes, const RuleOptions& options = {});

  const RobotsContents& contents() const { return contents_; }

  // The rules for a product token.
  std::shared_ptr<const AgentRules> rules(std::string_view token);
  // The rules for one crawler of several tokens, "a+b:c": all groups of a and of b count as one, and if there
  // is none, those of c do. A token alone is itself.
  std::shared_ptr<const AgentRules> crawler_rules(std::string_view crawler);
  // Which lines speak to the token; for tests: the same by a walk and by hash.
  RobotsSelection select(std::string_view token);
  RobotsSelection select_slowly(std::string_view token) const;

 private:
  struct Entry {
    std::uint64_t hash;
    RobotsPlace place;
  };
  void build_index();
  void add_entry(std::string_view name, RobotsPlace place);
  void find_own(std::string_view token, RobotsSelection& out);
  RobotsSelection finish(RobotsSelection own) const;
  std::shared_ptr<const AgentRules> compiled(const RobotsSelection& selection);

  RuleOptions options_;
  std::string storage_;
  RobotsContents contents_;
  std::vector<RobotsPlace> everyone_;
  std::vector<Entry> index_;  // by hash
  std::uint64_t seed_ =
      0;  // drawn with the index: most files are asked for one crawler, and need none
  bool indexed_ = false;
  std::uint32_t asked_ = 0;
  std::map<RobotsSelection, std::shared_ptr<const AgentRules>> compiled_;
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_ROBOTS_FILE_H_
