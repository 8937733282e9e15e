// SPDX-License-Identifier: Apache-2.0
// Limits how far from its seeds a crawl may go.
//
//   origin   same scheme, host and port
//   host     same host, whatever the scheme and port
//   domain   same registrable domain (www.example.co.uk and shop.example.co.uk)
//   under    same host, in the directory of the seed or below: https://h/a/b.html has https://h/a/
//
// `under` treats http and https, each at its default port, as the same, since seeds move from one
// to the other. Cost: one hash look-up a URL, and for `under` one for each directory of its path
// that is no longer than that of some seed, whatever the number of seeds. Thread-safe once filled.
#ifndef SPINNERET_POLICY_SCOPE_H_
#define SPINNERET_POLICY_SCOPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "policy/text_hash.h"
#include "url/parse.h"

namespace spinneret::policy {

enum class ScopeKind : std::uint8_t { kAny, kOrigin, kHost, kDomain, kUnder };

std::optional<ScopeKind> parse_scope(std::string_view name);
std::string_view to_string(ScopeKind kind);

class Scope {
 public:
  explicit Scope(ScopeKind kind = ScopeKind::kAny) : kind_(kind) {}
  ScopeKind kind() const { return kind_; }
  // Returns whether seeds were given; without seeds, contains() cannot decide anything.
  bool has_seeds() const { return !keys_.empty(); }

  // Returns false for a URL without a host, which cannot be a seed.
  bool add_seed(const Url& seed);
  // Returns whether `url` is in scope. kAny contains every URL.
  bool contains(const Url& url) const;

  // Returns whether `url` would be in scope if `page` were the only seed.
  static bool related(ScopeKind kind, const Url& page, const Url& url);

 private:
  bool contains_domain(std::string_view host) const;

  ScopeKind kind_;
  // The keys of the seeds: origin; host; registrable domain; or host, port and directory.
  std::unordered_set<std::string, TextHash, std::equal_to<>> keys_;
  std::size_t longest_ = 0;  // longest of these: a longer key is not looked up
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_SCOPE_H_
