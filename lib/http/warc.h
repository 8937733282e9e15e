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
// run that was killed leaves at most one torn record at the end of its own file. A write that fails leaves none: what
// came of it is cut off, and a file without a record is removed.
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
#include "base/result.h"
#include "http/cdxj.h"
#include "http/fetch.h"

namespace spinneret::http {

struct WarcOptions {
  std::string path;
  std::string software;           // "Spinneret/0.2.0"
  std::string agent;              // as sent
  std::string contact;            // "operator" of warcinfo; empty: none
  std::vector<std::string> info;  // further fields of warcinfo: "robots: obey"
  std::uint64_t max_bytes = 0;  // a file that has reached this is followed by another; 0: no limit
  bool index = false;           // an index (CDXJ) beside each file, written when that is complete
};

// The files of a run: "x.warc.gz", "x-00001.warc.gz", ... for 0, 1, ...
std::string warc_path(const std::string& path, int number);

struct WarcPlace {
  std::string file;
  std::uint64_t offset = 0;
};

// Where an exchange has been written. A revisit is the archive's form of a body that was seen before; who wants to
// read it finds it in the record that came first, maybe in an earlier file of this run.
struct WarcEntry {
  WarcPlace record;               // the response or revisit
  std::optional<WarcPlace> body;  // the response that holds its body, where it is a revisit
};

class WarcWriter {
 public:
  static Result<WarcWriter> open(WarcOptions options);
  // Writes the exchange of `url`, in whatever spelling, whose result is whole. Needs WireOptions::keep_request and
  // EngineOptions::keep_wire.
  Result<WarcEntry> write(std::string_view url, const FetchResult& result);
  // To be called at the end: closes the file, and completes its index.
  Status close();

 private:
  struct Original {
    std::string id;
    std::string url;
    std::string date;
    int file = 0;  // its number
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
  std::string path_;
  std::optional<CdxjIndex> index_;
  int number_ = 0;
  std::uint64_t offset_ = 0;
  std::string info_id_;
  std::uint64_t id_seed_[2] = {0, 0};
  std::unordered_map<std::string, Original> originals_;  // by payload_key()
  std::deque<std::string> order_;                        // oldest first
  std::string text_;                                     // scratch
  std::string member_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_WARC_H_
