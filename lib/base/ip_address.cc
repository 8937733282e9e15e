// SPDX-License-Identifier: Apache-2.0
#include "base/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "base/excerpt.h"
#include "base/number.h"

namespace spinneret {
namespace {

void set_v4(IpAddress& ip, const void* four_bytes) {
  ip.v4 = true;
  ip.bytes[10] = ip.bytes[11] = 0xFF;
  std::memcpy(ip.bytes.data() + 12, four_bytes, 4);
}

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  if (bracketed) text = text.substr(1, text.size() - 2);
  const std::string terminated(text);
  if (terminated.size() != std::strlen(terminated.c_str())) return std::nullopt;
  IpAddress ip;
  if (in_addr v4{}; !bracketed && inet_pton(AF_INET, terminated.c_str(), &v4) == 1) {
    set_v4(ip, &v4);
    return ip;
  }
  if (inet_pton(AF_INET6, terminated.c_str(), ip.bytes.data()) == 1) return ip;
  return std::nullopt;
}

std::optional<IpAddress> to_ip(const sockaddr& address) {
  IpAddress ip;
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    set_v4(ip, &v4.sin_addr);
    return ip;
  }
  if (address.sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  std::memcpy(ip.bytes.data(), &v6.sin6_addr, 16);
  return ip;
}

bool is_mapped(const IpAddress& ip) {
  constexpr std::array<std::uint8_t, 12> kPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return !ip.v4 && std::equal(kPrefix.begin(), kPrefix.end(), ip.bytes.begin());
}

std::optional<IpAddress> behind_nat64(const IpAddress& ip) {
  constexpr std::array<std::uint8_t, 12> kPrefix = {0, 0x64, 0xFF, 0x9B};
  if (ip.v4 || !std::equal(kPrefix.begin(), kPrefix.end(), ip.bytes.begin())) return std::nullopt;
  IpAddress out;
  out.v4 = true;
  out.bytes[10] = out.bytes[11] = 0xFF;
  std::copy(ip.bytes.begin() + kPrefix.size(), ip.bytes.end(), out.bytes.begin() + kPrefix.size());
  return out;
}

std::string to_string(const IpAddress& ip) {
  char text[INET6_ADDRSTRLEN] = {};
  if (ip.v4) {
    inet_ntop(AF_INET, ip.bytes.data() + 12, text, sizeof text);
  } else {
    inet_ntop(AF_INET6, ip.bytes.data(), text, sizeof text);
  }
  return text;
}

std::string list_text(const std::vector<IpAddress>& addresses) {
  std::string out;
  for (const IpAddress& ip : addresses) {
    if (!out.empty()) out += ',';
    out += ip.v4 ? to_string(ip) : "[" + to_string(ip) + "]";
  }
  return out;
}

bool AddressRange::contains(const IpAddress& ip) const {
  if (ip.v4 != base.v4) return false;
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(base.bytes.begin(), base.bytes.begin() + bits / 8, ip.bytes.begin()))
    return false;
  if (bits % 8 == 0) return true;
  const int shift = 8 - bits % 8;
  return base.bytes[whole] >> shift == ip.bytes[whole] >> shift;
}

Result<AddressRange> parse_range(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<IpAddress> ip = parse_ip(text.substr(0, slash));
  if (!ip) return Error{"not an address or CIDR range such as 10.0.0.0/8: " + excerpt(text)};
  AddressRange range{*ip, 128};
  if (slash == std::string_view::npos) return range;
  const std::uint64_t width = ip->v4 ? 32 : 128;
  const std::optional<std::uint64_t> bits = parse_unsigned(text.substr(slash + 1));
  if (!bits || *bits > width) {
    return Error{"prefix length must be 0 to " + std::to_string(width) + ": " + excerpt(text)};
  }
  range.bits = static_cast<int>(*bits + (128 - width));
  for (std::size_t bit = static_cast<std::size_t>(range.bits); bit < 128; ++bit) {
    if ((ip->bytes[bit / 8] >> (7 - bit % 8) & 1) != 0) {
      return Error{"address has bits set beyond its prefix length: " + excerpt(text)};
    }
  }
  return range;
}

}  // namespace spinneret
