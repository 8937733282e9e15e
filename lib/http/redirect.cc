// SPDX-License-Identifier: Apache-2.0
#include "http/redirect.h"

#include <string>
#include <string_view>

#include "base/hash.h"
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
  if (!is_redirect(result.outcome)) return false;
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

bool leads_to_itself(const Url& at, const Url& target) {
  return target.href_without_fragment() == at.href_without_fragment() ||
         without_session(target) == at.href_without_fragment();
}

bool RedirectTrail::comes_back(const Url& from, const Url& to, bool sets_cookie) {
  constexpr std::size_t kSteps = 4096;
  steps_.resize(kSteps);
  const std::uint64_t at = hash64(without_session(from));
  Step step{hash64(without_session(to)), at, sets_cookie};
  if (const Step& before = steps_[at % kSteps]; before.to == at) {
    step.began_at = before.began_at;
    step.cookie = sets_cookie || before.cookie;
  }
  if (step.began_at == step.to) return step.cookie;
  steps_[step.to % kSteps] = step;
  return false;
}

}  // namespace spinneret::http
