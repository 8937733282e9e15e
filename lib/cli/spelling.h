// SPDX-License-Identifier: Apache-2.0
// Messages about options that do not exist: what was probably meant, what the option is called now,
// or which option does the same here.
#ifndef SPINNERET_CLI_SPELLING_H_
#define SPINNERET_CLI_SPELLING_H_

#include <span>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace spinneret::cli {

// Returns the error message for an option that the tool does not have. `word` is the option as
// given, with or without its value. Recognises, in this order, a spelling of an earlier version, a
// near miss of one of the tool's options, and an option of another program (curl, sort).
std::string unknown_option(const ToolSpec& tool, std::span<const Option> options,
                           std::string_view word);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_SPELLING_H_
