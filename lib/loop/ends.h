// SPDX-License-Identifier: Apache-2.0
// The pipeline as its driver sees it: lines in, lines out, and how it ended. It is a child that can be started again,
// or our own standard input and output, at whose other end somebody else runs one, or a fake in tests.
//
//   ends.start()  ->  wait(), read(), write() ...  ->  close_input()  ->  read() says kEnd  ->  end(kEndMs)  ->  start() ...
#ifndef SPINNERET_LOOP_ENDS_H_
#define SPINNERET_LOOP_ENDS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/reader.h"
#include "loop/outlet.h"
#include "loop/pipeline.h"

namespace spinneret::loop {

class Ends {
 public:
  struct End {
    bool well = true;     // it ended as a pipeline should whose input was closed
    std::string how;      // "ended with status 2"
    bool failed = false;  // it says by its status, and not by being killed, that it had trouble
  };

  virtual ~Ends() = default;
  // Whether it can be started again. If not, there is no pipeline of ours behind it.
  virtual bool renewable() const = 0;
  // Starts it, unless it is running. Its output is then read from the beginning.
  virtual Status start() = 0;
  virtual bool running() const = 0;
  // Whether its input is open.
  virtual bool takes() const = 0;
  // Waits until it can be read (returns true), or written where that is `wanted`, or a signal asks to stop where that
  // is `stoppable`.
  virtual Result<bool> wait(bool wanted, bool stoppable, std::int64_t timeout_ms) = 0;
  // Gives runs of whole lines, without waiting.
  virtual LineReader::Event read(std::string_view& run) = 0;
  virtual int read_error() const = 0;
  // Writes as many of the lines as it takes, without waiting. Returns 0 or an errno.
  virtual int write(Outlet& lines) = 0;
  virtual void close_input() = 0;
  virtual void signal(int number) = 0;
  // Its process group; -1: there is none of ours.
  virtual pid_t group() const = 0;
  // Waits for its end, and forces that after `patience_ms`. It is not running afterwards.
  virtual End end(std::int64_t patience_ms) = 0;
};

struct EndsOptions {
  char terminator = '\n';
  std::size_t max_line = std::size_t{64} << 20;
};

// A child process. See pipeline.h for the command, the lock, and a pipeline that was `begun` already.
std::unique_ptr<Ends> child_ends(std::vector<std::string> command, std::string lock_path,
                                 const EndsOptions& options,
                                 std::unique_ptr<Pipeline> begun = nullptr);
// Descriptors 0 and 1.
std::unique_ptr<Ends> standard_ends(const EndsOptions& options);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_ENDS_H_
