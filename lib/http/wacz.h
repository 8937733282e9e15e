// SPDX-License-Identifier: Apache-2.0
// Writes WACZ 1.1.1 (https://specs.webrecorder.net/wacz/1.1.1/): WARC files, their index and a list of their pages in
// one ZIP file, which replay tools open directly, and over the network by ranges.
//
//   datapackage.json            what is in here, with SHA-256 of each
//   datapackage-digest.json     and of that
//   pages/pages.jsonl           each answer of 200 that is HTML
//   indexes/index.cdxj          of all, sorted
//   archive/x.warc.gz ...       as they are
//
// Nothing is compressed again, since records are looked up by their place. Sizes over 4 GiB use ZIP64.
#ifndef SPINNERET_HTTP_WACZ_H_
#define SPINNERET_HTTP_WACZ_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret::http {

struct WaczOptions {
  std::string warc;      // the first of its files (warc_path); those that follow it are packed, too
  std::string software;  // "Spinneret/0.2.0"
  std::int64_t unix_ms = 0;               // now
  std::uint64_t zip64_from = 0xFFFFFFFF;  // lower in a test
};

// Returns "x.wacz" for "x.warc.gz".
std::string wacz_path(std::string_view warc);

// Writes wacz_path(options.warc), replacing an older file only when the new one is complete. Where a WARC's writer
// was killed, its partial index (x.cdxj.part) is used as far as it goes; a WARC file without any index is an Error. Processes that
// write the same one do so one after the other, as machines that share a folder do at the end of a crawl.
// Needs memory for all lines of the index.
Status write_wacz(const WaczOptions& options);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_WACZ_H_
