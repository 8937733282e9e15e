// SPDX-License-Identifier: Apache-2.0
// IP addresses and ranges of them (RFC 4632, RFC 4291 section 2.3), as text and as bytes.
//
//   const Result<AddressRange> range = parse_range("10.0.0.0/8");
//   if (const auto ip = parse_ip(text); ip && range->contains(*ip)) ...
//
// Values without state; every function is thread-safe.
#ifndef SPINNERET_BASE_IP_ADDRESS_H_
#define SPINNERET_BASE_IP_ADDRESS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sockaddr;

namespace spinneret {

// An address of either family in 16 bytes. IPv4 stands in bytes 12 to 15 after the prefix of
// mapped addresses, so that one comparison of prefixes serves both families. `v4` tells an IPv4
// address from a mapped IPv6 address, which a policy treats as a different thing.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  bool v4 = false;
  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

// Parses "192.0.2.1" in four decimal parts, or IPv6 text. Brackets are allowed around IPv6 alone; a
// zone is not allowed.
std::optional<IpAddress> parse_ip(std::string_view text);
// Returns the address of a socket; nothing for families other than IPv4 and IPv6.
std::optional<IpAddress> to_ip(const sockaddr& address);
// Whether `ip` is the IPv6 form of an IPv4 address, ::ffff:10.1.2.3 (RFC 4291, section 2.5.5.2).
bool is_mapped(const IpAddress& ip);
// Returns the IPv4 address that a NAT64 translator reaches through an address in 64:ff9b::/96 (RFC
// 6052, section 2.1), such as DNS64 answers with on networks without IPv4; nothing for other
// addresses.
std::optional<IpAddress> behind_nat64(const IpAddress& ip);
// Returns canonical text, without brackets.
std::string to_string(const IpAddress& ip);
// Returns a list such as "192.0.2.1,[2001:db8::1]".
std::string list_text(const std::vector<IpAddress>& addresses);

// All addresses that share the first `bits` bits of `base`.
struct AddressRange {
  IpAddress base;
  int bits = 128;  // of 128; an IPv4 prefix includes the 96 bits of the mapped prefix
  bool contains(const IpAddress& ip) const;
};

// Parses "10.0.0.0/8", "fd00::/8", or one address. Bits after the prefix must be zero.
Result<AddressRange> parse_range(std::string_view text);

}  // namespace spinneret

#endif  // SPINNERET_BASE_IP_ADDRESS_H_
