// SPDX-License-Identifier: Apache-2.0
// Decides which IP addresses a fetcher may connect to.
//
// A crawler follows links that strangers wrote. Without a policy such a link reaches the crawler's
// own network: 127.0.0.1, 10.0.0.1, the metadata service at 169.254.169.254. The decision is made
// on the address that a socket is about to connect to, so that neither the spelling of a host nor a
// name that resolves differently the second time (rebinding) gets around it.
//
//   AddressPolicy policy;                       // public addresses only
//   policy.allow("192.168.7.0/24");
//   if (auto why = policy.refusal(ip); !why.empty()) refuse(why);   // "loopback"
#ifndef SPINNERET_HTTP_ADDRESS_H_
#define SPINNERET_HTTP_ADDRESS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.h"
#include "base/result.h"

namespace spinneret::http {

class AddressPolicy {
 public:
  // Allows every address from now on.
  void allow_all() { allow_all_ = true; }
  // Refuses addresses of the other family, whatever else is allowed.
  void only_v4() { only_ = Only::kV4; }
  void only_v6() { only_ = Only::kV6; }
  bool takes_v4() const { return only_ != Only::kV6; }
  bool takes_v6() const { return only_ != Only::kV4; }
  // Allows a range (in the form of parse_range), even one of private addresses.
  Status allow(std::string_view range);

  // Says why the address must not be connected to, by its kind ("loopback", "private", ...); an
  // empty view allows it. Public unicast addresses are allowed. Addresses in IANA's special-purpose
  // registries, multicast addresses, and addresses that carry an IPv4 address inside (mapped, 6to4,
  // Teredo) are refused. Addresses in NAT64's own prefix, 64:ff9b::/96, are judged by the IPv4
  // address inside: this prefix is the way to most of the web from a network without IPv4.
  std::string_view refusal(const IpAddress& ip) const;
  // Returns those of `addresses` that may be connected to. `refused` says of the first of the
  // others what it is ("10.0.0.1 is private").
  std::vector<IpAddress> allowed_of(const std::vector<IpAddress>& addresses,
                                    std::string& refused) const;

 private:
  std::string_view refusal_of(const IpAddress& ip) const;

  enum class Only { kEither, kV4, kV6 };
  Only only_ = Only::kEither;
  bool allow_all_ = false;
  std::vector<AddressRange> allowed_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_ADDRESS_H_
