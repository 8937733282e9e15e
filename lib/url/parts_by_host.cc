// SPDX-License-Identifier: Apache-2.0
#include "url/parts_by_host.h"

#include <algorithm>

#include "base/hash.h"

namespace spinneret {
namespace {

// Returns the text between "//" and the path, if the host depends on it alone: no byte in front of
// it, in it or directly after it is one that a parser drops or replaces. Returns "" if that is not
// certain.
std::string_view plain_authority(std::string_view url) {
  const std::size_t scheme = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : 0;
  if (scheme == 0) return {};
  // Longer URLs are left to the parser.
  constexpr std::size_t kMostUrl = std::size_t{64} << 20;
  const char* const from = url.data() + scheme;
  const char* const end = url.data() + url.size();
  const char* const behind = std::find_if_not(from, end, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':';
  });
  const bool ends = behind == end || *behind == '/' || *behind == '?' || *behind == '#';
  if (!ends || url.size() > kMostUrl) return {};
  return {from, static_cast<std::size_t>(behind - from)};
}

}  // namespace

std::uint32_t PartsByHost::of_text(std::string_view url, Url& scratch) {
  const std::string_view authority = plain_authority(url);
  if (authority.empty() || authority.size() > kMostBytes) return partitions_.of_text(url, scratch);
  Slot& slot = (*slots_)[hash64(authority) % kSlots];
  if (std::string_view(slot.bytes, slot.size) == authority) return slot.part;
  // A text that is not a URL is placed by all its bytes.
  if (!parse(url, scratch)) return partitions_.of_text(url, scratch);
  return keep(slot, authority, partitions_.of_host(scratch.host()));
}

std::uint32_t PartsByHost::of_host(std::string_view host) {
  if (host.empty() || host.size() > kMostBytes) return partitions_.of_host(host);
  Slot& slot = (*slots_)[hash64(host) % kSlots];
  if (std::string_view(slot.bytes, slot.size) == host) return slot.part;
  return keep(slot, host, partitions_.of_host(host));
}

std::uint32_t PartsByHost::keep(Slot& slot, std::string_view name, std::uint32_t part) {
  slot.part = part;
  slot.size = static_cast<std::uint8_t>(name.size());
  std::copy(name.begin(), name.end(), slot.bytes);
  return part;
}

}  // namespace spinneret
