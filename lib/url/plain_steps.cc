// SPDX-License-Identifier: Apache-2.0
#include "url/plain_steps.h"

#include <algorithm>

#include "base/ascii.h"
#include "url/surt.h"

namespace spinneret {
namespace {

constexpr std::uint32_t kKnown = kStepIndex | kStepTrailingSlash | kStepWww | kStepHttp |
                                 kStepHttps | kStepLowerPath | kStepSurt;

}  // namespace

PlainSteps::PlainSteps(const NormalizeRules& rules, char terminator)
    : rules_(rules),
      scan_(scan_rules(rules.steps, terminator, true)),
      useful_(on(kKnown) && !on(kStepPort | kStepCdx)) {}

std::size_t PlainSteps::append(std::string_view run, std::string& out, FindFunction find) const {
  PlainSpan span;
  if (!useful_ || !find(scan_, run, span)) return 0;
  const char* const stop = run.data() + span.stop;
  const char* end = stop;
  if (*stop == '?' && scan_.checks_query) {
    end = settled_query_end(scan_, stop, run.data() + run.size());
    if (end == nullptr) return 0;
  }
  if (*end != scan_.terminator) return 0;
  std::string_view host = run.substr(span.host, span.path - span.host);
  std::string_view path = run.substr(span.path, span.stop - span.path);
  if (on(kStepWww)) strip_www(host);
  if (on(kStepIndex | kStepTrailingSlash)) shorten_path_end(rules_, path);
  if (on(kStepSurt)) {
    append_reversed_labels(out, host);
    out += ')';
  } else {
    const bool secure = on(kStepHttps) || (!on(kStepHttp) && span.host == 8);
    out.append(secure ? std::string_view("https://") : std::string_view("http://")).append(host);
  }
  out += path;
  if (on(kStepLowerPath)) {
    const auto begin = out.end() - static_cast<std::ptrdiff_t>(path.size());
    std::transform(begin, out.end(), begin, to_lower);
  }
  out.append(stop, end + 1);
  return static_cast<std::size_t>(end + 1 - run.data());
}

}  // namespace spinneret
