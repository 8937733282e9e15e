// SPDX-License-Identifier: Apache-2.0
#include "http/request_head.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "http/referer.h"

namespace spinneret::http {
namespace {

bool is_field_value(std::string_view text) {
  return !text.empty() && text.size() < 4096 && std::none_of(text.begin(), text.end(), is_control);
}

}  // namespace

std::string wire_url(const Url& url) {
  std::string out;
  out.reserve(url.href().size());
  out += url.scheme();
  out += "://";
  out += url.host();
  if (url.has_port()) {
    out += ':';
    out += url.port_text();
  }
  out += url.path_and_query();
  return out;
}

bool add_validators(const FetchRequest& request, std::vector<std::string>& lines) {
  const std::size_t before = lines.size();
  if (is_field_value(request.etag)) lines.push_back("If-None-Match: " + request.etag);
  if (is_field_value(request.last_modified)) {
    lines.push_back("If-Modified-Since: " + request.last_modified);
  }
  return lines.size() != before;
}

void add_confidences(const FetchRequest& request, const Url& url, const AuthTable& auth,
                     std::vector<std::string>& lines) {
  if (!request.referer.empty()) {
    const std::string referer = referer_for(request.referer, url);
    if (is_field_value(referer)) lines.push_back("Referer: " + referer);
  }
  if (const std::string* const secret = auth.find(url.origin())) {
    lines.push_back("Authorization: " + *secret);
  }
}

}  // namespace spinneret::http
