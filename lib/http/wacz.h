// SPDX-License-Identifier: Apache-2.0
// Writes WACZ 1.1.1 (https://specs.webrecorder.net/wacz/1.1.1/): WARC files, their index and a list
// of their pages in one ZIP file, which replay tools open directly, and over the network by ranges.
//
//   datapackage.json            lists pages, indexes and archive, with SHA-256 of each file
//   datapackage-digest.json     SHA-256 of datapackage.json
//   pages/pages.jsonl           each answer of 200 that is HTML
//   indexes/index.cdxj          the lines of all indexes, sorted
//   archive/x.warc.gz ...       the WARC files, unchanged
//
// Nothing is compressed again, since records are found by their offset. Sizes over 4 GiB use ZIP64.
#ifndef SPINNERET_HTTP_WACZ_H_
#define SPINNERET_HTTP_WACZ_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret::http {

struct WaczOptions {
  // The first file of a WARC (warc_path); the files that follow it are packed, too.
  std::string warc;
  std::string software;                   // "Spinneret/0.2.0"
  std::int64_t unix_ms = 0;               // now
  std::uint64_t zip64_from = 0xFFFFFFFF;  // a test sets it lower
};

// Returns "x.wacz" for "x.warc.gz".
std::string wacz_path(std::string_view warc);

// Writes wacz_path(options.warc), replacing an older file only when the new one is complete. Where
// a WARC's writer was killed, its partial index (x.cdxj.part) is used as far as it goes; a WARC
// file without any index is an Error. Processes that write the same file do so one after the other,
// as machines that share a folder do at the end of a crawl. Takes memory for all lines of the
// index.
Status write_wacz(const WaczOptions& options);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_WACZ_H_
