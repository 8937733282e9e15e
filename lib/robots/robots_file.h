// SPDX-License-Identifier: Apache-2.0
// One robots.txt, read once, in which any number of crawlers can be looked up.
//
//   RobotsFile file(bytes);
//   const std::shared_ptr<const AgentRules> rules = file.rules("examplebot");
//   rules->rules.check(path);
//
// Crawlers addressed by the same lines share one AgentRules. Of 200 agents most are covered by "*",
// which is compiled once. An AgentRules owns its bytes, and outlives the file.
//
// Reading takes O(n). The first crawler is found by a scan of the User-agent lines, further ones by
// hash. Each distinct set of lines is compiled once. Not thread-safe, but what rules() returns is.
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
  // `bytes` must outlive this object.
  explicit RobotsFile(std::string_view bytes, const RuleOptions& options = {});

  const RobotsContents& contents() const { return contents_; }

  // Returns the rules for a product token.
  std::shared_ptr<const AgentRules> rules(std::string_view token);
  // Returns the rules for a crawler with several tokens, "a+b:c": all groups of a and of b count as
  // one; if there is none, those of c are used. A single token stands for itself.
  std::shared_ptr<const AgentRules> crawler_rules(std::string_view crawler);
  // Return the lines that address the token. For tests, which compare the scan with the look-up by
  // hash.
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
      0;  // set when the index is made; most files are queried for one crawler and need no index
  bool indexed_ = false;
  std::uint32_t asked_ = 0;
  std::map<RobotsSelection, std::shared_ptr<const AgentRules>> compiled_;
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_ROBOTS_FILE_H_
