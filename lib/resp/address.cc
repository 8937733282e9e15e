// SPDX-License-Identifier: Apache-2.0
#include "resp/address.h"

#include <cstdlib>

namespace spinneret::resp {
namespace {

// Takes the words behind the question mark: "sentinel=it&ca=/etc/ca.pem".
Status take_words(const ServiceUrl& url, Address& address) {
  for (const auto& [name, value] : url.words) {
    if (name == "sentinel" && is_crawl_name(value)) {
      address.sentinel = value;
    } else if (name == "ca" && address.tls.on && !value.empty()) {
      address.tls.ca = value;
    } else if (name == "cert" && address.tls.on && !value.empty()) {
      address.tls.certificate = value;
    } else if (name == "key" && address.tls.on && !value.empty()) {
      address.tls.key = value;
    } else {
      return Error{
          "an engine's address has sentinel=PRIMARY behind its ?, and with rediss:// ca=FILE, "
          "cert=FILE, key=FILE"};
    }
  }
  if (!address.tls.key.empty() && address.tls.certificate.empty())
    return Error{"an engine's address has key=FILE without cert=FILE"};
  return {};
}

}  // namespace

std::string Address::text() const {
  std::string out = tls.on ? "rediss://" : "redis://";
  for (const Host& seed : seeds) out += (&seed == seeds.data() ? "" : ",") + text_of(seed);
  out += "/" + crawl;
  if (!sentinel.empty()) out += "?sentinel=" + sentinel;
  return out;
}

// No message quotes text that may contain a password.
Result<Address> parse_address(std::string_view text) {
  const Error form{"an engine is named as redis://host[:port][,host...]/NAME[?sentinel=PRIMARY]"};
  constexpr int kServers = 6379, kSentinels = 26379;
  ServiceUrl url;
  const bool parsed = parse_service_url(text, kServers, url);
  Address address;
  address.tls.on = url.scheme == "rediss" || url.scheme == "valkeys";
  if (!address.tls.on && url.scheme != "redis" && url.scheme != "valkey") return form;
  if (const Status taken = take_words(url, address); !taken.ok()) return taken.error();
  if (!address.sentinel.empty() && !parse_service_url(text, kSentinels, url)) return form;
  if (!parsed) return form;
  if (!url.has_path) return Error{form.message + ": NAME, of the crawl, is missing"};
  if (!is_crawl_name(url.path)) {
    return Error{"the crawl's name in an engine's address is of a-z 0-9 - _ . and at most 64 long"};
  }
  address.crawl = url.path;
  address.user = url.user;
  address.password = url.password;
  address.seeds = url.hosts;
  return address;
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
