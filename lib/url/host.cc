// SPDX-License-Identifier: Apache-2.0
#include "url/host.h"

#include <array>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "url/idna.h"
#include "url/ipv6.h"
#include "url/percent.h"

namespace spinneret {
namespace {

enum HostClass : std::uint8_t {
  kForbiddenHost = 1,    // forbidden host code points
  kForbiddenDomain = 2,  // forbidden domain code points
  kUpper = 4,
  kNonAscii = 8,
};

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  const auto add = [&classes](char c, int bits) {
    auto& byte = classes[static_cast<unsigned char>(c)];
    byte = static_cast<std::uint8_t>(byte | bits);
  };
  for (char c = 1; c < 0x20; ++c) add(c, kForbiddenDomain);
  for (const char c : std::string_view("%\x7F")) add(c, kForbiddenDomain);
  for (const char c : std::string_view("\0\t\n\r #/:<>?@[\\]^|", 17)) {
    add(c, kForbiddenHost | kForbiddenDomain);
  }
  for (char c = 'A'; c <= 'Z'; ++c) add(c, kUpper);
  for (std::size_t c = 0x80; c < 0x100; ++c) classes[c] = kNonAscii;
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

int class_of_byte(char c) { return kClasses[static_cast<unsigned char>(c)]; }

int classes_in(std::string_view text) {
  int all = 0;
  for (const char c : text) all |= class_of_byte(c);
  return all;
}

// `message` is a function that makes the message, called only if the caller wants it.
template <typename Message>
bool fail(HostError* why, std::string_view name, std::size_t offset, const Message& message) {
  if (why != nullptr) {
    why->message = message();
    why->offset = offset;
    why->name = name;
  }
  return false;
}

bool fail_forbidden(std::string_view host, int bits, std::string_view kind, HostError* why) {
  std::size_t at = 0;
  while ((class_of_byte(host[at]) & bits) == 0) ++at;
  return fail(
      why, kind == "host" ? "host-invalid-code-point" : "domain-invalid-code-point", at,
      [&] { return excerpt(host.substr(at, 1)) + " is not allowed in a " + std::string(kind); });
}

// The opaque-host parser.
bool append_opaque(std::string_view host, std::string& out, HostError* why) {
  if ((classes_in(host) & kForbiddenHost) != 0) {
    return fail_forbidden(host, kForbiddenHost, "host", why);
  }
  append_percent_encoded(out, host, kC0ControlSet);
  return true;
}

bool append_bracketed(std::string_view host, std::string& out, HostError* why) {
  if (host.back() != ']') {
    return fail(why, "IPv6-unclosed", 0, [] { return "IPv6 address has no closing bracket"; });
  }
  Ipv6 address;
  Ipv6Error error;
  if (!parse_ipv6(host.substr(1, host.size() - 2), address, error)) {
    return fail(why, error.name, error.offset + 1,
                [&] { return "IPv6 address has " + std::string(error.reason); });
  }
  out += '[';
  append_ipv6(out, address);
  out += ']';
  return true;
}

// The IPv4 number parser. Returns 2^32 for any larger number, and -1 for text that is no number.
std::int64_t ipv4_number(std::string_view part) {
  if (part.empty()) return -1;
  int radix = 10;
  if (part.size() >= 2 && part[0] == '0') {
    const bool hex = (part[1] | 0x20) == 'x';
    radix = hex ? 16 : 8;
    part.remove_prefix(hex ? 2 : 1);
  }
  constexpr std::int64_t kTooLarge = std::int64_t{1} << 32;
  std::int64_t value = 0;
  for (const char c : part) {
    const int digit = hex_value(c);
    if (digit < 0 || digit >= radix) return -1;
    value = std::min(kTooLarge, value * radix + digit);
  }
  return value;
}

// The ends-in-a-number checker.
bool ends_in_number(std::string_view domain) {
  if (domain.back() == '.') domain.remove_suffix(1);
  const std::string_view last = domain.substr(domain.rfind('.') + 1);
  if (last.empty() || !is_digit(last.front())) return false;
  return last.find_first_not_of("0123456789") == std::string_view::npos || ipv4_number(last) >= 0;
}

// The IPv4 parser, then its serializer.
bool append_ipv4_text(std::string_view domain, std::string& out, HostError* why) {
  std::string_view rest = domain;
  int notes = 0;
  if (rest.back() == '.') {
    rest.remove_suffix(1);
    notes = kIpv4EmptyPart;
  }
  std::int64_t numbers[4];
  std::size_t count = 0;
  bool more = true;
  while (more) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    more = dot != std::string_view::npos;
    if (count == 4) {
      return fail(why, "IPv4-too-many-parts", 0,
                  [] { return "IPv4 address has more than four parts"; });
    }
    numbers[count] = ipv4_number(part);
    if (numbers[count++] < 0) {
      return fail(why, "IPv4-non-numeric-part", 0,
                  [&] { return "IPv4 address has " + excerpt(part) + ", which is not a number"; });
    }
    if (part.size() > 1 && part[0] == '0') notes |= kIpv4NonDecimalPart;
    if (more) rest.remove_prefix(dot + 1);
  }
  std::int64_t address = numbers[count - 1];
  if (address >= std::int64_t{1} << (8 * (5 - count))) {
    return fail(why, "IPv4-out-of-range-part", 0, [] { return "IPv4 address is out of range"; });
  }
  if (address > 255) notes |= kIpv4OutOfRangePart;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (numbers[i] > 255) {
      return fail(why, "IPv4-out-of-range-part", 0,
                  [] { return "IPv4 address has a part over 255"; });
    }
    address += numbers[i] << (8 * (3 - i));
  }
  if (why != nullptr) why->notes = notes;
  append_ipv4(out, static_cast<std::uint32_t>(address));
  return true;
}

