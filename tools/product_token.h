// SPDX-License-Identifier: Apache-2.0
// A crawler's name, as --agent gives it.
#ifndef SPINNERET_TOOLS_PRODUCT_TOKEN_H_
#define SPINNERET_TOOLS_PRODUCT_TOKEN_H_

#include <string>

#include "cli/tool.h"

namespace spinneret {

// Returns the product token of `given` (see robots::crawler_token()), or several as one crawler,
// "a+b". People often have the value of a User-Agent header, or a name with its version. Compared
// as it stands, such text would match nobody's name, so that the rules for everyone would allow
// what the crawler's own rules forbid. A notice says what was made of the text; text without a
// token is wrong usage.
std::string product_token(cli::Tool& tool, const std::string& given, bool strict_token);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_PRODUCT_TOKEN_H_
