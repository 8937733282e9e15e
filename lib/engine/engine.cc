// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/service_url.h"
#include "bus/pg_bus.h"
#include "bus/resp_bus.h"
#include "kafka/kafka_bus.h"
#include "lease/pg_leases.h"
#include "lease/resp_leases.h"

namespace spinneret::engine {

const std::string& Address::crawl() const {
  return std::visit([](const auto& one) -> const std::string& { return one.crawl; }, of);
}

namespace {

// Returns the URL without the word bus=..., whose value goes into `bus`.
std::string without_bus(std::string_view url, std::string& bus) {
  const std::size_t question = url.find('?');
  if (question == std::string_view::npos) return std::string(url);
  std::string out(url.substr(0, question));
  char before = '?';
  for (std::string_view rest = url.substr(question + 1); !rest.empty();) {
    const std::string_view word = cut(rest, '&');
    if (word.starts_with("bus=")) {
      bus = percent_decoded(word.substr(4));
      continue;
    }
    (out += std::exchange(before, '&')) += word;
  }
  return out;
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  std::string bus;
  const std::string url = without_bus(text, bus);
  Address out;
  if (pg::is_address(url)) {
    Result<pg::Address> address = pg::parse_address(url);
    if (!address.ok()) return address.error();
    // PGPASSWORD takes precedence over the address; libpq itself would use it only where the
    // address has no password.
    if (const char* const word = std::getenv("PGPASSWORD"); word != nullptr && *word != '\0')
      address->password = word;
    out.of = address.take();
  } else {
    Result<resp::Address> address = resp::parse_address_with_environment(url);
    if (!address.ok()) return address.error();
    out.of = address.take();
  }
  if (bus.empty()) return out;
  Result<kafka::Address> kafka = kafka::parse_address(bus, out.crawl());
  if (!kafka.ok()) return kafka.error();
  out.bus = kafka.take();
  return out;
}

std::unique_ptr<bus::Bus> bus_of(const Address& address, std::uint64_t budget) {
  if (address.bus) return std::make_unique<kafka::KafkaBus>(*address.bus);
  if (const auto* const pg = std::get_if<pg::Address>(&address.of)) return bus::pg_bus(*pg, budget);
  return bus::resp_bus(std::get<resp::Address>(address.of), budget);
}

std::unique_ptr<lease::Leases> leases_of(const Address& address, const Clock& clock,
                                         const std::string& node, std::int64_t ttl_ms) {
  if (const auto* const pg = std::get_if<pg::Address>(&address.of))
    return lease::pg_leases(*pg, clock, node, ttl_ms);
  return lease::resp_leases(std::get<resp::Address>(address.of), clock, node, ttl_ms);
}

}  // namespace spinneret::engine
