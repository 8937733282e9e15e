// SPDX-License-Identifier: Apache-2.0
#include "http/referer.h"

namespace spinneret::http {

std::string referer_for(std::string_view page, const Url& target) {
  Url from;
  if (!parse(page, from) || !from.is_http()) return {};
  if (from.scheme() == "https" && target.scheme() == "http") return {};
  std::string out = from.origin();
  if (out != target.origin()) return out + "/";
  out += from.path_and_query();
  return out;
}

}  // namespace spinneret::http
