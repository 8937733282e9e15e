// SPDX-License-Identifier: Apache-2.0
// Credentials by origin, for --auth FILE. An origin without a line of its own never gets any.
#ifndef SPINNERET_HTTP_AUTH_H_
#define SPINNERET_HTTP_AUTH_H_

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"

namespace spinneret::http {

class AuthTable {
 public:
  // Parses lines `ORIGIN basic USER:PASSWORD` or `ORIGIN bearer TOKEN`; empty lines and lines that
  // begin with # are skipped. An Error is "LINE: what is wrong", and never shows a secret.
  static Result<AuthTable> parse(std::string_view text);
  // Returns the value of the Authorization field for `origin` ("https://example.com"), or nullptr.
  const std::string* find(const std::string& origin) const;
  // Adds the USER:PASSWORD of a proxy's `basic` line, escaped, to its URL ("http://host:port" or
  // "https://..."). Any other proxy, and one that has user information of its own, is returned as
  // it is.
  std::string proxy_with_user(std::string proxy) const;

 private:
  std::unordered_map<std::string, std::string> by_origin_, users_;  // users_: USER:PASSWORD
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_AUTH_H_
