// SPDX-License-Identifier: Apache-2.0
// How far from its seeds a crawl may go.
//
//   origin   same scheme, host and port
//   host     same host, whatever the scheme and port
//   domain   same registrable domain (www.example.co.uk and shop.example.co.uk)
//   under    same host, in the directory of the seed or below: https://h/a/b.html has https://h/a/
//
// `under` takes http and https, each at its default port, for one: seeds move from one to the other.
// Cost: one hash lookup a URL, for `under` one for each directory of its path, whatever the number of
// seeds. Thread-safe once filled.
#ifndef SPINNERET_POLICY_SCOPE_H_
#define SPINNERET_POLICY_SCOPE_H_

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
  // Seeds were given; without any there is nothing that contains() could measure by.
  bool has_seeds() const { return !keys_.empty(); }

  // A URL without host is no seed: false.
  bool add_seed(const Url& seed);
  // kAny contains all.
  bool contains(const Url& url) const;

  // Whether `url` is in the scope that `page` alone would make.
  static bool related(ScopeKind kind, const Url& page, const Url& url);

 private:
  bool contains_domain(std::string_view host) const;

  ScopeKind kind_;
  // origin; host; registrable domain; host, port and directory
  std::unordered_set<std::string, TextHash, std::equal_to<>> keys_;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_SCOPE_H_
