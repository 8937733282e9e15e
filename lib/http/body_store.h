// SPDX-License-Identifier: Apache-2.0
// Bodies in files named by their digest: DIR/ab/cdef0123... A body that is there already is not written
// again. No name comes from a URL or a server.
//
// A file appears whole or not at all (written aside, then linked without replacing). The digest may be one
// that a server can make collide, so that a file that is there is compared; a body that differs goes to
// a name of its own (".1", ".2" behind).
#ifndef SPINNERET_HTTP_BODY_STORE_H_
#define SPINNERET_HTTP_BODY_STORE_H_

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::http {

class BodyStore {
 public:
  // Makes the folder where it is not there.
  static Result<BodyStore> open(const std::string& folder);
  // The path of the file that now holds `bytes`; `hex` is their digest.
  Result<std::string> put(std::string_view hex, std::string_view bytes);

 private:
  BodyStore(std::string folder, Fd fd) : folder_(std::move(folder)), fd_(std::move(fd)) {}
  Status make_shelf(std::string_view shelf);
  // True: `name` holds `bytes` now. False: it holds something else.
  Result<bool> place(const std::string& name, std::string_view bytes);

  std::string folder_;
  Fd fd_;
  std::bitset<256> shelves_;  // made by us
  std::uint64_t counter_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_BODY_STORE_H_
