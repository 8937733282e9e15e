// SPDX-License-Identifier: Apache-2.0
// A hash table of host patterns: looking up a host costs the same whatever the number of patterns.
//
//   example.com      that host
//   *.example.com    the hosts below it
//   .example.com     both
//   *                every host
//
// A top-level domain is a name like any other: `.ru`. Names are compared in the URL parser's form
// of hosts (lower case, Punycode, addresses in canonical form), to which parse_host_pattern()
// converts. Immutable and thread-safe once filled.
#ifndef SPINNERET_POLICY_HOST_TABLE_H_
#define SPINNERET_POLICY_HOST_TABLE_H_

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "url/host.h"

namespace spinneret::policy {

enum class HostMatch : std::uint8_t { kExact, kBelow, kTree };

// A parsed pattern; `name` is normalised, and has no final dot (without_root()).
struct HostPattern {
  HostMatch match = HostMatch::kExact;
  std::string name;
};

// Returns false where `text` is not a host pattern; `why` then says why.
bool parse_host_pattern(std::string_view text, HostPattern& out, std::string* why);

class HostTable {
 public:
  // Adds a pattern; `*` is {kTree, ""}.
  void add(const HostPattern& pattern, std::uint32_t id);
  bool empty() const { return exact_.empty() && below_.empty() && everywhere_.empty(); }

  // Appends the ids of all patterns that match `host` (given as Url::host()), the least specific
  // pattern first. An id that was added with several patterns may be appended several times.
  void find(std::string_view host, std::vector<std::uint32_t>& ids) const;
  bool contains(std::string_view host) const;

 private:
  // Names by hash, each with its ids in the order of addition: some 45 bytes a name, and its text.
  class Names {
   public:
    bool empty() const { return entries_.empty(); }
    void add(std::string_view name, std::uint32_t id);
    // Returns whether a name of that length exists: this rules out most hosts and suffixes without
    // hashing them.
    bool has_length(std::size_t size) const { return size < lengths_.size() && lengths_[size]; }
    bool contains(std::string_view name) const { return find(name) != nullptr; }
    void append_ids(std::string_view name, std::vector<std::uint32_t>& ids) const;

    static constexpr std::size_t kMaxLength = 255;

   private:
    struct Entry {
      std::size_t begin;  // in texts_
      std::uint32_t size;
      std::uint32_t id;
      // The name's next id in more_, and its last one; kNone: there is no further id.
      std::uint32_t more;
      std::uint32_t last;
    };
    struct More {
      std::uint32_t id;
      std::uint32_t next;
    };
    static constexpr std::uint32_t kNone = UINT32_MAX;

    const Entry* find(std::string_view name) const;
    // Returns the slot where the name is, or would be put.
    std::size_t slot_of(std::string_view name) const;
    void grow();

    std::bitset<kMaxLength + 1> lengths_;
    std::string texts_;
    std::vector<Entry> entries_;
    std::vector<More> more_;
    std::vector<std::uint32_t> slots_;  // index + 1 of an entry, or 0
  };

  Names exact_;  // kExact patterns, and the name itself of kTree patterns
  Names below_;  // kBelow and kTree patterns, by the suffix without its dot
  std::vector<std::uint32_t> everywhere_;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_HOST_TABLE_H_
