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

// What is wrong with a host, at which of its bytes, and what the Standard calls the error. An
// address that is valid may have irregularities, which the notes name.
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

// Runs the host parser and the host serializer, and appends to `out`. `special` says that the URL's
// scheme is special: such hosts are domains and addresses, others are opaque. `host` must not be
// empty. Returns false on failure; what was appended to `out` is unspecified then.
bool append_host(std::string_view host, bool special, std::string& out, HostError* why);

// Returns whether `host`, as Url::host() gives it, is an IP address.
bool is_ip_address(std::string_view host);

// Removes a dot at the end: to the DNS, but not to the URL Standard, "example.com." is the same
// name as "example.com". Use this function for anything about the server that is reached, such as
// rules and delays.
inline std::string_view without_root(std::string_view host) {
  if (host.size() > 1 && host.back() == '.') host.remove_suffix(1);
  return host;
}

// Returns whether append_host never changes this byte. A name of such bytes alone stays as it is if
// its last label begins with a letter, so that it is not an address.
constexpr bool is_plain_host_byte(char c) {
  return is_lower(c) || is_digit(c) || c == '-' || c == '.' || c == '_';
}

// Appends the address in the form "1.2.3.4".
void append_ipv4(std::string& out, std::uint32_t address);

}  // namespace spinneret

#endif  // SPINNERET_URL_HOST_H_
