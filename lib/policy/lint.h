// SPDX-License-Identifier: Apache-2.0
// Looks through a policy for what is allowed but hardly meant: rules that another covers, rules that can
// match nothing (policy/reach.h) or match everything, sections that say nothing, settings without effect.
//
// What is a mistake by its syntax the builder has reported already (PolicyBuilder::problems, remarks).
// A remark is never wrong about coverage, in the order that holds: it looks at hosts, extensions and plain texts
// only, as whether one regular expression covers another is costly to say.
#ifndef SPINNERET_POLICY_LINT_H_
#define SPINNERET_POLICY_LINT_H_

#include <cstdint>
#include <vector>

#include "policy/builder.h"
#include "policy/directive.h"
#include "policy/policy.h"
#include "url/parse.h"

namespace spinneret::policy {

// In the order of the policy's lines. Its builder has kept their words (PolicyBuilder::keep_words).
std::vector<Problem> lint(const Policy& policy);
// And, ahead of that, what its builder reported: all that is wrong or odd.
std::vector<Problem> lint(const PolicyBuilder& builder, const Policy& policy);

// The allow rule that comes nearest to matching: the one whose text the URL agrees with for the most bytes. Candidates are the
// allow rules of the part that `wanted` is about, in all sections of the URL's host. The policy's builder must have kept the
// words.
std::uint32_t nearest_allow(const Policy& policy, std::uint32_t wanted, const Url& url);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LINT_H_
