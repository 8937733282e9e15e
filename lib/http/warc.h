// SPDX-License-Identifier: Apache-2.0
// Writes WARC 1.1
// (https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/): requests and
// responses kept as they were, for archives and for reading again.
//
// A response is stored with its head as it came and its body in its content coding, with chunks
// joined into one. A body that was stored earlier in this run becomes a `revisit` that refers to
// it, and so does a 304. The request is the one that was answered, without the fields that were
// only for a proxy. A record's URL is the one that was requested, without user information and
// fragment. Where the file's name ends in .gz each record is a gzip member of its own, so that it
// can be read from its offset.
//
// An existing file is never touched: where a name is taken the new file gets a number
// ("crawl-00001.warc.gz"), so that a killed run leaves at most one torn record, at the end of its
// own file. A write that fails leaves none: the record's part of the file is cut off, and a file
// without records is removed. A power cut may lose the last second (base/paced_sync.h).
#ifndef SPINNERET_HTTP_WARC_H_
#define SPINNERET_HTTP_WARC_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/paced_sync.h"
#include "base/result.h"
#include "http/cdxj.h"
#include "http/fetch.h"

namespace spinneret::http {

struct WarcOptions {
  std::string path;
  std::string software;           // "Spinneret/0.2.0"
  std::string agent;              // the User-Agent that was sent
  std::string contact;            // "operator" of warcinfo; empty: none
  std::vector<std::string> info;  // further fields of warcinfo: "robots: obey"
  std::uint64_t max_bytes = 0;    // another file is begun beyond so many bytes; 0: no limit
  // Writes an index (CDXJ) beside each file, once the file is complete.
  bool index = false;
};

// Returns the names of a run's files: "x.warc.gz", "x-00001.warc.gz", ... for 0, 1, ...
std::string warc_path(const std::string& path, int number);

struct WarcPlace {
  std::string file;
  std::uint64_t offset = 0;
};

// Where an exchange has been written. For a body that was seen before the archive has a revisit;
// the body itself is in the earlier record, which may be in an earlier file of this run.
struct WarcEntry {
  WarcPlace record;               // the response or revisit record
  std::optional<WarcPlace> body;  // for a revisit: the response record that has the body
};

class WarcWriter {
 public:
  static Result<WarcWriter> open(WarcOptions options);
  // Writes an exchange for `url` (in any spelling), whose result must be complete. Needs
  // WireOptions::keep_request and EngineOptions::keep_wire.
  Result<WarcEntry> write(std::string_view url, const FetchResult& result);
  // Must be called at the end: closes the file and completes the index.
  Status close();

 private:
  struct Original {
    std::string id;
    std::string url;
    std::string date;
    int file = 0;  // number of its file
    std::uint64_t offset = 0;
  };
  struct Record;

  explicit WarcWriter(WarcOptions options) : options_(std::move(options)) {}
  Status next_file();
  Status begin_file();
  Status put(const Record& record);
  Status add_to_index(const Record& record, const FetchResult& result, std::uint64_t offset);
  Record answer(const std::string& target, const FetchResult& result,
                std::optional<WarcPlace>& body);
  std::string fresh_id();
  void remember(const std::string& payload, Original original);

  WarcOptions options_;
  Fd file_;
  PacedSync sync_;
  std::string path_;
  std::optional<CdxjIndex> index_;
  int number_ = 0;
  std::uint64_t offset_ = 0;
  std::string info_id_;
  std::uint64_t id_seed_[2] = {0, 0};
  std::unordered_map<std::string, Original> originals_;  // keyed by payload_key()
  std::deque<std::string> order_;                        // oldest first
  std::string text_;                                     // scratch
  std::string member_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_WARC_H_
