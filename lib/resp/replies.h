// SPDX-License-Identifier: Apache-2.0
// Turns the bytes that a server sends into replies. hiredis parses them; this class bounds the
// memory that they take, since hiredis allocates as much as a server claims to need. It knows
// nothing of connections.
//
//   Replies replies;
//   replies.begin();                        // of an exchange, with its whole allowance
//   Result<bool> whole = replies.next(reply);
//   if (whole.ok() && !*whole) replies.feed(bytes);
//
// An Error says that the bytes are no RESP, or more than anybody has asked for; no reply can be
// read after it. Not thread-safe.
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

  // The most bytes of the answers of an exchange. (A read of everything that may wait is 48 MiB.)
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostItems = std::size_t{1} << 18;  // of all arrays together

  void begin();
  // Returns false where more bytes must be fed first.
  Result<bool> next(Reply& out);
  Status feed(std::string_view bytes);

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
  std::size_t bytes_left_ = kMostBytes;
};

}  // namespace spinneret::resp

#endif  // SPINNERET_RESP_REPLIES_H_
