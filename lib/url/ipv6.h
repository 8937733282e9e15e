// SPDX-License-Identifier: Apache-2.0
// IPv6 addresses in URLs (URL Standard, sections 3.5 and 3.6).
#ifndef SPINNERET_URL_IPV6_H_
#define SPINNERET_URL_IPV6_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret {

using Ipv6 = std::array<std::uint16_t, 8>;

struct Ipv6Error {
  std::string_view name;  // the Standard's name for the error
  std::string_view reason;
  std::size_t offset = 0;
};

// Parses the text between the brackets. Returns false, and fills `why`, where it is not an address.
bool parse_ipv6(std::string_view text, Ipv6& out, Ipv6Error& why);

// Appends the shortest form, as RFC 5952 recommends, without brackets.
void append_ipv6(std::string& out, const Ipv6& address);

}  // namespace spinneret

#endif  // SPINNERET_URL_IPV6_H_
