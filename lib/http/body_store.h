// SPDX-License-Identifier: Apache-2.0
// Stores bodies in files named by their digest: DIR/ab/cdef0123... A body that is already there is
// not written again. No part of a file's name comes from a URL or a server.
//
// A file appears complete or not at all: it is written under another name and then linked, which
// never replaces a file. A server may be able to make digests collide, so an existing file is
// compared, and a body that differs gets a name of its own (".1" or ".2" is appended).
#ifndef SPINNERET_HTTP_BODY_STORE_H_
#define SPINNERET_HTTP_BODY_STORE_H_

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/paced_sync.h"
#include "base/result.h"

namespace spinneret::http {

class BodyStore {
 public:
  // Creates the folder where necessary.
  static Result<BodyStore> open(const std::string& folder);
  // Returns the path of the file that now holds `bytes`; `hex` is their digest.
  Result<std::string> put(std::string_view hex, std::string_view bytes);
  // Must be called at the end: tells whether all is on disk.
  Status close() { return sync_error(sync_.end()); }

 private:
  BodyStore(std::string folder, Fd fd) : folder_(std::move(folder)), fd_(std::move(fd)) {}
  Status sync_error(int code) const;
  Status make_shelf(std::string_view shelf);
  // Returns true where `name` now holds `bytes`, false where it holds something else.
  Result<bool> place(const std::string& name, std::string_view bytes);

  std::string folder_;
  Fd fd_;
  PacedSync sync_{PacedSync::sync_file_system};
  std::bitset<256> shelves_;  // folders that this store has made
  std::uint64_t counter_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_BODY_STORE_H_
