// SPDX-License-Identifier: Apache-2.0
// Lists, published by others, of the parameters that URLs carry for tracking, and of the sites that
// use them.
//
//   Result<ParamsList> list = ParamsList::load("data.min.json", left_out);
//   std::string clean;
//   if (list->strip(url, clean)) go_on_with(clean);
//
// There are two forms, told apart by their first byte:
// - ClearURLs' JSON (docs.clearurls.xyz, "Rule Catalogs"): each provider's urlPattern, exceptions,
//   rules and referralMarketing (names), and rawRules (text anywhere in the URL). Case is ignored.
//   Redirections and completeProvider are not about parameters, and are ignored.
// - AdGuard's $removeparam (adguard.com/kb, "Create your own filters"), also in uBlock's form:
//   without a value, NAME, ~NAME, /REGEX/ over "name=value"; @@ lines; $domain= as the site of the
//   URL itself. Case matters. Other lines are ignored.
//
// Regular expressions are RE2's, so that no list can make a URL costly; an expression that RE2 does
// not support is left out and reported. A file may have 64 MiB and 100,000 rules, including those
// left out. A URL that no rule is about takes some 0.3 us, a URL that is stripped 1 to 2 us. This
// is a library of its own (spinneret::params_list), since it reads JSON. Immutable and thread-safe.
#ifndef SPINNERET_POLICY_PARAMS_LIST_H_
#define SPINNERET_POLICY_PARAMS_LIST_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "policy/directive.h"
#include "policy/host_table.h"
#include "policy/pattern_set.h"
#include "policy/text_hash.h"
#include "url/parse.h"

namespace spinneret::policy {

class ParamsList {
 public:
  // Reads a file. `left_out` gets the parts of the list that are not applied, each with its line (0
  // in JSON, where the message names the keys).
  static Result<ParamsList> load(const std::string& path, std::vector<Problem>& left_out);
  // Does the same from memory; `file` is its name in messages.
  static Result<ParamsList> read(std::string_view text, const std::string& file,
                                 std::vector<Problem>& left_out);

  // Writes to `out` the URL without what the list removes from query, fragment and elsewhere; a
  // query that loses everything loses its question mark, too. Returns false where the list removes
  // nothing. The rest stays byte for byte, and the host never changes.
  bool strip(const Url& url, std::string& out) const;

  std::size_t size() const { return size_; }  // number of rules
  // Returns whether only URLs with a query or fragment can change.
  bool is_for_queries() const { return for_queries_; }

 private:
  friend class ParamsReader;
  using Names = std::unordered_set<std::string, TextHash, std::equal_to<>>;

  // The sites that a $domain= names.
  struct Sites {
    HostTable domains, not_domains;
    std::vector<std::string> any_suffix, not_any_suffix;  // "example" of example.*

    bool contains(std::string_view host) const;
  };
  // What is removed from the URLs of one kind, or, for AdGuard's exceptions, what is kept.
  struct Scope {
    bool is_exception = false;
    bool all = false;
    Names names;  // decoded; in lower case where `any_case`
    bool any_case = false;
    PatternSet name_patterns;               // over decoded names
    std::vector<std::string> pair_sources;  // the patterns as the list writes them
    PatternSet pair_patterns;               // over "name=value"; ids are indexes into pair_sources
    std::vector<std::string> kept;          // ~NAME: everything but these is removed
    std::vector<std::function<bool(std::string&)>> erasers;
    std::unique_ptr<Sites> sites;  // nullptr: all sites
  };
  using Scopes = std::vector<const Scope*>;

  Scopes find(const Url& url) const;
  static bool erase(const Url& url, const Scopes& scopes, Url& out);
  static bool drops(const Scopes& scopes, std::string_view name, std::string_view param);
  static bool is_excepted(const Scopes& scopes, std::string_view value);
  static bool strip_params(const Scopes& scopes, std::string_view params, std::string& out);

  std::vector<Scope> scopes_;
  std::vector<std::uint32_t> everywhere_;  // indexes into scopes_
  HostTable hosts_;
  PatternSet urls_;
  PatternSet excepted_;  // ClearURLs' exceptions
  std::size_t size_ = 0;
  bool for_queries_ = true;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_PARAMS_LIST_H_
