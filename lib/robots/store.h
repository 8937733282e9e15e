// SPDX-License-Identifier: Apache-2.0
// The cache folder as a gate reads it. Rules of hosts are compiled on first use, kept in memory
// within a bound, and read again when their file has changed.
//
//   RobotsStore store(folder, options);
//   // nullptr: fetch it first
//   const HostRules* rules = store.find("https://example.org:443", now);
//
// A host in memory costs one hash look-up. Its file is checked (one stat) at most once a second, or
// every time while there are no good rules. Not thread-safe.
#ifndef SPINNERET_ROBOTS_STORE_H_
#define SPINNERET_ROBOTS_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "robots/host_rules.h"

namespace spinneret::robots {

class RobotsStore {
 public:
  // `max_memory` is the bound for bytes of compiled rules; the host in use is always kept.
  RobotsStore(std::string folder, HostRules::Options options,
              std::size_t max_memory = std::size_t{64} << 20)
      : folder_(std::move(folder)), options_(std::move(options)), max_memory_(max_memory) {}

  // Returns the rules of `authority`; nullptr where the file is missing, damaged or past its
  // expiry. Valid until the next call. `now` is in unix seconds.
  const HostRules* find(std::string_view authority, std::int64_t now);

  std::size_t memory() const { return memory_; }
  std::size_t hosts() const { return ring_.size(); }

 private:
  // Identifies the version of a file: a new one has another inode (rename), or at least another
  // time.
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t mtime_ns = 0;
    std::int64_t size = -1;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Host {
    std::string authority;
    std::uint64_t hash = 0;
    std::optional<HostRules> rules;  // nullopt: there is no good file
    Stamp stamp;
    std::int64_t looked = 0;  // when the file was last checked, in unix seconds
    std::size_t memory = 0;
    bool used = false;
  };
  Host& host_of(std::string_view authority);
  void look(Host& host, std::int64_t now);
  void load(Host& host, std::int64_t now);
  void shrink(const Host& in_use);
  static Stamp stamp_of(const std::string& path);

  std::string folder_;
  HostRules::Options options_;
  std::size_t max_memory_;
  // Open addressing over hashes: one cache line leads to the host. The size is a power of two, at
  // most half full.
  struct Slot {
    std::uint64_t hash = 0;
    Host* host = nullptr;  // nullptr: a free slot
  };
  std::size_t find_slot(std::string_view authority, std::uint64_t hash) const;
  void grow();
  void free_slot(std::size_t at);

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::vector<std::unique_ptr<Host>> ring_;
  std::size_t hand_ = 0;
  // Strangers choose the names of hosts, so the hash is seeded.
  std::uint64_t seed_ = random_seed();
  std::size_t memory_ = 0;
};

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_STORE_H_
