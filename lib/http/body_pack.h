// SPDX-License-Identifier: Apache-2.0
// Bodies in a few large files: DIR/bodies-000001.pack and on. One system call a body, where a file for each takes six
// and an inode: 6 to 20 µs of CPU a page beside 250 to 290, where each file is made on ext4 (fetch over 4,000 pages).
//
// A pack begins with the line "spinneret-bodies 1" and is appended to only. Then entries:
//
//     DIGEST SIZE TIME TYPE CHARSET PLACE CHECK URL LF  [SIZE bytes of body LF]
//
// TIME is in milliseconds since 1970; TYPE and CHARSET are "-" where there is none; CHECK is XXH3-64 of what stands
// before and behind it, in
// hexadecimal. PLACE is "here", and the body follows; or "PACK:OFFSET": the same body begins there, stored before.
// An entry counts once it is whole: a kill leaves at most one that is cut, at the end of its pack.
//
// A writer has packs of its own (made with O_EXCL, never opened by another), so that any number of processes may share
// a folder. What others stored before open() is known by its digest, read and compared, and not stored again.
#ifndef SPINNERET_HTTP_BODY_PACK_H_
#define SPINNERET_HTTP_BODY_PACK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::http {

struct BodyPlace {
  std::string file;
  std::uint64_t offset = 0;  // of the first byte of the body
};

// What is kept beside a body.
struct BodyFacts {
  std::string_view digest;  // hexadecimal
  std::string_view url;
  std::string_view type;
  std::string_view charset;
  std::int64_t unix_ms = 0;
};

struct PackEntry {
  BodyFacts facts;  // views live until the next entry
  std::uint64_t size = 0;
  std::uint32_t pack = 0;  // where the body is
  std::uint64_t offset = 0;
};

// The name of pack `number` in `folder`.
std::string pack_path(const std::string& folder, std::uint32_t number);

// Calls `use` for each whole entry of a folder, oldest pack first; one that is being written by another process is
// read up to its last whole entry. A read of 4 KiB for each, about 2 µs. `use` returns false to stop.
Status for_each_entry(const std::string& folder, const std::function<bool(const PackEntry&)>& use);

class BodyPack {
 public:
  // Makes the folder where it is not there, and reads what it holds: 48 bytes of memory for each body.
  static Result<BodyPack> open(const std::string& folder);
  // Where `bytes` are now; `facts.digest` is theirs. A write that fails leaves the pack as it was.
  Result<BodyPlace> put(const BodyFacts& facts, std::string_view bytes);

 private:
  struct Held {
    std::uint32_t pack;
    std::uint64_t offset;
  };
  explicit BodyPack(std::string folder) : folder_(std::move(folder)) {}
  Status next_pack();
  bool holds(const Held& held, std::string_view bytes);
  Status append(std::string_view head, std::optional<std::string_view> body);

  std::string folder_;
  std::unordered_map<std::uint64_t, Held> held_;  // by the first 16 digits of the digest
  Fd file_;                                       // of pack number_; none before the first body
  std::uint32_t number_ = 0;
  std::uint64_t end_ = 0;
  std::uint32_t read_number_ = 0;  // the pack that read_file_ is of
  Fd read_file_;
  std::string head_;  // scratch
  std::string read_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_BODY_PACK_H_
