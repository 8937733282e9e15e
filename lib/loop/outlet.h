// SPDX-License-Identifier: Apache-2.0
// Queues lines for a pipe that must not block us, and writes them as the pipe accepts them.
#ifndef SPINNERET_LOOP_OUTLET_H_
#define SPINNERET_LOOP_OUTLET_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret::loop {

class Outlet {
 public:
  // The queue, to which whole lines with their terminators may be appended.
  std::string& lines() { return bytes_; }
  std::size_t pending() const { return bytes_.size() - written_; }

  // Writes as much as the descriptor accepts. With `shared` the descriptor may be blocking, and
  // others may write to it, too: then at most PIPE_BUF bytes are written, which a pipe that poll(2)
  // reports as writable accepts at once. Returns 0 or an errno.
  int write_some(int fd, bool shared);

  // Drops the lines of which nothing has been written. A line that was begun stays, since a reader
  // must never take half a URL for a whole one.
  void drop_unwritten(char terminator);
  void clear();

 private:
  std::string bytes_;
  std::size_t written_ = 0;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_OUTLET_H_
