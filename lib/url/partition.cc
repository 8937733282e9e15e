// SPDX-License-Identifier: Apache-2.0
#include "url/partition.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/number.h"
#include "url/host.h"
#include "url/public_suffix.h"

namespace spinneret {
namespace {

// floor(hash * count / 2^64), computed in two halves, since ISO C++ has no 128-bit integers.
std::uint32_t scale(std::uint64_t hash, std::uint64_t count) {
  const std::uint64_t low = (hash & UINT32_MAX) * count >> 32;
  return static_cast<std::uint32_t>(((hash >> 32) * count + low) >> 32);
}

}  // namespace

Result<Partitions> Partitions::with_spread(std::uint32_t count, std::vector<std::string> spread) {
  Partitions made(count);
  for (std::string& domain : spread) {
    Url url;
    if (!parse("http://" + domain + "/", url) || url.host().empty() || url.host() != domain ||
        domain.ends_with('.'))
      return Error{"\"" + domain + "\" is not a domain name in lower case"};
    if (const std::string_view whole = registrable_domain(domain); whole != domain)
      return Error{"\"" + domain + "\" is below the registrable domain \"" + std::string(whole) +
                   "\": name that"};
    made.spread_.push_back(std::move(domain));
  }
  std::sort(made.spread_.begin(), made.spread_.end());
  made.spread_.erase(std::unique(made.spread_.begin(), made.spread_.end()), made.spread_.end());
  return made;
}

std::string_view Partitions::key_of_host(std::string_view host) const {
  host = without_root(host);
  const std::string_view domain = registrable_domain(host);
  const bool spreads = std::binary_search(spread_.begin(), spread_.end(), domain);
  return spreads ? host : domain;
}

std::uint32_t Partitions::of_key(std::string_view key) const { return scale(hash64(key), count_); }

std::uint32_t Partitions::of_host(std::string_view host) const { return of_key(key_of_host(host)); }

std::uint32_t Partitions::of_text(std::string_view url, Url& scratch) const {
  if (!parse(url, scratch) || scratch.host().empty()) return of_key(url);
  return of_host(scratch.host());
}

Result<PartOf> parse_part_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = parse_unsigned(text.substr(0, slash));
  const auto count =
      slash == std::string_view::npos ? std::nullopt : parse_unsigned(text.substr(slash + 1));
  if (!index || !count) return Error{"takes a part and their number, such as 0/64"};
  if (*count == 0 || *count > Partitions::kMost)
    return Error{"there may be 1 to " + std::to_string(Partitions::kMost) + " parts"};
  if (*index >= *count)
    return Error{"of " + std::to_string(*count) + " parts the last is " +
                 std::to_string(*count - 1) + ": they are counted from 0"};
  return PartOf{static_cast<std::uint32_t>(*index), static_cast<std::uint32_t>(*count)};
}

}  // namespace spinneret
