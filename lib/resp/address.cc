// SPDX-License-Identifier: Apache-2.0
#include "resp/address.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret::resp {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") ==
             std::string_view::npos;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
        hex_value(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// "h1:7000", "h1", "[::1]:7000".
bool parse_host(std::string_view text, int port, Host& host) {
  std::string_view digits;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    host.name = text.substr(1, end - 1);
    digits = text.substr(end + 1);
  } else {
    host.name = text.substr(0, text.find(':'));
    digits = text.substr(host.name.size());
  }
  host.port = port;
  if (host.name.empty()) return false;
  if (digits.empty()) return true;
  const std::optional<std::uint64_t> number = parse_unsigned(digits.substr(1));
  if (digits.front() != ':' || !number || *number == 0 || *number > 65535) return false;
  host.port = static_cast<int>(*number);
  return true;
}

// Behind the question mark: "sentinel=it&ca=/etc/ca.pem".
Status parse_words(std::string_view rest, Address& address) {
  while (!rest.empty()) {
    const std::string_view word = cut(rest, '&');
    const std::string_view name = word.substr(0, word.find('='));
    const std::string value = percent_decoded(word.substr(std::min(name.size() + 1, word.size())));
    if (name == "sentinel" && is_name(value)) {
      address.sentinel = value;
    } else if (name == "ca" && address.tls.on && !value.empty()) {
      address.tls.ca = value;
    } else if (name == "cert" && address.tls.on && !value.empty()) {
      address.tls.certificate = value;
    } else if (name == "key" && address.tls.on && !value.empty()) {
      address.tls.key = value;
    } else {
      return Error{
          "an engine's address has sentinel=MASTER behind its ?, and with rediss:// ca=FILE, "
          "cert=FILE, key=FILE"};
    }
  }
  if (!address.tls.key.empty() && address.tls.certificate.empty())
    return Error{"an engine's address has key=FILE without cert=FILE"};
  return {};
}

}  // namespace

std::string text_of(const Host& host) {
  const bool six = host.name.find(':') != std::string::npos;
  return (six ? "[" + host.name + "]" : host.name) + ":" + std::to_string(host.port);
}

std::string Address::text() const {
  std::string out = tls.on ? "rediss://" : "redis://";
  for (const Host& seed : seeds) out += (&seed == seeds.data() ? "" : ",") + text_of(seed);
  out += "/" + crawl;
  if (!sentinel.empty()) out += "?sentinel=" + sentinel;
  return out;
}

// No message quotes what may hold a password.
Result<Address> parse_address(std::string_view url) {
  const Error form{"an engine is named as redis://host[:port][,host...]/NAME[?sentinel=MASTER]"};
  Address address;
  address.tls.on = url.starts_with("rediss://") || url.starts_with("valkeys://");
  if (!address.tls.on && !url.starts_with("redis://") && !url.starts_with("valkey://")) return form;
  url.remove_prefix(url.find("://") + 3);
  if (const std::size_t query = url.find('?'); query != std::string_view::npos) {
    const Status read = parse_words(url.substr(query + 1), address);
    if (!read.ok()) return read.error();
    url = url.substr(0, query);
  }
  const std::size_t slash = url.rfind('/');
  if (slash == std::string_view::npos)
    return Error{form.message + ": NAME, of the crawl, is missing"};
  address.crawl = url.substr(slash + 1);
  if (!is_name(address.crawl)) {
    return Error{"the crawl's name in an engine's address is of a-z 0-9 - _ . and at most 64 long"};
  }
  url = url.substr(0, slash);
  if (const std::size_t at = url.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = url.substr(0, at);
    const std::size_t colon = who.find(':');
    address.user = percent_decoded(who.substr(0, colon));
    if (colon != std::string_view::npos) address.password = percent_decoded(who.substr(colon + 1));
    url = url.substr(at + 1);
  }
  while (true) {
    const std::string_view one = url.substr(0, url.find(','));
    Host host;
    if (!parse_host(one, address.sentinel.empty() ? 6379 : 26379, host)) return form;
    address.seeds.push_back(std::move(host));
    if (one.size() == url.size()) return address;
    url.remove_prefix(one.size() + 1);
  }
}

Result<Address> parse_address_with_environment(std::string_view url) {
  Result<Address> address = parse_address(url);
  if (!address.ok()) return address;
  for (const char* name : {"SPINNERET_REDIS_PASSWORD", "REDISCLI_AUTH"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    address->password = value;
    break;
  }
  return address;
}

}  // namespace spinneret::resp
