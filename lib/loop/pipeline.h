// SPDX-License-Identifier: Apache-2.0
// The pipeline as a child process in a process group of its own, with pipes to its input and
// output.
//
// The group keeps Ctrl-C away from the stages, so that URLs in flight can come back first. The
// child inherits a lock on a file in the state folder: as long as any stage lives, even one that
// has outlived a killed scheduler, no other pipeline can be started for the same state.
#ifndef SPINNERET_LOOP_PIPELINE_H_
#define SPINNERET_LOOP_PIPELINE_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::loop {

// How long a pipeline may take to end after its input is closed.
inline constexpr std::int64_t kEndMs = 2000;

class Pipeline {
 public:
  // Starts `command`. `lock_path` is the file to lock; empty: none. A pipeline left behind by a
  // dead scheduler is killed first.
  static Result<std::unique_ptr<Pipeline>> start(const std::vector<std::string>& command,
                                                 const std::string& lock_path);
  // Kills the rest of the group, and waits for the child's end.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  int input() const { return input_.get(); }    // the end to write to; non-blocking; -1 once closed
  int output() const { return output_.get(); }  // the end to read from; non-blocking
  void close_input() { input_ = Fd(); }
  pid_t group() const { return child_; }

  // Sends a signal to the whole group.
  void signal(int number) const;
  // Whether the child has ended. Does not wait.
  bool ended();
  // Waits at most that long for the child's end. Returns whether it has ended.
  bool wait_for_end(std::int64_t milliseconds);
  // Valid once ended(): returns "ended with status 2" or "was killed by signal 9".
  std::string how_it_ended() const;
  // Whether it ended with status 0, or with 1, as a filter does that refused a line.
  bool ended_well() const;
  // Whether it ended by itself with another status.
  bool failed() const;

 private:
  Pipeline() = default;
  pid_t child_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  Fd input_;
  Fd output_;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_PIPELINE_H_
