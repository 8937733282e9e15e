// SPDX-License-Identifier: Apache-2.0
#include "http/redirect.h"

#include <string>
#include <string_view>

#include "url/normalize.h"

namespace spinneret::http {
namespace {

std::string without_session(const Url& url) {
  Normalizer normalizer({.steps = kStepSession});
  std::string_view out;
  return std::string(
      normalizer.normalize(url.href_without_fragment(), nullptr, out) ? out : std::string_view());
}

}  // namespace

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
         result.error.empty() &&
         (target.href_without_fragment() == at.href_without_fragment() ||
          without_session(target) == at.href_without_fragment());
}

}  // namespace spinneret::http
