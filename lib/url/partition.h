// SPDX-License-Identifier: Apache-2.0
// Which of N parts a URL belongs to, computed so that machines agree without knowing each other.
// All URLs of a registrable domain are in the same part, whatever their scheme, port and path.
//
//   key    the registrable domain of the URL's host: lower-case, in Punycode, without a final dot;
//          of an IP address, its text; of a domain that is spread, the whole host;
//          of a URL without a host, its bytes
//   hash   XXH3, 64 bits, seed 0, of the key's bytes: what `xxhsum -H3` prints
//   part   floor(hash * N / 2^64), from 0; where N is a power of two, the top bits of the hash.
//          For any N, parts 2p and 2p + 1 of 2N together are part p of N: parts can be cut in two
//          without moving anything else.
//
// These rules never change, since states and outputs of other machines depend on them (the test and
// man url-filter have vectors). The answer also depends on the public suffix list: compare
// public_suffix_list_digest().
#ifndef SPINNERET_URL_PARTITION_H_
#define SPINNERET_URL_PARTITION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "url/parse.h"

namespace spinneret {

// Immutable and thread-safe. Costs 50 to 90 ns a host, most of it for the registrable domain (see
// public_suffix.h).
class Partitions {
 public:
  static constexpr std::uint32_t kMost = 1'000'000;

  // `count` is 1 to kMost.
  explicit Partitions(std::uint32_t count) : count_(count) {}
  // Like the constructor, but with domains that are spread because they are too large for one part:
  // each of their hosts is placed by itself. Each must be a registrable domain.
  static Result<Partitions> with_spread(std::uint32_t count, std::vector<std::string> spread);

  std::uint32_t count() const { return count_; }
  const std::vector<std::string>& spread() const { return spread_; }

  // `host` is as Url::host() gives it.
  std::uint32_t of_host(std::string_view host) const;
  // Returns the part of a URL as it was written, which is parsed into `scratch`.
  std::uint32_t of_text(std::string_view url, Url& scratch) const;
  // Returns the bytes that are hashed for a host: a view into `host`.
  std::string_view key_of_host(std::string_view host) const;

 private:
  std::uint32_t of_key(std::string_view key) const;

  std::uint32_t count_;
  std::vector<std::string> spread_;  // sorted
};

// Parses "17/64": part 17 of parts 0 to 63. An Error says what is wrong.
struct PartOf {
  std::uint32_t index = 0, count = 1;
};
Result<PartOf> parse_part_of(std::string_view text);

}  // namespace spinneret

#endif  // SPINNERET_URL_PARTITION_H_
