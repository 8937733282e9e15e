// SPDX-License-Identifier: Apache-2.0
#include "policy/params_list.h"

#include <algorithm>

#include "base/ascii.h"
#include "url/params.h"
#include "url/percent.h"
#include "url/public_suffix.h"

namespace spinneret::policy {
namespace {

// Returns whether `host` is NAME.SUFFIX, or below it, for any public suffix.
bool has_any_suffix(std::string_view host, const std::vector<std::string>& names) {
  if (names.empty()) return false;
  const std::string domain(registrable_domain(host));
  if (domain.empty() || !host.ends_with(domain)) return false;
  const std::string_view base = host.substr(0, host.size() - domain.size() + domain.find('.'));
  return std::any_of(names.begin(), names.end(), [base](std::string_view name) {
    return base.ends_with(name) &&
           (base.size() == name.size() || base[base.size() - name.size() - 1] == '.');
  });
}

}  // namespace

bool ParamsList::Sites::contains(std::string_view host) const {
  if (not_domains.contains(host) || has_any_suffix(host, not_any_suffix)) return false;
  return (domains.empty() && any_suffix.empty()) || domains.contains(host) ||
         has_any_suffix(host, any_suffix);
}

ParamsList::Scopes ParamsList::find(const Url& url) const {
  std::vector<std::uint32_t> ids = everywhere_;
  hosts_.find(url.host(), ids);
  urls_.match(url.href_without_fragment(), ids);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Scopes found;
  if (ids.empty()) return found;
  std::vector<std::uint32_t> excepted;
  excepted_.match(url.href_without_fragment(), excepted);
  for (const std::uint32_t id : ids) {
    if (std::find(excepted.begin(), excepted.end(), id) != excepted.end()) continue;
    const Scope& scope = scopes_[id];
    if (scope.sites == nullptr || scope.sites->contains(url.host())) found.push_back(&scope);
  }
  return found;
}

// Removes what rawRules match. A rule that would make another site's URL, or no URL, removes
// nothing.
bool ParamsList::erase(const Url& url, const Scopes& scopes, Url& out) {
  bool any = false;
  Url next;
  std::string text;
  for (const Scope* const scope : scopes) {
    for (const auto& eraser : scope->erasers) {
      text = any ? out.href() : url.href();
      if (!eraser(text) || !parse(text, next)) continue;
      if (next.host() != url.host() || next.scheme() != url.scheme()) continue;
      std::swap(out, next);
      any = true;
    }
  }
  return any;
}

// Returns whether an @@ line excepts rules with this value, or all rules.
bool ParamsList::is_excepted(const Scopes& scopes, std::string_view value) {
  return std::any_of(scopes.begin(), scopes.end(), [value](const Scope* scope) {
    return scope->is_exception && (scope->all || scope->names.contains(value) ||
                                   std::find(scope->pair_sources.begin(), scope->pair_sources.end(),
                                             value) != scope->pair_sources.end());
  });
}

bool ParamsList::drops(const Scopes& scopes, std::string_view name, std::string_view param) {
  std::vector<std::uint32_t> ids;
  std::string lower;
  std::string decoded;
  for (const Scope* const scope : scopes) {
    if (scope->is_exception) continue;
    if (scope->all) return true;
    if (scope->any_case && lower.empty()) lower = to_lower_copy(name);
    const std::string_view own = scope->any_case ? std::string_view(lower) : name;
    if (scope->names.contains(own) && !is_excepted(scopes, own)) return true;
    scope->name_patterns.match(name, ids);
    if (!ids.empty()) return true;
    const bool kept = std::any_of(scope->kept.begin(), scope->kept.end(), [&](const auto& one) {
      return one != name && !is_excepted(scopes, '~' + one);
    });
    if (kept) return true;
    if (scope->pair_patterns.empty()) continue;
    // The parameter is matched as written, and without its escapes.
    scope->pair_patterns.match(param, ids);
    if (decoded.empty()) append_percent_decoded(decoded, param);
    if (decoded != param) scope->pair_patterns.match(decoded, ids);
    for (const std::uint32_t id : ids) {
      if (!is_excepted(scopes, scope->pair_sources[id])) return true;
    }
    ids.clear();
  }
  return false;
}

// Returns false where no parameter is removed.
bool ParamsList::strip_params(const Scopes& scopes, std::string_view params, std::string& out) {
  bool any = false;
  append_params_without(out, params, [&](std::string_view name, std::string_view param) {
    const bool dropped = drops(scopes, name, param);
    any |= dropped;
    return dropped;
  });
  return any;
}

bool ParamsList::strip(const Url& url, std::string& out) const {
  if (!url.has_host() || (for_queries_ && !url.has_query() && !url.has_fragment())) return false;
  const Scopes scopes = find(url);
  if (scopes.empty() || is_excepted(scopes, {})) return false;
  Url erased;
  const bool any = erase(url, scopes, erased);
  const Url& from = any ? erased : url;
  std::string query;
  std::string fragment;
  const bool in_query = from.has_query() && strip_params(scopes, from.query(), query);
  // A fragment such as "#a=1&utm_source=2" is read like a query if it has a value: "#part" is a
  // place in the page.
  const bool in_fragment = from.has_fragment() &&
                           from.fragment().find('=') != std::string_view::npos &&
                           strip_params(scopes, from.fragment(), fragment);
  if (!any && !in_query && !in_fragment) return false;
  const std::size_t query_size = from.has_query() ? from.query().size() + 1 : 0;
  out = from.href_without_fragment().substr(0, from.href_without_fragment().size() - query_size);
  if (from.has_query() && !(in_query && query.empty())) {
    out += '?';
    out += in_query ? std::string_view(query) : from.query();
  }
  if (from.has_fragment() && !(in_fragment && fragment.empty())) {
    out += '#';
    out += in_fragment ? std::string_view(fragment) : from.fragment();
  }
  return out != url.href();
}

}  // namespace spinneret::policy
