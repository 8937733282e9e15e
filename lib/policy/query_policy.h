// SPDX-License-Identifier: Apache-2.0
// The query parameters that a path may carry.
//
//   query-parameters /search q page      any combination of q and page on /search
//   query-parameters /search id          or id alone
//   query-parameters /wiki/* utm_* old   on all paths that begin with /wiki/; names by prefix
//   query-parameters strip /shop/* id    other parameters are dropped from the URL
//
// Of the lines whose path matches, those with the most specific path count (an exact path before
// the longest prefix), and one of their sets must contain all parameters of the URL. Values do not
// matter; names are compared with percent-encoding undone. Immutable and thread-safe once filled.
#ifndef SPINNERET_POLICY_QUERY_POLICY_H_
#define SPINNERET_POLICY_QUERY_POLICY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policy/text_hash.h"

namespace spinneret::policy {

class QueryPolicy {
 public:
  struct Set {
    std::vector<std::string> names;  // "utm_*" is a prefix
    bool strip = false;
    std::uint32_t line = 0;
  };
  // `path` is "/search", or "/wiki/*" for a prefix.
  void add(std::string_view path, Set set);
  bool empty() const { return exact_.empty() && prefixes_.empty(); }

  enum class Answer : std::uint8_t {
    kNoRule,   // no line is about this path
    kAllowed,  // `line` allows the query
    kBlocked,  // `line`, the first for this path, does not allow it
    kStrip,    // `line` removes parameters: `kept` is what remains of the query
  };
  // `query` is without its '?', and not empty.
  Answer judge(std::string_view path, std::string_view query, std::uint32_t& line,
               std::string& kept) const;

 private:
  const std::vector<Set>* find(std::string_view path) const;

  std::unordered_map<std::string, std::vector<Set>, TextHash, std::equal_to<>> exact_;
  std::vector<std::pair<std::string, std::vector<Set>>> prefixes_;  // longest first
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_QUERY_POLICY_H_
