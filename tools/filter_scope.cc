// SPDX-License-Identifier: Apache-2.0
// url-filter: changes of a scope by seeds while the crawl runs: seeds that move, and sitemaps on
// other hosts.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "filter_stream.h"

namespace spinneret {

void FilterStream::open_scope() {
  const cli::Options& options = tool_.options();
  std::vector<std::string> files = options.all("seeds");
  if (options.has("adopt")) files.push_back(options.get("adopt"));
  if (policy_.scope.kind() != policy::ScopeKind::kAny && policy_.scope.has_seeds() &&
      !before_fetch_)
    sitemaps_.emplace(policy_.scope.kind(), std::move(files));
  if (!options.has("adopt")) {
    // (Before a fetch there is no redirect to take; crawl tries its options that way.)
    if (adopted_only_ && !before_fetch_) options.usage_error("--adopted-only goes with --adopt");
    return;
  }
  if (!options.has("seeds")) options.usage_error("--adopt goes with --seeds");
  if (policy_.scope.kind() == policy::ScopeKind::kAny) return;
  adopted_.emplace(policy_.scope.kind(), options.all("seeds"), options.get("adopt"));
  adopted_->refresh();
}

// Whether url_ is in the scope of a seed that has moved, or is the target to which one just moved.
bool FilterStream::is_adopted(std::string_view line) {
  if (adopted_->contains(url_)) return true;
  // Another process may have added a target.
  if (adopted_->refresh() && adopted_->contains(url_)) return true;
  if (before_fetch_ || adopted_only_ || find_raw_field(line, "tag") != "location") return false;
  std::string via;
  append_unescaped(via, find_raw_field(line, "via").value_or(""));
  const Result<bool> adopted = adopted_->adopt(via, url_);
  if (!adopted.ok()) tool_.trouble(adopted.message());
  if (!adopted.ok() || !*adopted) return false;
  tool_.notice(excerpt(via) + " redirects to " + excerpt(url_.href()) +
               ", which is in scope from now on");
  return true;
}

// Whether url_, a sitemap that the policy accepts, is asked for, on whichever host it is.
bool FilterStream::takes_sitemap(std::string_view line) {
  if (policy_.scope.contains(url_)) return true;
  return sitemaps_->takes(url_, find_raw_field(line, "via").value_or(""),
                          find_raw_field(line, "tag").value_or(""));
}

}  // namespace spinneret
