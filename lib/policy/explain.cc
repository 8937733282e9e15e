// SPDX-License-Identifier: Apache-2.0
// A verdict in words.
#include "base/number.h"
#include "policy/judge.h"

namespace spinneret::policy {
namespace {

struct Wording {
  const char* before;  // ahead of the verdict's number; nullptr: no number
  const char* after;
};

// By Reason.
constexpr Wording kWordings[] = {
    {nullptr, "no rule refuses it"},
    {nullptr, "allowed by a rule"},
    {nullptr, "denied by a rule"},
    {nullptr, "matches no allow rule of this kind"},
    {nullptr, "no rule allows it"},
    {nullptr, "out of scope"},
    {nullptr, "too many hops off the site"},
    {"depth ", " is too deep"},
    {"its ", " bytes are too many"},
    {"its ", " path segments are too many"},
    {"its ", " query parameters are too many"},
    {"its query's ", " bytes are too many"},
    {"a path segment occurs ", " times"},
    {nullptr, "has a query"},
    {nullptr, "has a query parameter that is not listed for its path"},
    {"path segments repeat ", " times or more in a row"},
    {"a query key repeats ", " times or more"},
    {"its date in the year ", " is too far away"},
    {nullptr, "has a session id"},
    {"it grows with every hop: ", " segments and parameters"},
    {nullptr, "the budget is spent"},
};

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

}  // namespace spinneret::policy
