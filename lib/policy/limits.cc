// SPDX-License-Identifier: Apache-2.0
#include "policy/limits.h"

#include <string>

#include "policy/trap.h"

namespace spinneret::policy {
namespace {

using Target = LimitTarget;
using When = Limit::When;
constexpr std::uint32_t kOff = Settings::kOff;

bool is_beyond(std::uint64_t measured, std::uint32_t value, std::uint64_t& found) {
  found = measured;
  return measured > value;
}

bool depth(Target& target, std::uint32_t value, std::uint64_t& found) {
  return !target.is_requisite() && is_beyond(target.depth(), value, found);
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

// Paths that are too short are not split.
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

// One segment or parameter more with every hop, for so many hops: a site grows that way only if it makes its links
// out of the page's own URL.
bool growing(Target& target, std::uint32_t value, std::uint64_t& found) {
  if (target.depth() < value) return false;
  found = target.segments() + count_parameters(target.url().query());
  return found >= target.depth();
}

// 20 segments is Heritrix's default; 2,048 bytes is what search engines and the sitemap protocol (sitemaps.org) take for
// the longest URL.
constexpr Limit kLimits[] = {
    {"max-depth", false, Setting::kMaxDepth, kOff, kOff, When::kAheadOfRules, Reason::kTooDeep,
     depth},
    {"max-url-length", false, Setting::kMaxUrlLength, kOff, 2048, When::kAheadOfRules,
     Reason::kTooLong, url_length},
    {"max-path-segments", false, Setting::kMaxPathSegments, kOff, 20, When::kAheadOfRules,
     Reason::kTooManySegments, path_segments},
    {"max-parameters", false, Setting::kMaxParameters, kOff, kOff, When::kAheadOfRules,
     Reason::kTooManyParameters, parameters},
    {"max-query-length", false, Setting::kMaxQueryLength, kOff, kOff, When::kAheadOfRules,
     Reason::kQueryTooLong, query_length},
    {"max-offsite-hops", false, Setting::kMaxOffsiteHops, kOff, kOff, When::kWithScope,
     Reason::kTooFarOffsite, nullptr},
    {"session-ids", true, Setting::kTrapSession, kSessionStrip, kSessionStrip, When::kBehindRules,
     Reason::kSessionId, session},
    {"repeated-segments", true, Setting::kTrapSegments, 3, 3, When::kBehindRules,
     Reason::kRepeatedSegments, repeated_segments},
    {"max-segment-repeats", false, Setting::kMaxSegmentRepeats, kOff, 5, When::kBehindRules,
     Reason::kSegmentRepeats, segment_repeats},
    {"repeated-keys", true, Setting::kTrapKeys, 8, 8, When::kBehindRules, Reason::kRepeatedKeys,
     repeated_keys},
    {"calendar", true, Setting::kTrapCalendarPast, 20, 20, When::kBehindRules, Reason::kCalendar,
     calendar_past},
    // Its second number.
    {"", true, Setting::kTrapCalendarFuture, 2, 2, When::kBehindRules, Reason::kCalendar,
     calendar_future},
    {"growing", true, Setting::kTrapGrowing, 12, 12, When::kBehindRules, Reason::kGrowing, growing},
};

}  // namespace

std::span<const Limit> all_limits() { return kLimits; }

LimitTarget::LimitTarget(const Url& url, std::uint64_t depth, bool is_requisite,
                         const CalendarLimits& today, std::vector<std::string_view>& parts)
    : url_(url), depth_(depth), is_requisite_(is_requisite), today_(today), parts_(parts) {
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
