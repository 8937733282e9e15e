// SPDX-License-Identifier: Apache-2.0
// Hosts (URL Standard, section 3): domains, IPv4 and IPv6 addresses, opaque hosts.
#ifndef SPINNERET_URL_HOST_H_
#define SPINNERET_URL_HOST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace spinneret {

// What is wrong with a host, at which of its bytes, and what the Standard calls it; of an address that is none of
// these, what its text lacks.
enum Ipv4Note : std::uint8_t {
  kIpv4EmptyPart = 1,  // a dot at the end
  kIpv4NonDecimalPart = 2,
  kIpv4OutOfRangePart = 4,
};
struct HostError {
  std::string message;
  std::size_t offset = 0;
  std::string_view name = {};
  int notes = 0;  // of Ipv4Note
};

// The host parser, followed by the host serializer: appends to `out`. `special`: of a special scheme, whose
// hosts are domains and addresses; others are opaque. `host` is not empty. False: `out` is unspecified
// from its old end on.
bool append_host(std::string_view host, bool special, std::string& out, HostError* why);

// Whether `host`, as Url::host() gives it, is an address and no name.
bool is_ip_address(std::string_view host);

// Without the dot at its end: "example.com." is the same name to the DNS and another to the URL Standard. For what is
// about the server that is reached: rules, delays.
inline std::string_view without_root(std::string_view host) {
  if (host.size() > 1 && host.back() == '.') host.remove_suffix(1);
  return host;
}

// Of a name that append_host leaves as it is: where all bytes are such, and the last label begins with a letter, so
// that it is no address.
constexpr bool is_plain_host_byte(char c) {
  return is_lower(c) || is_digit(c) || c == '-' || c == '.' || c == '_';
}

// "1.2.3.4" from a number.
void append_ipv4(std::string& out, std::uint32_t address);

}  // namespace spinneret

#endif  // SPINNERET_URL_HOST_H_
