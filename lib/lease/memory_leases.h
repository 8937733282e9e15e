// SPDX-License-Identifier: Apache-2.0
// Leases in memory, for tests: an engine that several nodes of one process share and that can be
// told to forget, and a node's view of it.
#ifndef SPINNERET_LEASE_MEMORY_LEASES_H_
#define SPINNERET_LEASE_MEMORY_LEASES_H_

#include <cstdint>
#include <map>
#include <string>

#include "base/clock.h"
#include "lease/lease.h"

namespace spinneret::lease {

// The state of the engine.
struct MemoryLeaseEngine {
  struct Row {
    std::string node;
    std::uint64_t epoch = 0;
    std::int64_t until_ns = 0;
  };
  std::map<std::string, Row, std::less<>> leases;
  std::map<std::string, std::uint64_t, std::less<>> counters;
  std::map<std::string, Rows, std::less<>> tables;
  bool away = false;  // every call fails

  void forget() {
    leases.clear();
    counters.clear();
    tables.clear();
  }
};

class MemoryLeases : public Leases {
 public:
  // Borrows the engine and the clock.
  MemoryLeases(MemoryLeaseEngine& engine, const Clock& clock, std::string node, std::int64_t ttl_ms)
      : engine_(engine), clock_(clock), node_(std::move(node)), ttl_ns_(ttl_ms * 1'000'000) {}

  Result<Taken> take(std::string_view name, std::uint64_t floor) override;
  Status renew(std::span<const Lease> held, std::vector<Renewed>& answers) override;
  Result<std::optional<std::uint64_t>> raise(const Lease& lease, std::uint64_t floor) override;
  Result<bool> release(const Lease& lease) override;
  Status write_each(std::span<const Writing> all, std::vector<bool>& written) override;
  Result<bool> compare_and_set(const Lease& lease, std::string_view table, std::string_view field,
                               const std::optional<std::string>& expected,
                               std::string_view value) override;
  Result<std::string> claim(std::string_view table, std::string_view field,
                            std::string_view value) override;
  Result<Rows> read(std::string_view table) override;
  Status erase(std::string_view table, std::string_view field) override;
  Status holders(std::span<const std::string> names, std::vector<Holder>& holders) override;
  std::string fence_key(const Lease& lease) const override { return lease.name; }
  std::string fence_value(const Lease& lease) const override;

 private:
  // Returns the row of a lease that has not run out; nullptr where there is none.
  MemoryLeaseEngine::Row* live(std::string_view name);
  bool owns(const Lease& lease);
  std::uint64_t new_epoch(std::string_view name, std::uint64_t floor);

  MemoryLeaseEngine& engine_;
  const Clock& clock_;
  std::string node_;
  std::int64_t ttl_ns_;
};

}  // namespace spinneret::lease

#endif  // SPINNERET_LEASE_MEMORY_LEASES_H_
