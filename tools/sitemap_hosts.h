// SPDX-License-Identifier: Apache-2.0
// Which hosts a crawl asks for sitemaps alone. sitemaps.org has a robots.txt name sitemaps on other hosts, so scope does
// not refuse them; but one robots.txt could name twenty thousand hosts, and the robots.txt of each as many again.
//
//   SitemapHosts hosts(ScopeKind::kHost, {"seeds", "adopted"});
//   hosts.takes(url, via, tag)   // of a sitemap that is not in scope
//
// What a host of the scope names is taken, on up to twenty other hosts for each registrable domain that names any; what such
// another host names, where it stands on that host itself and in an index; and where a redirect leads. It names none by its
// robots.txt, for that speaks of its own pages, which are not crawled.
#ifndef SPINNERET_TOOLS_SITEMAP_HOSTS_H_
#define SPINNERET_TOOLS_SITEMAP_HOSTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "policy/scope.h"
#include "url/parse.h"

namespace spinneret {

class SitemapHosts {
 public:
  // `files` have the seeds, one a line, and may grow. They are read when they are first needed.
  SitemapHosts(policy::ScopeKind kind, std::vector<std::string> files);
  // `via` and `tag` are those of the link, raw.
  bool takes(const Url& url, std::string_view via, std::string_view tag);

 private:
  bool is_ours(const Url& page);

  policy::Scope ours_;
  std::vector<std::string> files_;
  std::vector<std::uint64_t> read_;  // bytes of each
  // the other hosts that a registrable domain has named; all by their hashes
  std::unordered_map<std::uint64_t, std::unordered_set<std::uint64_t>> named_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SITEMAP_HOSTS_H_
