// SPDX-License-Identifier: Apache-2.0
// Host patterns, hashed: what a host costs does not grow with the number of patterns.
//
//   example.com      that host
//   *.example.com    the hosts below it
//   .example.com     both
//   *                every host
//
// A top-level domain is a name like any other: `.ru`. Names are compared in the form that the URL parser
// gives hosts (lower case, Punycode, addresses in their usual form); add() converts.
// Immutable and thread-safe once filled.
#ifndef SPINNERET_POLICY_HOST_TABLE_H_
#define SPINNERET_POLICY_HOST_TABLE_H_

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policy/text_hash.h"
#include "url/host.h"

namespace spinneret::policy {

enum class HostMatch : std::uint8_t { kExact, kBelow, kTree };

// A pattern taken apart; `name` is normalised, and without_root().
struct HostPattern {
  HostMatch match = HostMatch::kExact;
  std::string name;
};

// False: `why` says why `text` is no host pattern.
bool parse_host_pattern(std::string_view text, HostPattern& out, std::string* why);

class HostTable {
 public:
  // `*` is {kTree, ""}.
  void add(const HostPattern& pattern, std::uint32_t id);
  bool empty() const { return exact_.empty() && below_.empty() && everywhere_.empty(); }

  // Appends the ids of all patterns that `host` (as Url::host()) matches; an id that was added with
  // several patterns may come several times. From the least to the most specific pattern.
  void find(std::string_view host, std::vector<std::uint32_t>& ids) const;
  bool contains(std::string_view host) const;

 private:
  using Map =
      std::unordered_map<std::string, std::vector<std::uint32_t>, TextHash, std::equal_to<>>;

  // Which lengths of names there are: most hosts and suffixes need not be hashed to be told apart.
  using Lengths = std::bitset<256>;
  static bool has(const Map& map, const Lengths& lengths, std::string_view name) {
    return name.size() < lengths.size() && lengths[name.size()] && map.find(name) != map.end();
  }

  Lengths exact_lengths_;
  Lengths below_lengths_;
  Map exact_;  // kExact, and the name itself of kTree
  Map below_;  // kBelow and kTree, by the suffix without its dot
  std::vector<std::uint32_t> everywhere_;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_HOST_TABLE_H_
