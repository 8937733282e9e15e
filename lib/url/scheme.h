// SPDX-License-Identifier: Apache-2.0
// Special schemes (URL Standard, section 4.2).
#ifndef SPINNERET_URL_SCHEME_H_
#define SPINNERET_URL_SCHEME_H_

#include <string_view>

namespace spinneret {

enum class Scheme { kOther, kHttp, kHttps, kWs, kWss, kFtp, kFile };

// Returns the scheme called `name`, which is in lower case and without the colon.
constexpr Scheme scheme_of(std::string_view name) {
  if (name == "https") return Scheme::kHttps;
  if (name == "http") return Scheme::kHttp;
  if (name == "file") return Scheme::kFile;
  if (name == "ftp") return Scheme::kFtp;
  if (name == "ws") return Scheme::kWs;
  if (name == "wss") return Scheme::kWss;
  return Scheme::kOther;
}

// Returns -1 where the scheme has no default port.
constexpr int default_port(Scheme scheme) {
  switch (scheme) {
    case Scheme::kHttp:
    case Scheme::kWs: return 80;
    case Scheme::kHttps:
    case Scheme::kWss: return 443;
    case Scheme::kFtp: return 21;
    case Scheme::kFile:
    case Scheme::kOther: return -1;
  }
  return -1;
}

}  // namespace spinneret

#endif  // SPINNERET_URL_SCHEME_H_
