// SPDX-License-Identifier: Apache-2.0
// Credentials by origin, for --auth FILE. An origin that has no line of its own is never sent any.
#ifndef SPINNERET_HTTP_AUTH_H_
#define SPINNERET_HTTP_AUTH_H_

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"

namespace spinneret::http {

class AuthTable {
 public:
  // Lines `ORIGIN basic USER:PASSWORD` or `ORIGIN bearer TOKEN`; empty lines and lines that begin with #
  // are comments. An Error is "LINE: what is wrong", and never shows a secret.
  static Result<AuthTable> parse(std::string_view text);
  // The value of the Authorization field for `origin` ("https://example.com"), or nullptr.
  const std::string* find(const std::string& origin) const;

 private:
  std::unordered_map<std::string, std::string> by_origin_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_AUTH_H_
