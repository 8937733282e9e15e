// SPDX-License-Identifier: Apache-2.0
// Answers to options that do not exist: what was probably meant, what the option is called now, or what does its job
// here.
#ifndef SPINNERET_CLI_SPELLING_H_
#define SPINNERET_CLI_SPELLING_H_

#include <span>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace spinneret::cli {

// The error message for an option that the tool does not have; `word` is as it was given, with its value or without.
// It recognises, in this order, a spelling of an earlier version, a near miss of one of the tool's options, and a
// word of another program (curl, sort).
std::string unknown_option(const ToolSpec& tool, std::span<const Option> options,
                           std::string_view word);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_SPELLING_H_
