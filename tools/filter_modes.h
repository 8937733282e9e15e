// SPDX-License-Identifier: Apache-2.0
// The modes of url-filter that print something other than its lines, and what they share with it.
#ifndef SPINNERET_TOOLS_FILTER_MODES_H_
#define SPINNERET_TOOLS_FILTER_MODES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "filter_stream.h"
#include "policy/builder.h"
#include "policy/policy.h"

namespace spinneret {

// Adds the rules of these files, and then those of all other options, which have the last word.
void add_rules(const cli::Options& options, const std::vector<std::string>& files,
               policy::PolicyBuilder& builder);
// Returns the time of --now, or else the present, in milliseconds.
std::int64_t now_ms(const cli::Options& options);
// Reports the problems as trouble. Returns whether there are any.
bool report(cli::Tool& tool, const std::vector<policy::Problem>& problems);

// Each of these returns the exit status.

// --hits: prints a line for each rule, with the number of its hits.
int count_hits(cli::Tool& tool, const policy::Policy& policy, FilterStream& stream);
// --check: prints problems and remarks to standard output, since here they are what was asked for.
int check_policy(cli::Tool& tool, const policy::PolicyBuilder& builder,
                 const policy::Policy& policy);
// --why-not: prints the rules that refuse the URL, one after the other, each by the policy without
// those before it. What only a policy built without them can tell (parameters, and settings given
// twice) has one built.
int tell_why_not(cli::Tool& tool);
// --convert: reads lines of a list, and prints lines of a policy. Reports each line that has no
// equivalent, and at the end their number.
int convert_list(cli::Tool& tool);
// --diff: prints what two policies judge differently. Only candidates are compared; settled lines
// have been judged.
int compare(cli::Tool& tool, FilterStream& before, FilterStream& after);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FILTER_MODES_H_
