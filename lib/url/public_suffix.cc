// SPDX-License-Identifier: Apache-2.0
#include "url/public_suffix.h"

#include <libpsl.h>

#include <string>

#include "url/host.h"

namespace spinneret {
namespace {

// Of use_public_suffix_list. Lives for ever.
const psl_ctx_t* chosen = nullptr;

// The list of the system where it is newer than that in the library. Lives for ever.
const psl_ctx_t* list() {
  static const psl_ctx_t* const ctx = chosen != nullptr ? chosen : psl_latest(nullptr);
  return ctx;
}

}  // namespace

Status use_public_suffix_list(const std::string& file) {
  const psl_ctx_t* const loaded = psl_load_file(file.c_str());
  if (loaded == nullptr) return Error{"cannot read the public suffix list " + file};
  // libpsl takes any text for a list; one of a few lines is a mistake, or a test.
  if (psl_suffix_count(loaded) < 1) return Error{file + " holds no public suffixes"};
  chosen = loaded;
  return {};
}

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
