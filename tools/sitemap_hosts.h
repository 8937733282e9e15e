// SPDX-License-Identifier: Apache-2.0
// Decides which hosts a crawl asks only for sitemaps. By sitemaps.org a robots.txt may name
// sitemaps on other hosts, so scope does not refuse them; but one robots.txt could name twenty
// thousand hosts, and the robots.txt of each of these as many again.
//
//   SitemapHosts hosts(ScopeKind::kHost, {"seeds", "adopted"});
//   hosts.takes(url, via, tag)   // of a sitemap that is not in scope
//
// These are taken:
// - a sitemap that a host in scope names, on up to twenty other hosts for each registrable domain
//   that names any;
// - a sitemap that an index on another host names on the same host. Its robots.txt does not count,
//   since it is about the host's own pages, which are not crawled;
// - the target of a redirect.
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
  // `files` hold the seeds, one a line, and may grow. They are read when they are first needed.
  SitemapHosts(policy::ScopeKind kind, std::vector<std::string> files);
  // `via` and `tag` are the link's, raw.
  bool takes(const Url& url, std::string_view via, std::string_view tag);

 private:
  bool is_ours(const Url& page);

  policy::Scope ours_;
  std::vector<std::string> files_;
  std::vector<std::uint64_t> read_;  // bytes read of each file
  // By registrable domain the other hosts that it has named; all as hashes.
  std::unordered_map<std::uint64_t, std::unordered_set<std::uint64_t>> named_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SITEMAP_HOSTS_H_
