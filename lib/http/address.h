// SPDX-License-Identifier: Apache-2.0
// Which IP addresses a fetcher may connect to.
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

#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.h"
#include "base/result.h"

namespace spinneret::http {

class AddressPolicy {
 public:
  // Every address is allowed from now on.
  void allow_all() { allow_all_ = true; }
  // Those of the other family are refused, whatever else is allowed.
  void only_v4() { only_ = Only::kV4; }
  void only_v6() { only_ = Only::kV6; }
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
  enum class Only { kEither, kV4, kV6 };
  Only only_ = Only::kEither;
  bool allow_all_ = false;
  std::vector<AddressRange> allowed_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_ADDRESS_H_
