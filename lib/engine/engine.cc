// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <cstdlib>

#include "bus/pg_bus.h"
#include "bus/resp_bus.h"
#include "lease/pg_leases.h"
#include "lease/resp_leases.h"

namespace spinneret::engine {

const std::string& Address::crawl() const {
  return std::visit([](const auto& one) -> const std::string& { return one.crawl; }, of);
}

Result<Address> parse_address(std::string_view url) {
  if (pg::is_address(url)) {
    Result<pg::Address> address = pg::parse_address(url);
    if (!address.ok()) return address.error();
    // libpq would take it where there is none: it wins.
    if (const char* const word = std::getenv("PGPASSWORD"); word != nullptr && *word != '\0')
      address->password = word;
    return Address{address.take()};
  }
  Result<resp::Address> address = resp::parse_address_with_environment(url);
  if (!address.ok()) return address.error();
  return Address{address.take()};
}

std::unique_ptr<bus::Bus> bus_of(const Address& address, std::uint64_t budget) {
  if (const auto* const pg = std::get_if<pg::Address>(&address.of))
    return std::make_unique<bus::PgBus>(*pg, budget);
  return std::make_unique<bus::RespBus>(std::get<resp::Address>(address.of), budget);
}

std::unique_ptr<lease::Leases> leases_of(const Address& address, const Clock& clock,
                                         const std::string& node, std::int64_t ttl_ms) {
  if (const auto* const pg = std::get_if<pg::Address>(&address.of))
    return std::make_unique<lease::PgLeases>(*pg, clock, node, ttl_ms);
  return std::make_unique<lease::RespLeases>(std::get<resp::Address>(address.of), clock, node,
                                             ttl_ms);
}

}  // namespace spinneret::engine
