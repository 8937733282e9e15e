// SPDX-License-Identifier: Apache-2.0
// Leases and tables over PostgreSQL: rows (pg/schema.h), by the primary's clock.
//
// That clock may be set: a lease that so runs out early, or is forgotten, is what the quarantine of its next owner is for, and
// one that would last for longer than twice its time counts as one that has run out. What is taken, renewed or
// claimed counts once it is committed: on the disk, and where the server waits for standbys, by them.
#ifndef SPINNERET_LEASE_PG_LEASES_H_
#define SPINNERET_LEASE_PG_LEASES_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "lease/lease.h"
#include "pg/connection.h"

namespace spinneret::lease {

class PgLeases : public Leases {
 public:
  // `node` names this process: no space in it, and no other's.
  PgLeases(pg::Address address, const Clock& clock, std::string node, std::int64_t ttl_ms);

  Result<Taken> take(std::string_view name, std::uint64_t floor) override;
  Status renew(std::span<const Lease> held, std::vector<Renewed>& answers) override;
  Result<std::optional<std::uint64_t>> raise(const Lease& lease, std::uint64_t floor) override;
  Result<bool> release(const Lease& lease) override;
  Result<bool> write(const Lease& lease, std::span<const Row> rows) override;
  Result<bool> compare_and_set(const Lease& lease, std::string_view table, std::string_view field,
                               const std::optional<std::string>& expected,
                               std::string_view value) override;
  Result<std::string> claim(std::string_view table, std::string_view field,
                            std::string_view value) override;
  Result<Rows> read(std::string_view table) override;
  Status erase(std::string_view table, std::string_view field) override;
  Status holders(std::span<const std::string> names, std::vector<Holder>& holders) override;
  bool refused() const override { return connection_.refused(); }
  std::string fence_key(const Lease& lease) const override { return lease.name; }
  std::string fence_value(const Lease& lease) const override;

 private:
  struct Statements {
    std::size_t take, renew, raise, release, write, put_new, swap, claim, read, erase, holders;
  };
  // The crawl, and the lease as it must stand: $1 to $4.
  pg::Parameters fenced(const Lease& lease) const;
  // Whether the statement gave a row.
  Result<bool> changes(std::size_t statement, const pg::Parameters& parameters);

  pg::Connection connection_;
  const Clock& clock_;
  std::string node_;
  std::int64_t ttl_ms_;
  Statements statements_;
};

}  // namespace spinneret::lease

#endif  // SPINNERET_LEASE_PG_LEASES_H_
