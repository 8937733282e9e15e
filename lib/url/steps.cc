// SPDX-License-Identifier: Apache-2.0
#include "url/steps.h"

#include <vector>

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/excerpt.h"

namespace spinneret {
namespace {

constexpr StepInfo kSteps[] = {
    {kStepFragment, "fragment", "drop #fragment"},
    {kStepHexCase, "hex-case", "%3a becomes %3A"},
    {kStepUnreserved, "unreserved", "undo escapes of letters, digits, - . _ ~"},
    {kStepStrayPercent, "stray-percent", "a % that begins no escape becomes %25"},
    {kStepEmptyQuery, "empty-query", "drop a ? with nothing after it"},
    {kStepUserinfo, "userinfo", "drop user:password@"},
    {kStepTrailingDot, "trailing-dot", "drop dots at the end of the host"},
    {kStepTracking, "tracking", "drop tracking parameters (see --list-params)"},
    {kStepSession, "session", "drop session ids of query and path"},
    {kStepLowerQuery, "lower-query", "lower-case the query"},
    {kStepEmptyParams, "empty-params", "drop parameters without name and value: && becomes &"},
    {kStepDedupeParams, "dedupe-params",
     "drop parameters that repeat an earlier one, name and value"},
    {kStepSortQuery, "sort-query", "sort parameters by decoded name; equal names keep order"},
    {kStepQuery, "query", "drop the whole query"},
    {kStepIndex, "index", "drop index.html and the like (see --index)"},
    {kStepSlashes, "slashes", "// in the path becomes /"},
    {kStepTrailingSlash, "trailing-slash", "drop slashes at the end of the path"},
    {kStepWww, "www", "drop www. in front of the host"},
    {kStepHttp, "http", "https becomes http"},
    {kStepHttps, "https", "http becomes https"},
    {kStepLowerPath, "lower-path", "lower-case the path"},
    {kStepDecode, "decode", "undo every escape that can be undone"},
    {kStepPort, "port", "add the scheme's port where none is given"},
    {kStepSurt, "surt", "write a sort key: com,example)/path"},
    {kStepCdx, "cdx", "write the key of CDX indexes (see --cdx-form)"},
};

constexpr std::uint32_t kSafe = kStepFragment | kStepHexCase | kStepUnreserved;
constexpr std::uint32_t kCrawl = kSafe | kStepStrayPercent | kStepEmptyQuery | kStepUserinfo |
                                 kStepTrailingDot | kStepTracking | kStepSession;
constexpr std::uint32_t kAggressive = kCrawl | kStepEmptyParams | kStepSortQuery | kStepIndex |
                                      kStepSlashes | kStepTrailingSlash | kStepWww | kStepHttps;
constexpr std::uint32_t kRoboto = kStepDecode | kStepUnreserved | kStepFragment | kStepQuery |
                                  kStepIndex | kStepSlashes | kStepTrailingSlash;
constexpr std::uint32_t kSurt = kCrawl | kStepSortQuery | kStepSlashes | kStepTrailingSlash |
                                kStepWww | kStepLowerPath | kStepSurt;

constexpr ProfileInfo kProfiles[] = {
    {"whatwg", 0, "the URL Standard's serialisation, no more"},
    {"safe", kSafe, "nothing that a server could tell apart"},
    {"crawl", kCrawl, "what seldom changes the page, and often its URL"},
    {"aggressive", kAggressive, "a key to find duplicates by"},
    {"roboto", kRoboto, "the eight steps of the roboto crawler"},
    {"surt", kSurt, "sort keys that lead back to the URL"},
    {"cdx", kStepFragment | kStepCdx, "sort keys as CDX indexes of web archives have them"},
};

Error unknown_step(std::string_view name) {
  std::vector<std::string_view> names;
  for (const StepInfo& info : kSteps) names.push_back(info.name);
  const std::string meant = did_you_mean(name, names);
  return {"no step is called " + excerpt(name) + (meant.empty() ? ";" : meant) +
          " --list-steps lists them"};
}

}  // namespace

std::span<const StepInfo> all_steps() { return kSteps; }

std::optional<Step> find_step(std::string_view name) {
  for (const StepInfo& info : kSteps) {
    if (info.name == name) return info.step;
  }
  return std::nullopt;
}

Result<std::uint32_t> parse_steps(std::string_view list) {
  std::uint32_t steps = 0;
  while (!list.empty()) {
    const std::string_view name = cut(list, ',');
    const std::optional<Step> step = find_step(name);
    if (!step) return unknown_step(name);
    steps |= *step;
  }
  return steps;
}

std::span<const ProfileInfo> all_profiles() { return kProfiles; }

std::string steps_table() {
  std::string out;
  for (const StepInfo& step : kSteps) {
    out += step.name;
    out += '\t';
    out += step.meaning;
    char separator = '\t';
    for (const ProfileInfo& profile : kProfiles) {
      if ((profile.steps & step.step) == 0) continue;
      out += separator;
      out += profile.name;
      separator = ',';
    }
    if (separator == '\t') out += '\t';
    out += '\n';
  }
  return out;
}

}  // namespace spinneret
