// SPDX-License-Identifier: Apache-2.0
#include "product_token.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "robots/agent.h"

namespace spinneret {
namespace {

// Whether the name is one token, or several separated by '+' and ':', none of them empty.
bool is_crawler(std::string_view name) {
  const auto parts = [](char c) { return c == '+' || c == ':'; };
  if (name.empty() || parts(name.front()) || parts(name.back())) return false;
  return std::adjacent_find(name.begin(), name.end(), [&parts](char a, char b) {
           return parts(a) && parts(b);
         }) == name.end();
}

}  // namespace

std::string product_token(cli::Tool& tool, const std::string& given, bool strict_token) {
  const std::string name(trim(given));
  std::string token(robots::crawler_token(name, strict_token));
  if (!is_crawler(token)) {
    tool.options().usage_error("--agent takes a product token, such as examplebot, not " +
                               excerpt(given));
  }
  if (token != name) tool.notice("--agent=" + excerpt(name) + ": asking for " + excerpt(token));
  return token;
}

}  // namespace spinneret
