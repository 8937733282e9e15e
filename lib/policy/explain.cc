// SPDX-License-Identifier: Apache-2.0
// A verdict in words.
#include <iterator>

#include "base/number.h"
#include "policy/judge.h"

namespace spinneret::policy {
namespace {

struct Wording {
  const char* before;  // ahead of the verdict's number; nullptr: no number
  const char* after;
  std::string_view name;  // refusal_class(); empty: the rule's part, or none
};

// By Reason.
constexpr Wording kWordings[] = {
    {nullptr, "no rule refuses it", ""},
    {nullptr, "allowed by a rule", ""},
    {nullptr, "denied by a rule", ""},
    {nullptr, "matches no allow rule of this kind", ""},
    {nullptr, "no rule allows it", "default"},
    {nullptr, "out of scope", "scope"},
    {nullptr, "too many hops off the site", "scope"},
    {"depth ", " is too deep", "depth"},
    {"its ", " bytes are too many", "limit"},
    {"its ", " path segments are too many", "limit"},
    {"its ", " query parameters are too many", "limit"},
    {"its query's ", " bytes are too many", "limit"},
    {"a path segment occurs ", " times", "trap"},
    {nullptr, "has a query", "query"},
    {nullptr, "has a query parameter that is not listed for its path", "query"},
    {"path segments repeat ", " times or more in a row", "trap"},
    {"a query key repeats ", " times or more", "trap"},
    {"its date in the year ", " is too far away", "trap"},
    {nullptr, "has a session id", "trap"},
    {"it grows with every hop: ", " segments and parameters", "trap"},
    {nullptr, "the budget is spent", "budget"},
};

// By Part.
constexpr std::string_view kPartNames[] = {"scheme", "host", "url", "path", "query", "extension",
                                           "type",   "rel",  "tag", "via",  "text",  "address"};
static_assert(std::size(kPartNames) == kPartCount);

}  // namespace

std::string Judge::explain() const {
  const Wording& wording = kWordings[static_cast<std::size_t>(verdict_.reason)];
  std::string out;
  if (wording.before != nullptr) {
    out += wording.before;
    append_unsigned(out, verdict_.value);
  }
  out += wording.after;
  if (verdict_.accepted && verdict_.rewritten) {
    out += "; passes as ";
    out += rewritten_.href();
  }
  return out;
}

std::string_view Judge::refusal_class() const {
  if (verdict_.accepted) return {};
  const Wording& wording = kWordings[static_cast<std::size_t>(verdict_.reason)];
  if (!wording.name.empty()) return wording.name;
  return kPartNames[static_cast<std::size_t>(policy_.lines[verdict_.line].part)];
}

}  // namespace spinneret::policy
