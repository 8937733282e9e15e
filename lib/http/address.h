// SPDX-License-Identifier: Apache-2.0
// IP addresses, and which of them a fetcher may connect to.
//
// A crawler follows links that strangers wrote. Without a policy such a link reaches the crawler's own
// network: 127.0.0.1, 10.0.0.1, the metadata service at 169.254.169.254. The decision is made on the
// address that a socket is about to connect to, so that neither the spelling of a host nor a name that
// resolves differently the second time (rebinding) gets around it.
//
//   AddressPolicy policy;                       // public addresses only
//   policy.allow("192.168.7.0/24");
//   if (auto why = policy.refusal(ip); !why.empty()) refuse(why);   // "loopback"
#ifndef SPINNERET_HTTP_ADDRESS_H_
#define SPINNERET_HTTP_ADDRESS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sockaddr;

namespace spinneret {

// An IPv4 address stands in bytes 12 to 15 behind the mapped prefix, so that one prefix match serves both
// families; `v4` tells it from a mapped IPv6 address, which is another thing to a policy.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  bool v4 = false;
  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

// "192.0.2.1" in four decimal parts, or IPv6 text with or without brackets; no zone.
std::optional<IpAddress> parse_ip(std::string_view text);
// Nothing for families other than IPv4 and IPv6.
std::optional<IpAddress> to_ip(const sockaddr& address);
// Canonical text, without brackets.
std::string to_string(const IpAddress& ip);
// "192.0.2.1,[2001:db8::1]"
std::string list_text(const std::vector<IpAddress>& addresses);

// The addresses that begin with the first `bits` bits of `base`.
struct AddressRange {
  IpAddress base;
  int bits = 128;  // of 128; an IPv4 prefix counts its 96 mapped bits
  bool contains(const IpAddress& ip) const;
};

// "10.0.0.0/8", "fd00::/8", or one address. Bits behind the prefix must be zero.
Result<AddressRange> parse_range(std::string_view text);

class AddressPolicy {
 public:
  // Every address is allowed from now on.
  void allow_all() { allow_all_ = true; }
  // A range in the form of parse_range is allowed, whatever it is.
  Status allow(std::string_view range);

  // Why the address must not be connected to: what it is ("loopback", "private", ...). Empty: it may be.
  // Public unicast addresses are allowed; everything in IANA's special-purpose registries, multicast,
  // and addresses that carry an IPv4 address inside (mapped, NAT64, 6to4, Teredo) are not.
  std::string_view refusal(const IpAddress& ip) const;
  // Those of `addresses` that may be connected to. `refused` says of the first other one what it is
  // ("10.0.0.1 is private").
  std::vector<IpAddress> allowed_of(const std::vector<IpAddress>& addresses,
                                    std::string& refused) const;

 private:
  bool allow_all_ = false;
  std::vector<AddressRange> allowed_;
};

}  // namespace spinneret

#endif  // SPINNERET_HTTP_ADDRESS_H_