// Appends a domain without escapes and non-ASCII bytes, for which domain to ASCII is only
// lower-casing.
bool append_ascii_domain(std::string_view domain, int classes, std::string& out, HostError* why) {
  if ((classes & kForbiddenDomain) != 0) {
    return fail_forbidden(domain, kForbiddenDomain, "domain", why);
  }
  if (ends_in_number(domain)) return append_ipv4_text(domain, out, why);
  const std::size_t begin = out.size();
  out += domain;
  if ((classes & kUpper) == 0) return true;
  for (std::size_t i = begin; i < out.size(); ++i) out[i] = to_lower(out[i]);
  return true;
}

bool append_domain_slow(std::string_view host, std::string& out, HostError* why) {
  std::string decoded;
  append_percent_decoded(decoded, host);
  std::string ascii;
  std::string reason;
  if (!domain_to_ascii(decoded, ascii, why != nullptr ? &reason : nullptr)) {
    return fail(why, "domain-to-ASCII", 0,
                [&] { return "domain " + excerpt(host, 60) + ": " + reason; });
  }
  if (ascii.empty()) {
    return fail(why, "domain-to-ASCII", 0,
                [&] { return "domain " + excerpt(host, 60) + " is empty once mapped"; });
  }
  if (append_ascii_domain(ascii, classes_in(ascii), out, why)) return true;
  if (why != nullptr) why->offset = 0;
  return false;
}

}  // namespace

bool append_host(std::string_view host, bool special, std::string& out, HostError* why) {
  if (host.front() == '[') return append_bracketed(host, out, why);
  if (!special) return append_opaque(host, out, why);
  const int classes = classes_in(host);
  if ((classes & kNonAscii) != 0 || host.find('%') != std::string_view::npos) {
    return append_domain_slow(host, out, why);
  }
  return append_ascii_domain(host, classes, out, why);
}

bool is_ip_address(std::string_view host) {
  // In the form that the parser writes, an address ends in a digit.
  return !host.empty() && (host.front() == '[' || (is_digit(host.back()) && ends_in_number(host)));
}

void append_ipv4(std::string& out, std::uint32_t address) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    append_unsigned(out, (address >> shift) & 255);
    if (shift != 0) out += '.';
  }
}

}  // namespace spinneret
