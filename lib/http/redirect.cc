// SPDX-License-Identifier: Apache-2.0
#include "http/redirect.h"

#include <string>

namespace spinneret::http {

bool next_hop(const Url& at, int follow, FetchResult& result, Url& target) {
  if (result.outcome != Outcome::kRedirect && result.outcome != Outcome::kMoved) return false;
  UrlError why;
  if (result.location.empty()) {
    result.error = "redirect without Location";
    return false;
  }
  if (!resolve(result.location, at, target, &why)) {
    result.error = "redirect to what is no URL: " + why.message;
    return false;
  }
  result.location = target.href();
  if (follow == 0) return false;
  if (!target.is_http()) {
    result.error = "redirect not followed: neither http nor https";
    return false;
  }
  if (static_cast<int>(result.hops.size()) >= follow) {
    result.error = "more than " + std::to_string(follow) + " redirects";
    return false;
  }
  return true;
}

bool redirects_to_itself(const Url& at, const FetchResult& result, const Url& target) {
  return (result.outcome == Outcome::kRedirect || result.outcome == Outcome::kMoved) &&
         result.error.empty() && target.href_without_fragment() == at.href_without_fragment();
}

}  // namespace spinneret::http
