// SPDX-License-Identifier: Apache-2.0
// What a server says, as it comes: bytes in, replies out. hiredis understands them; how much room they may take is ours to say, as
// it makes as much as a server claims to need. Nothing here knows a connection.
//
//   Replies replies;
//   replies.begin();                        // of an exchange, whose allowance is whole
//   Result<bool> whole = replies.next(reply);
//   if (whole.ok() && !*whole) replies.feed(bytes);
//
// An Error says that what comes is no RESP, or more than anybody has asked for; nothing more can be had then. Not thread-safe.
#ifndef SPINNERET_RESP_REPLIES_H_
#define SPINNERET_RESP_REPLIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret::resp {

struct Reply {
  enum class Kind : std::uint8_t { kNil, kInteger, kText, kError, kArray };
  Kind kind = Kind::kNil;
  std::int64_t integer = 0;
  std::string text;  // of kText and kError
  std::vector<Reply> items;

  bool is(Kind one) const { return kind == one; }
  bool is_text() const { return kind == Kind::kText; }
};

class Replies {
 public:
  Replies();
  ~Replies();
  Replies(const Replies&) = delete;
  Replies& operator=(const Replies&) = delete;

  // What an exchange may be answered with. (A read of everything that may wait is 48 MiB.)
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostItems = std::size_t{1} << 18;  // of arrays, over all

  void begin();
  // False: more is to be fed.
  Result<bool> next(Reply& out);
  Status feed(std::string_view bytes);

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
  std::size_t bytes_left_ = kMostBytes;
};

}  // namespace spinneret::resp

#endif  // SPINNERET_RESP_REPLIES_H_
