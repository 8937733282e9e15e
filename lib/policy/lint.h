// SPDX-License-Identifier: Apache-2.0
// Finds lines of a policy that are allowed but probably not meant: rules that another rule covers,
// rules that can match nothing (policy/reach.h) or match everything, sections that say nothing, and
// settings without effect.
//
// The builder has already reported errors of syntax (PolicyBuilder::problems, remarks). A remark
// that one rule covers another, in the order that applies, is never wrong: only hosts, extensions
// and plain texts are considered, since it is costly to tell whether one regular expression covers
// another.
#ifndef SPINNERET_POLICY_LINT_H_
#define SPINNERET_POLICY_LINT_H_

#include <cstdint>
#include <vector>

#include "policy/builder.h"
#include "policy/directive.h"
#include "policy/policy.h"
#include "url/parse.h"

namespace spinneret::policy {

// Returns remarks in the order of the policy's lines. The builder must have kept the words of the
// lines (PolicyBuilder::keep_words).
std::vector<Problem> lint(const Policy& policy);
// Returns the same remarks, preceded by what the builder reported: everything that is wrong or odd.
std::vector<Problem> lint(const PolicyBuilder& builder, const Policy& policy);

// Returns the allow rule that comes nearest to matching: the one whose text agrees with the URL for
// the most bytes. Candidates are the allow rules about the same part as `wanted`, in all sections
// of the URL's host. The policy's builder must have kept the words.
std::uint32_t nearest_allow(const Policy& policy, std::uint32_t wanted, const Url& url);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LINT_H_
