// SPDX-License-Identifier: Apache-2.0
#include "http/auth.h"

#include <algorithm>

#include "base/ascii.h"
#include "http/base64.h"
#include "url/parse.h"
#include "url/percent.h"

namespace spinneret::http {

Result<AuthTable> AuthTable::parse(std::string_view text) {
  AuthTable table;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = trim(cut(text, '\n'));
    if (line.empty() || line.front() == '#') continue;
    const auto bad = [number](const char* why) {
      return Error{std::to_string(number) + ": " + why};
    };
    Url url;
    if (!spinneret::parse(cut_word(line), url) || !url.is_http()) {
      return bad("does not begin with an origin such as https://example.com");
    }
    if (url.path() != "/" || url.has_query()) return bad("an origin has no path");
    const std::string_view scheme = cut_word(line);
    line = trim(line);
    if (line.empty() || std::any_of(line.begin(), line.end(), is_control)) {
      return bad("has no credentials after the scheme");
    }
    if (equals_ignore_case(scheme, "basic")) {
      if (line.find(':') == std::string_view::npos) return bad("basic takes USER:PASSWORD");
      table.by_origin_[url.origin()] = "Basic " + base64(line);
      table.users_[url.origin()] = line;
    } else if (equals_ignore_case(scheme, "bearer")) {
      table.by_origin_[url.origin()] = "Bearer " + std::string(line);
    } else {
      return bad("scheme must be basic or bearer");
    }
  }
  return table;
}

const std::string* AuthTable::find(const std::string& origin) const {
  const auto found = by_origin_.find(origin);
  return found == by_origin_.end() ? nullptr : &found->second;
}

std::string AuthTable::proxy_with_user(std::string proxy) const {
  Url url;
  if (proxy.find('@') != std::string::npos || !spinneret::parse(proxy, url)) return proxy;
  const auto found = users_.find(url.origin());
  if (found == users_.end()) return proxy;
  std::string user;
  for (const char c : found->second) {
    if (is_unreserved(c) || (c == ':' && user.find(':') == std::string::npos)) {
      user += c;
    } else {
      append_escape(user, c);
    }
  }
  return proxy.insert(proxy.find("://") + 3, user + '@');
}

}  // namespace spinneret::http
