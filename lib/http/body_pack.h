// SPDX-License-Identifier: Apache-2.0
// Stores bodies in a few large files, DIR/bodies-000001.pack and so on. A body costs one system
// call, where a file of its own costs six and an inode: 6 to 20 µs of the 250 to 290 µs of CPU that
// fetch spends on a page (ext4, 4,000 pages).
//
// A pack begins with the line "spinneret-bodies 1" and is only ever appended to. Entries follow:
//
//     DIGEST SIZE TIME TYPE CHARSET PLACE CHECK URL [TAB FIELD]... LF  [SIZE bytes of body LF]
//
// TIME is in milliseconds since 1970. TYPE and CHARSET are "-" where there is none. CHECK is
// XXH3-64, in hexadecimal, of the text before it and behind it. PLACE is "here" where the body
// follows, or "PACK:OFFSET" where the same body was stored before and begins there. FIELDs are
// further fields of the record of the page. An entry counts only when it is complete: a kill leaves
// at most one incomplete entry, at the end of its pack, and a power cut may lose the last second
// (base/paced_sync.h).
//
// Each writer has its own packs, made with O_EXCL and never opened for writing by another, so that
// any number of processes may share a folder. A body that others stored before open() is recognised
// by its digest, read and compared, and not stored again.
#ifndef SPINNERET_HTTP_BODY_PACK_H_
#define SPINNERET_HTTP_BODY_PACK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/file.h"
#include "base/paced_sync.h"
#include "base/result.h"

namespace spinneret::http {

struct BodyPlace {
  std::string file;
  std::uint64_t offset = 0;  // place of the body's first byte
};

// The facts that are kept beside a body.
struct BodyFacts {
  std::string_view digest;  // hexadecimal
  std::string_view url;
  std::string_view type;
  std::string_view charset;
  std::int64_t unix_ms = 0;
  std::string_view fields = {};  // further fields of the record, each after a tab
};

struct PackEntry {
  BodyFacts facts;  // views live until the next entry
  std::uint64_t size = 0;
  std::uint32_t pack = 0;  // the pack that has the body
  std::uint64_t offset = 0;
};

// Returns the path of pack `number` in `folder`.
std::string pack_path(const std::string& folder, std::uint32_t number);

// Calls `use` for each complete entry of a folder, oldest pack first, until it returns false. A
// pack that another process is writing is read up to its last complete entry. An entry costs a read
// of 4 KiB, about 2 µs.
Status for_each_entry(const std::string& folder, const std::function<bool(const PackEntry&)>& use);

class BodyPack {
 public:
  // Creates the folder where necessary, and reads which bodies it holds: 48 bytes of memory for
  // each.
  static Result<BodyPack> open(const std::string& folder);
  // Stores `bytes`, whose digest is `facts.digest`, and returns their place. A write that fails
  // leaves the pack as it was.
  Result<BodyPlace> put(const BodyFacts& facts, std::string_view bytes);
  // Tells whether all is on disk. A later put() begins another pack.
  Status close();

 private:
  struct Held {
    std::uint32_t pack;
    std::uint64_t offset;
  };
  explicit BodyPack(std::string folder) : folder_(std::move(folder)) {}
  Status next_pack();
  Status sync_error(int code) const;
  bool holds(const Held& held, std::string_view bytes);
  Status append(std::string_view head, std::optional<std::string_view> body);

  std::string folder_;
  std::unordered_map<std::uint64_t, Held> held_;  // keyed by the first 16 digits of the digest
  Fd file_;                                       // pack number_; none before the first body
  PacedSync sync_;
  std::uint32_t number_ = 0;
  std::uint64_t end_ = 0;
  std::uint32_t read_number_ = 0;  // the pack that read_file_ has open
  Fd read_file_;
  std::string head_;  // scratch
  std::string read_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_BODY_PACK_H_
