// SPDX-License-Identifier: Apache-2.0
#include "sitemap_hosts.h"

#include <sys/stat.h>

#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "base/hash.h"
#include "io/record.h"
#include "url/public_suffix.h"

namespace spinneret {
namespace {

constexpr std::size_t kMostHosts = 20;

}  // namespace

// A robots.txt speaks for its host, whichever directory of it is crawled.
SitemapHosts::SitemapHosts(policy::ScopeKind kind, std::vector<std::string> files)
    : ours_(kind == policy::ScopeKind::kDomain ? kind : policy::ScopeKind::kHost),
      files_(std::move(files)),
      read_(files_.size()) {}

bool SitemapHosts::is_ours(const Url& page) {
  if (ours_.contains(page)) return true;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    struct stat now {};
    if (::stat(files_[i].c_str(), &now) != 0) continue;
    if (static_cast<std::uint64_t>(now.st_size) == read_[i]) continue;
    read_[i] = static_cast<std::uint64_t>(now.st_size);
    const Result<std::string> text = read_file(files_[i]);
    std::string_view rest = text.ok() ? std::string_view(*text) : std::string_view();
    Url seed;
    while (!rest.empty()) {
      if (parse(record_url(cut(rest, '\n')), seed)) ours_.add_seed(seed);
    }
  }
  return ours_.has_seeds() && ours_.contains(page);
}

bool SitemapHosts::takes(const Url& url, std::string_view via, std::string_view tag) {
  Url page;
  if (tag == "location" || !parse(via, page) || is_ours(url)) return true;
  if (!is_ours(page)) return page.host() == url.host() && !tag.starts_with("robots@");
  auto& hosts = named_[hash64(registrable_domain(page.host()))];
  const std::uint64_t host = hash64(url.host());
  if (hosts.contains(host)) return true;
  return hosts.size() < kMostHosts && hosts.insert(host).second;
}

}  // namespace spinneret
