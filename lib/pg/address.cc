// SPDX-License-Identifier: Apache-2.0
#include "pg/address.h"

#include <algorithm>
#include <array>

namespace spinneret::pg {
namespace {

constexpr int kPort = 5432;
constexpr std::array<std::string_view, 4> kWords = {"sslmode", "sslrootcert", "sslcert", "sslkey"};
constexpr std::array<std::string_view, 5> kModes = {"disable", "prefer", "require", "verify-ca",
                                                    "verify-full"};

template <typename Range>
bool has(const Range& range, std::string_view word) {
  return std::find(range.begin(), range.end(), word) != range.end();
}

}  // namespace

std::string Address::text() const {
  std::string out = "postgresql://";
  for (const ServiceHost& host : hosts) out += (&host == hosts.data() ? "" : ",") + text_of(host);
  return out + "/" + database + "/" + crawl;
}

bool is_address(std::string_view url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

// No message quotes text that may contain a password.
Result<Address> parse_address(std::string_view text) {
  const Error form{"PostgreSQL is named as postgresql://host[:port][,host...]/DATABASE/NAME"};
  ServiceUrl url;
  if (!is_address(text) || !parse_service_url(text, kPort, url)) return form;
  const std::size_t slash = url.path.find('/');
  if (slash == std::string::npos) return Error{form.message + ": NAME, of the crawl, is missing"};
  Address address;
  address.database = percent_decoded(std::string_view(url.path).substr(0, slash));
  address.crawl = url.path.substr(slash + 1);
  if (address.database.empty()) return form;
  if (!is_crawl_name(address.crawl)) {
    return Error{"the crawl's name in an engine's address is of a-z 0-9 - _ . and at most 64 long"};
  }
  for (const auto& [name, value] : url.words) {
    if (!has(kWords, name) || value.empty() || (name == "sslmode" && !has(kModes, value))) {
      return Error{
          "PostgreSQL's address takes after its ? sslmode=disable, prefer, require, verify-ca or "
          "verify-full, sslrootcert=FILE, sslcert=FILE, sslkey=FILE"};
    }
  }
  address.hosts = std::move(url.hosts);
  address.user = std::move(url.user);
  address.password = std::move(url.password);
  address.words = std::move(url.words);
  return address;
}

}  // namespace spinneret::pg
