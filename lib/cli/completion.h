// SPDX-License-Identifier: Apache-2.0
// Shell completions, made from a tool's option table.
#ifndef SPINNERET_CLI_COMPLETION_H_
#define SPINNERET_CLI_COMPLETION_H_

#include <optional>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace spinneret::cli {

// Returns the completion script for "bash", "zsh" or "fish"; nothing for any other shell. The
// script completes options, and values as Option::values describes them.
//
// For "values" it returns a table of the values instead, for a program that hands options on to
// other tools and completes theirs:
//
//   --format TAB text|records|junit TAB            (one of these words)
//   --only TAB page,resource, TAB                  (any of these, or others)
//   --cache TAB TAB files                          (files or folders)
std::optional<std::string> completion_script(const ToolSpec& tool, std::string_view shell);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_COMPLETION_H_
