// SPDX-License-Identifier: Apache-2.0
// The engine that a crawl on many machines uses: which bus and which leases belong to its address.
//
//   Result<engine::Address> address = engine::parse_address("postgresql://h/crawls/mycrawl");
//   std::unique_ptr<bus::Bus> bus = engine::bus_of(*address, bus::stream_budget(16));
//   std::unique_ptr<lease::Leases> leases =
//       engine::leases_of(*address, system_clock(), "a.17", 10'000);
//
// resp/address.h and pg/address.h describe the addresses. Either may name another bus by one more
// word behind the question mark: bus=kafka://b1,b2 (kafka/address.h). The engine is not contacted
// before the first call.
#ifndef SPINNERET_ENGINE_ENGINE_H_
#define SPINNERET_ENGINE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"
#include "bus/bus.h"
#include "kafka/address.h"
#include "lease/lease.h"
#include "pg/address.h"
#include "resp/address.h"

namespace spinneret::engine {

struct Address {
  std::variant<resp::Address, pg::Address> of;
  std::optional<kafka::Address> bus;  // the bus for links, if it is not the engine itself

  // The crawl's name.
  const std::string& crawl() const;
};

// Parses an address, and adds passwords from the environment.
Result<Address> parse_address(std::string_view url);

// `budget` bounds the unread bytes of a stream.
std::unique_ptr<bus::Bus> bus_of(const Address& address, std::uint64_t budget);
// `node` names this process. It must not contain a space, and no other process may have the name.
std::unique_ptr<lease::Leases> leases_of(const Address& address, const Clock& clock,
                                         const std::string& node, std::int64_t ttl_ms);

}  // namespace spinneret::engine

#endif  // SPINNERET_ENGINE_ENGINE_H_
