// SPDX-License-Identifier: Apache-2.0
// Lines on their way into a pipe that must not block us: they are queued here, and written as the pipe takes them.
#ifndef SPINNERET_LOOP_OUTLET_H_
#define SPINNERET_LOOP_OUTLET_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace spinneret::loop {

class Outlet {
 public:
  // Whole lines with their terminators.
  std::string& lines() { return bytes_; }
  std::size_t pending() const { return bytes_.size() - written_; }

  // Writes what the descriptor takes. With `shared` it may be blocking, and others may use it, too: at most PIPE_BUF
  // bytes are written, which a pipe that poll(2) reports as writable takes at once. Returns 0 or an errno.
  int write_some(int fd, bool shared);

  // Drops the lines of which nothing has been written. The rest of a line that was begun stays, since a reader must
  // never take half a URL for a whole one.
  void drop_unwritten(char terminator);
  void clear();

 private:
  std::string bytes_;
  std::size_t written_ = 0;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_OUTLET_H_
