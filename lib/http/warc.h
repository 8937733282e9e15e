// SPDX-License-Identifier: Apache-2.0
// WARC 1.1 (https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/): requests and
// responses kept as they were, for archives and for reading again.
//
// A response is stored with its head as it came and its body in its content coding; chunks are written
// anew as one. A body that was stored before in this run becomes a `revisit` that names the first; so does
// a 304. The request is the one that was answered, without what a proxy alone was told; its URL stands in
// each record as it went out, without user information and fragment. Each record is a gzip member of its
// own where the file's name ends in .gz, and so can be read from its offset.
//
// An existing file is never touched: a name that is taken gets a number ("crawl-00001.warc.gz"), so that a
// run that was killed leaves at most one torn record at the end of its own file.
#ifndef SPINNERET_HTTP_WARC_H_
#define SPINNERET_HTTP_WARC_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/file.h"
#include "base/result.h"
#include "http/fetch.h"

namespace spinneret {

struct WarcOptions {
  std::string path;
  std::string software;         // "Spinneret/0.1.0"
  std::string agent;            // as sent
  std::string contact;          // "operator" of warcinfo; empty: none
  std::uint64_t max_bytes = 0;  // a file that has reached this is followed by another; 0: no limit
};

struct WarcPlace {
  std::string file;
  std::uint64_t offset = 0;  // of the response or revisit record
};

class WarcWriter {
 public:
  static Result<WarcWriter> open(WarcOptions options);
  // Writes the exchange of `url`, in whatever spelling, whose result is whole. Needs WireOptions::keep_request and
  // EngineOptions::keep_wire.
  Result<WarcPlace> write(std::string_view url, const FetchResult& result);

 private:
  struct Original {
    std::string id;
    std::string url;
    std::string date;
  };
  struct Record;

  explicit WarcWriter(WarcOptions options) : options_(std::move(options)) {}
  Status next_file();
  std::string numbered_path(int number) const;
  Status put(const Record& record);
  std::string fresh_id();
  void remember(const std::string& payload_digest, Original original);

  WarcOptions options_;
  Fd file_;
  std::string path_;
  int number_ = 0;
  std::uint64_t offset_ = 0;
  std::string info_id_;
  std::uint64_t id_seed_[2] = {0, 0};
  std::unordered_map<std::string, Original> originals_;  // by payload digest
  std::deque<std::string> order_;                        // oldest first
  std::string text_;                                     // scratch
  std::string member_;
};

}  // namespace spinneret

#endif  // SPINNERET_HTTP_WARC_H_
