// SPDX-License-Identifier: Apache-2.0
// Leases and tables over Valkey or Redis.
//
//   spinneret:{NAME}:lease:p17   "node epoch", which expires with the TTL
//   spinneret:{NAME}:epoch:p17   the counter of its epochs
//   spinneret:{NAME}:table:T     a hash, by field
//
// What is taken, renewed or claimed counts once floor((replicas + 1) / 2) replicas have it (WAIT), with as many replicas as the
// crawl was begun with; a server that has more now is refused, since its majority is another. A server without replicas
// needs none: it is safe, and stops with it.
#ifndef SPINNERET_LEASE_RESP_LEASES_H_
#define SPINNERET_LEASE_RESP_LEASES_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "lease/lease.h"
#include "resp/connection.h"

namespace spinneret::lease {

class RespLeases : public Leases {
 public:
  // `node` names this process: no space in it, and no other's.
  RespLeases(resp::Address address, const Clock& clock, std::string node, std::int64_t ttl_ms);

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
  std::string fence_key(const Lease& lease) const override;
  std::string fence_value(const Lease& lease) const override;

  bool refused() const override { return connection_.refused(); }

  // Replicas that must confirm; known after the first call that needs it.
  Result<int> majority();
  resp::Connection& connection() { return connection_; }

 private:
  std::string key(std::string_view kind, std::string_view name) const;
  // One script, and, with `confirmed`, the replicas' word for it.
  Result<resp::Reply> call(std::size_t script, std::span<const std::string> keys,
                           std::span<const std::string> arguments, bool confirmed);

  resp::Connection connection_;
  const Clock& clock_;
  std::string node_;
  std::int64_t ttl_ms_;
  int majority_ = -1;
  std::size_t take_, renew_, raise_, release_, write_, swap_, claim_;
};

// "node epoch"; false: it is none.
bool parse_holder(std::string_view text, std::string& node, std::uint64_t& epoch);

}  // namespace spinneret::lease

#endif  // SPINNERET_LEASE_RESP_LEASES_H_
