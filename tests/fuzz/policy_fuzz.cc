// SPDX-License-Identifier: Apache-2.0
// A policy file and URLs, with a line "%%" between them. What must hold:
//   - nothing crashes;
//   - a URL that passes, passes again in the form in which it was passed on;
//   - counting changes no verdict;
//   - no allow rule is named as the reason of a refusal;
//   - the pattern set agrees with single patterns;
//   - a page is not refused before its fetch by what its link was accepted for.
// Single patterns are compiled for each URL, which took most of the time: the fuzzer tests them
// with one URL of an input, the replay of the corpus with all.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "policy/builder.h"
#include "policy/judge.h"
#include "policy/lint.h"

namespace {

using namespace spinneret;

// Directives that read files would read files of this machine.
bool reads_files(std::string_view line) {
  line = trim(line);
  if (line.starts_with('"')) line.remove_prefix(1);
  return line.starts_with("include") || line.starts_with("seeds") ||
         line.find("-list") != std::string_view::npos;
}

constexpr std::size_t kMaxUrls = 16;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_patterns(const policy::Policy& policy, const Url& url) {
  const policy::PatternSet::Texts texts{url.href_without_fragment(), url.path(), url.query()};
  for (const policy::Section& section : policy.sections) {
    std::vector<std::uint32_t> fast;
    std::vector<std::uint32_t> slow;
    section.rules->patterns.match(texts, fast);
    section.rules->patterns.match_slow(texts, slow);
    require(fast == slow);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = input.find("\n%%\n");
  std::string_view rest = input.substr(0, middle);
  std::string text;
  while (!rest.empty()) {
    const std::string_view line = cut(rest, '\n');
    if (!reads_files(line)) text.append(line).push_back('\n');
  }
  policy::PolicyBuilder builder;
  builder.keep_words();
  builder.add_text(text, "p");
  const policy::Policy policy = builder.build();
  policy::lint(policy);
  if (middle == std::string_view::npos) return 0;
  policy::Judge judge(policy, 1'795'132'800'000);
  policy::Judge counting(policy, 1'795'132'800'000);
  counting.count_all();
  policy::Judge queued(policy, 1'795'132'800'000, policy::Moment::kFetch);
  // Compared only without a scope: at the time of the fetch the link's page is not known.
  const bool plain = policy.scope.kind() == policy::ScopeKind::kAny;
  rest = input.substr(middle + 4);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  const std::size_t urls = 1 + static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n'));
  const std::size_t compared = std::hash<std::string_view>{}(input) % std::min(urls, kMaxUrls);
#else
  const std::size_t compared = kMaxUrls;  // all
#endif
  Url url;
  for (std::size_t i = 0; i < kMaxUrls && !rest.empty(); ++i) {
    if (!parse(cut(rest, '\n'), url)) continue;
    // The link is of one of the kinds that the rules tell apart, chosen by the URL's length.
    const std::size_t kind = url.href().size() % 4;
    policy::Facts facts{.depth = "1", .via = "http://h/", .type = ""};
    if (kind > 0) facts.tag = kind == 1 ? "iframe@src" : "a@href";
    if (kind > 1) facts.rel = kind == 2 ? "next" : "ugc nofollow";
    if (kind > 2) facts.text = "Log out";
    const policy::Verdict verdict = judge.judge(url, facts);
    const policy::Verdict counted = counting.judge(url, facts);
    require(verdict.accepted == counted.accepted && verdict.line == counted.line &&
            verdict.reason == counted.reason);
    require(verdict.accepted || verdict.reason != policy::Reason::kAllowed);
    judge.explain();
    if (compared == i || compared == kMaxUrls) check_patterns(policy, url);
    if (!verdict.accepted) continue;
    require(!plain || queued.judge(url, {.depth = "1"}).accepted);
    const Url passed = verdict.rewritten ? judge.rewritten() : url;
    require(judge.judge(passed, facts).accepted);
    require(!judge.verdict().rewritten);
  }
  return 0;
}
