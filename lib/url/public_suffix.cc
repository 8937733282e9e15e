// SPDX-License-Identifier: Apache-2.0
#include "url/public_suffix.h"

#include <libpsl.h>

#include <functional>
#include <string>
#include <vector>

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

namespace {

// The size of the registrable domain at the end of a host that is a name.
std::size_t domain_size(std::string_view host) {
  // libpsl wants a string with its NUL, and knows no dot at the end.
  std::string name(host);
  const bool root = name.back() == '.';
  if (root) name.pop_back();
  const char* const found = psl_registrable_domain(list(), name.c_str());
  if (found == nullptr) return host.size();
  return host.size() - static_cast<std::size_t>(found - name.c_str());
}

}  // namespace

// URLs of one host stand together, or come again: a look at the list costs 0.5 us.
std::string_view registrable_domain(std::string_view host) {
  if (host.empty() || is_ip_address(host) || list() == nullptr) return host;
  struct Known {
    std::string host;
    std::size_t size = 0;
  };
  constexpr std::size_t kEntries = 1024;
  constexpr std::size_t kLongest = 64;
  thread_local std::vector<Known> known(kEntries);
  if (host.size() > kLongest) return host.substr(host.size() - domain_size(host));
  Known& entry = known[std::hash<std::string_view>()(host) % kEntries];
  if (entry.host != host) {
    entry.size = domain_size(host);
    entry.host = host;
  }
  return host.substr(host.size() - entry.size);
}

}  // namespace spinneret
