// SPDX-License-Identifier: Apache-2.0
// Shell completions, made from a tool's option table.
#ifndef SPINNERET_CLI_COMPLETION_H_
#define SPINNERET_CLI_COMPLETION_H_

#include <optional>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace spinneret::cli {

// The script for "bash", "zsh" or "fish"; nothing for any other shell. It completes options, and their values as
// Option::values says.
//
// For "values" the table behind it, from which programs that hand options on complete theirs:
//
//   --format TAB text|records|junit TAB            (one of these)
//   --only TAB page,resource, TAB                  (any of these, and others)
//   --cache TAB TAB files                          (or folders)
std::optional<std::string> completion_script(const ToolSpec& tool, std::string_view shell);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_COMPLETION_H_
