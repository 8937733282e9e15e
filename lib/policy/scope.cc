// SPDX-License-Identifier: Apache-2.0
#include "policy/scope.h"

#include <algorithm>

#include "url/public_suffix.h"

namespace spinneret::policy {
namespace {

constexpr std::string_view kNames[] = {"any", "origin", "host", "domain", "under"};

// Returns "h:8080/a/" for "http://h:8080/a/b.html?q": host, port and the directory of the path,
// which are adjacent in the URL.
std::string_view place_of(const Url& url) {
  const std::size_t host_begin = url.offsets().host_end - url.host().size();
  const std::size_t path_end = url.offsets().path_begin + url.path().size();
  const std::string_view place = url.href().substr(host_begin, path_end - host_begin);
  return place.substr(0, place.rfind('/') + 1);
}

// Returns the part of a URL that a scope compares. `scratch` holds it where it is not a substring
// of the URL.
std::string_view key_of(ScopeKind kind, const Url& url, std::string& scratch) {
  if (kind == ScopeKind::kHost) return url.host();
  if (kind == ScopeKind::kDomain) return registrable_domain(url.host());
  if (kind == ScopeKind::kUnder) return place_of(url);
  scratch = url.origin();
  return scratch;
}

bool has_name(const Url& url) { return url.has_host() && !url.host().empty(); }

}  // namespace

std::optional<ScopeKind> parse_scope(std::string_view name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<ScopeKind>(found - std::begin(kNames));
}

std::string_view to_string(ScopeKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

bool Scope::add_seed(const Url& seed) {
  if (!has_name(seed)) return false;
  std::string scratch;
  const std::string_view key = key_of(kind_, seed, scratch);
  longest_ = std::max(longest_, key.size());
  keys_.emplace(key);
  return true;
}

bool Scope::contains(const Url& url) const {
  if (kind_ == ScopeKind::kAny) return true;
  if (!has_name(url)) return false;
  if (kind_ == ScopeKind::kDomain) return contains_domain(url.host());
  std::string scratch;
  std::string_view key = key_of(kind_, url, scratch);
  if (kind_ != ScopeKind::kUnder) return keys_.find(key) != keys_.end();
  // Tries each directory above, the nearest first.
  for (key = key.substr(0, longest_);; key.remove_suffix(1)) {
    key = key.substr(0, key.rfind('/') + 1);
    if (key.empty()) return false;
    if (keys_.find(key) != keys_.end()) return true;
  }
}

// The public suffix list is asked only about hosts that end like a seed's domain, since it costs
// 450 ns.
bool Scope::contains_domain(std::string_view host) const {
  std::string_view name = host;
  for (;;) {
    if (name.size() <= longest_ && keys_.find(name) != keys_.end())
      return registrable_domain(host) == name;
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return false;
    name.remove_prefix(dot + 1);
  }
}

bool Scope::related(ScopeKind kind, const Url& page, const Url& url) {
  if (kind == ScopeKind::kAny) return true;
  if (!has_name(page) || !has_name(url)) return false;
  std::string of_page;
  std::string of_url;
  const std::string_view page_key = key_of(kind, page, of_page);
  const std::string_view url_key = key_of(kind, url, of_url);
  return kind == ScopeKind::kUnder ? url_key.starts_with(page_key) : url_key == page_key;
}

}  // namespace spinneret::policy
