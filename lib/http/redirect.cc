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
    result.error = "redirect target is not a URL: " + why.message;
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

Circle RedirectTrail::add(const Url& from, const Url& to, bool sets_cookie) {
  constexpr std::size_t kSteps = 4096;
  steps_.resize(kSteps);
  const std::uint64_t at = hash64(without_session(from));
  Step step{hash64(without_session(to)), at, 1, sets_cookie};
  if (const Step& before = steps_[at % kSteps]; before.to == at) {
    step.began_at = before.began_at;
    step.number = before.number + 1;
    step.cookie = sets_cookie || before.cookie;
  }
  Step& known = steps_[step.to % kSteps];
  const bool passed = known.to == step.to && known.began_at == step.began_at;
  if (step.began_at == step.to || (passed && known.number < step.number))
    return step.cookie ? Circle::kWithCookie : Circle::kBare;
  const bool repeats = passed && known.number == step.number;
  known = step;
  return repeats ? Circle::kKnown : Circle::kNone;
}

}  // namespace spinneret::http
