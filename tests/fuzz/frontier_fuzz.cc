// SPDX-License-Identifier: Apache-2.0
// Bytes of unknown origin as rows, keys and record lines of the scheduler. Whatever can be decoded
// must be the same after it was encoded and decoded again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frontier/host_row.h"
#include "frontier/keys.h"
#include "frontier/url_row.h"
#include "loop/wire.h"

using namespace spinneret;
using namespace spinneret::frontier;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kOrigin = "http://h";
  std::string first;
  std::string second;
  UrlRow row;
  if (decode_url_row(bytes, kOrigin, row)) {
    encode_url_row(first, row, kOrigin);
    UrlRow again;
    if (!decode_url_row(first, kOrigin, again)) std::abort();
    encode_url_row(second, again, kOrigin);
    if (first != second) std::abort();
  }
  if (decode_old_url_row(bytes, kOrigin, "/rest", row)) {
    encode_url_row(first, row, kOrigin);
    UrlRow again;
    if (!decode_url_row(first, kOrigin, again)) std::abort();
    if (!row.is_stub && again.rest != "/rest") std::abort();
  }
  std::uint32_t depth = 0;
  static_cast<void>(decode_depth(bytes, depth));
  HostRow host;
  if (decode_host_row(bytes, host)) {
    encode_host_row(first, host);
    HostRow again;
    if (!decode_host_row(first, again)) std::abort();
    encode_host_row(second, again);
    if (first != second) std::abort();
  }
  QueueEntry entry;
  if (decode_queue_entry(bytes, entry)) {
    encode_queue_entry(first, entry);
    QueueEntry again;
    if (!decode_queue_entry(first, again)) std::abort();
    if (again.rest != entry.rest || again.extra != entry.extra || again.depth != entry.depth)
      std::abort();
    fill_row(row, entry, Place::of(0, 1), kOrigin);
    encode_queue_entry(second, entry_of(row, kOrigin, entry.rest));
    if (!decode_queue_entry(second, again) || again.rest != entry.rest) std::abort();
  }
  LaterKey later;
  if (split_later_key(bytes, later)) make_later_key(first, later);
  loop::Wire wire;
  wire.candidate(bytes);
  Settled settled;
  wire.settled(bytes, settled);
  return 0;
}
