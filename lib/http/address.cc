// SPDX-License-Identifier: Apache-2.0
#include "http/address.h"

#include <optional>

namespace spinneret::http {
namespace {

struct SpecialRange {
  std::string_view prefix;
  std::string_view what;
};

// The IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and later additions), and
// multicast. The first match names the address, so that a range stands before the one that contains
// it.
constexpr SpecialRange kSpecial[] = {
    {"127.0.0.0/8", "loopback"},
    {"10.0.0.0/8", "private"},
    {"172.16.0.0/12", "private"},
    {"192.168.0.0/16", "private"},
    {"169.254.0.0/16", "link-local"},
    {"100.64.0.0/10", "carrier-grade NAT"},
    {"0.0.0.0/8", "this network"},
    {"192.0.0.0/24", "protocol assignment"},
    {"192.0.2.0/24", "documentation"},
    {"198.51.100.0/24", "documentation"},
    {"203.0.113.0/24", "documentation"},
    {"192.88.99.0/24", "6to4 relay"},
    {"198.18.0.0/15", "benchmarking"},
    {"224.0.0.0/4", "multicast"},
    {"240.0.0.0/4", "reserved"},
    {"::1", "loopback"},
    {"::", "unspecified"},
    {"::ffff:0:0/96", "IPv4-mapped"},
    {"64:ff9b:1::/48", "NAT64"},
    {"fc00::/7", "unique local"},
    {"fe80::/10", "link-local"},
    {"fec0::/10", "site-local"},
    {"ff00::/8", "multicast"},
    {"2001:db8::/32", "documentation"},
    {"3fff::/20", "documentation"},
    {"2001::/32", "Teredo"},
    {"2001::/23", "protocol assignment"},
    {"2002::/16", "6to4"},
};
// Contains all of global unicast (RFC 4291 section 2.4); addresses outside are reserved or special.
constexpr std::string_view kGlobalUnicast = "2000::/3";

struct NamedRange {
  AddressRange range;
  std::string_view what;
};

const std::vector<NamedRange>& special_ranges() {
  static const auto* const ranges = [] {
    auto* const out = new std::vector<NamedRange>;
    for (const SpecialRange& special : kSpecial) {
      out->push_back({*parse_range(special.prefix), special.what});
    }
    return out;
  }();
  return *ranges;
}

}  // namespace

Status AddressPolicy::allow(std::string_view range) {
  Result<AddressRange> parsed = parse_range(range);
  if (!parsed.ok()) return parsed.error();
  allowed_.push_back(*parsed);
  return {};
}

std::string_view AddressPolicy::refusal(const IpAddress& ip) const {
  if (only_ == Only::kV6 && ip.v4) return "IPv4";
  if (only_ == Only::kV4 && !ip.v4) return "IPv6";
  return allow_all_ ? std::string_view() : refusal_of(ip);
}

// A translator passes on every address behind its prefix, even one of our own network.
std::string_view AddressPolicy::refusal_of(const IpAddress& ip) const {
  for (const AddressRange& range : allowed_) {
    if (range.contains(ip)) return {};
  }
  if (const std::optional<IpAddress> behind = behind_nat64(ip)) return refusal_of(*behind);
  for (const NamedRange& special : special_ranges()) {
    if (special.range.contains(ip)) return special.what;
  }
  static const AddressRange kGlobal = *parse_range(kGlobalUnicast);
  return ip.v4 || kGlobal.contains(ip) ? std::string_view() : std::string_view("reserved");
}

std::vector<IpAddress> AddressPolicy::allowed_of(const std::vector<IpAddress>& addresses,
                                                 std::string& refused) const {
  std::vector<IpAddress> out;
  for (const IpAddress& ip : addresses) {
    const std::string_view why = refusal(ip);
    if (why.empty()) {
      out.push_back(ip);
    } else if (refused.empty()) {
      refused = to_string(ip) + " is " + std::string(why);
    }
  }
  return out;
}

}  // namespace spinneret::http
