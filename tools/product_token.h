// SPDX-License-Identifier: Apache-2.0
// A crawler's name, as --agent gives it.
#ifndef SPINNERET_TOOLS_PRODUCT_TOKEN_H_
#define SPINNERET_TOOLS_PRODUCT_TOKEN_H_

#include <string>

#include "cli/tool.h"

namespace spinneret {

// The product token of `given`, see robots::crawler_token(), or several as one crawler, "a+b". People have a User-Agent's
// value, or a name with its version, at hand. Compared as it is it would match nobody's name, so that the rules for
// everyone would allow what the crawler's own forbid. What was made of it is told; what has no token is wrong usage.
std::string product_token(cli::Tool& tool, const std::string& given, bool strict_token);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_PRODUCT_TOKEN_H_
