// SPDX-License-Identifier: Apache-2.0
#include "url/public_suffix.h"

#include <libpsl.h>

#include <string>

#include "url/host.h"

namespace spinneret {
namespace {

// The list of the system where it is newer than that in the library. Lives for ever.
const psl_ctx_t* list() {
  static const psl_ctx_t* const ctx = psl_latest(nullptr);
  return ctx;
}

}  // namespace

std::string_view registrable_domain(std::string_view host) {
  if (host.empty() || is_ip_address(host) || list() == nullptr) return host;
  // libpsl wants a string with its NUL, and knows no dot at the end.
  std::string name(host);
  const bool root = name.back() == '.';
  if (root) name.pop_back();
  const char* const found = psl_registrable_domain(list(), name.c_str());
  if (found == nullptr) return host;
  return host.substr(static_cast<std::size_t>(found - name.c_str()));
}

}  // namespace spinneret
