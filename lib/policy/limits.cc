// SPDX-License-Identifier: Apache-2.0
#include "policy/limits.h"

#include <array>
#include <string>

#include "policy/trap.h"

namespace spinneret::policy {
namespace {

using Target = LimitTarget;
using When = Limit::When;
using Takes = Limit::Takes;
constexpr std::uint32_t kOff = Settings::kOff;

bool is_beyond(std::uint64_t measured, std::uint32_t value, std::uint64_t& found) {
  found = measured;
  return measured > value;
}

bool depth(Target& target, std::uint32_t value, std::uint64_t& found) {
  return target.is_page() && is_beyond(target.depth(), value, found);
}

bool url_length(Target& target, std::uint32_t value, std::uint64_t& found) {
  return is_beyond(target.url().href_without_fragment().size(), value, found);
}

bool path_segments(Target& target, std::uint32_t value, std::uint64_t& found) {
  return is_beyond(target.segments(), value, found);
}

bool parameters(Target& target, std::uint32_t value, std::uint64_t& found) {
  return is_beyond(count_parameters(target.url().query()), value, found);
}

bool query_length(Target& target, std::uint32_t value, std::uint64_t& found) {
  return is_beyond(target.url().query().size(), value, found);
}

bool session(Target& target, std::uint32_t value, std::uint64_t&) {
  if (value != kSessionReject || !target.url().is_special()) return false;
  std::string path;
  std::string query;
  return strip_session_ids(target.url().path(), target.url().query(), path, query);
}

// A path that is too short is not split.
bool repeated_segments(Target& target, std::uint32_t value, std::uint64_t& found) {
  found = value;
  return target.segments() >= value && has_repeated_segments(target.split_path(), value);
}

bool segment_repeats(Target& target, std::uint32_t value, std::uint64_t& found) {
  return target.segments() > value &&
         is_beyond(commonest_segment(target.split_path()), value, found);
}

bool repeated_keys(Target& target, std::uint32_t value, std::uint64_t& found) {
  found = value;
  return commonest_key(target.url().query(), value) >= value;
}

bool calendar_past(Target& target, std::uint32_t value, std::uint64_t& found) {
  found = static_cast<std::uint64_t>(target.date().year);
  return is_far_date(target.date(), target.today(), value, kOff);
}

bool calendar_future(Target& target, std::uint32_t value, std::uint64_t& found) {
  found = static_cast<std::uint64_t>(target.date().year);
  return is_far_date(target.date(), target.today(), kOff, value);
}

// One more segment or parameter with every hop, for so many hops: a site grows that way only if it
// makes its links out of the page's own URL.
bool growing(Target& target, std::uint32_t value, std::uint64_t& found) {
  if (target.depth() < value) return false;
  found = target.segments() + count_parameters(target.url().query());
  return found >= target.depth();
}

bool redirects(Target& target, std::uint32_t value, std::uint64_t& found) {
  return is_beyond(target.redirects(), value, found);
}

// 20 segments is Heritrix's default; 2,048 bytes is what search engines and the sitemap protocol
// (sitemaps.org) take for the longest URL.
constexpr auto kLimits = [] {
  auto rows = std::to_array<Limit>({
      {.name = "max-depth",
       .needs_depth = true,
       .exceeds = depth,
       .before = "depth ",
       .after = " is too deep",
       .refusal_class = "depth"},
      {.name = "max-url-length",
       .by_default = 2048,
       .exceeds = url_length,
       .before = "its ",
       .after = " bytes are too many"},
      {.name = "max-path-segments",
       .by_default = 20,
       .exceeds = path_segments,
       .before = "its ",
       .after = " path segments are too many"},
      {.name = "max-parameters",
       .exceeds = parameters,
       .before = "its ",
       .after = " query parameters are too many"},
      {.name = "max-query-length",
       .exceeds = query_length,
       .before = "its query's ",
       .after = " bytes are too many"},
      {.name = "max-offsite-hops", .when = When::kWithScope, .setting = Setting::kMaxOffsiteHops},
      {.name = "session-ids",
       .is_trap = true,
       .takes = Takes::kSession,
       .usual = kSessionStrip,
       .by_default = kSessionStrip,
       .when = When::kBehindRules,
       .exceeds = session,
       .after = "has a session id",
       .refusal_class = "trap",
       .setting = Setting::kTrapSession},
      // A run of up to 4 segments, repeated so many times in a row.
      {.name = "repeated-segments",
       .is_trap = true,
       .takes = Takes::kRepeats,
       .usual = 3,
       .by_default = 3,
       .when = When::kBehindRules,
       .exceeds = repeated_segments,
       .before = "path segments repeat ",
       .after = " times or more in a row",
       .refusal_class = "trap"},
      // Limits the same segment anywhere in the path.
      {.name = "max-segment-repeats",
       .by_default = 5,
       .when = When::kBehindRules,
       .exceeds = segment_repeats,
       .before = "a path segment occurs ",
       .after = " times",
       .refusal_class = "trap"},
      {.name = "repeated-keys",
       .is_trap = true,
       .takes = Takes::kRepeats,
       .usual = 8,
       .by_default = 8,
       .when = When::kBehindRules,
       .exceeds = repeated_keys,
       .before = "a query key repeats ",
       .after = " times or more",
       .refusal_class = "trap"},
      // The first row is the years back, the second the years ahead.
      {.name = "calendar",
       .is_trap = true,
       .usual = 20,
       .by_default = 20,
       .when = When::kBehindRules,
       .exceeds = calendar_past,
       .before = "its date in the year ",
       .after = " is too far away",
       .refusal_class = "trap"},
      {.name = "calendar",
       .is_trap = true,
       .is_second = true,
       .usual = 2,
       .by_default = 2,
       .when = When::kBehindRules,
       .exceeds = calendar_future,
       .before = "its date in the year ",
       .after = " is too far away",
       .refusal_class = "trap"},
      {.name = "growing",
       .is_trap = true,
       .takes = Takes::kRepeats,
       .usual = 12,
       .by_default = 12,
       .when = When::kBehindRules,
       .needs_depth = true,
       .exceeds = growing,
       .before = "it grows with every hop: ",
       .after = " segments and parameters",
       .refusal_class = "trap"},
      // The default is as many as browsers follow (Fetch Standard, "HTTP-redirect fetch", step 6).
      {.name = "redirects",
       .is_trap = true,
       .usual = 20,
       .by_default = 20,
       .when = When::kBehindRules,
       .needs_depth = true,
       .exceeds = redirects,
       .before = "its ",
       .after = " redirects in a row are too many",
       .refusal_class = "trap"},
  });
  for (std::size_t row = 0; row != rows.size(); ++row) {
    if (rows[row].setting == Setting::kRow)
      rows[row].setting = static_cast<Setting>(static_cast<std::size_t>(Setting::kRow) + row);
  }
  return rows;
}();
static_assert(static_cast<std::size_t>(Setting::kRow) + kLimits.size() <=
              static_cast<std::size_t>(Setting::kCount));

}  // namespace

std::span<const Limit> all_limits() { return kLimits; }

LimitTarget::LimitTarget(const Url& url, const Said& said, const CalendarLimits& today,
                         std::vector<std::string_view>& parts)
    : url_(url), said_(said), today_(today), parts_(parts) {
  parts_.clear();
}

std::size_t LimitTarget::segments() {
  if (segments_ == SIZE_MAX) segments_ = count_segments(url_.path());
  return segments_;
}

const std::vector<std::string_view>& LimitTarget::split_path() {
  if (parts_.empty()) split_segments(url_.path(), parts_);
  return parts_;
}

const UrlDate& LimitTarget::date() {
  if (!date_) date_ = find_date(url_.path(), url_.query(), today_.year);
  return *date_;
}

}  // namespace spinneret::policy
