// SPDX-License-Identifier: Apache-2.0
// What is said of a word that there is not: what may have been meant, what it is called now, or what does that job here.
#ifndef SPINNERET_CLI_SPELLING_H_
#define SPINNERET_CLI_SPELLING_H_

#include <span>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace spinneret::cli {

// Which of `words` a mistyped one is likely meant to be, or none: of a short word one letter may be wrong, of others two.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words);

// The sentence about an option that the tool has not; `word` as it was given, with its value or without. It is, in
// this order: a spelling of an earlier version, near to an option of the tool, a word of another program (curl, sort).
std::string unknown_option(const ToolSpec& tool, std::span<const Option> options,
                           std::string_view word);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_SPELLING_H_
