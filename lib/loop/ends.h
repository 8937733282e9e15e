// SPDX-License-Identifier: Apache-2.0
// The two ends of the pipeline as the driver sees them: lines in, lines out, and how it ended. The
// pipeline is a child process, which can be restarted; or other programs at our standard input and
// output; or a fake in tests.
//
//   start()  ->  wait(), read(), write() ...  ->  close_input()  ->  read() gives kEnd  ->
//   end(kEndMs)  ->  start() ...
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
    bool well = true;     // whether it ended as a pipeline should after its input was closed
    std::string how;      // "ended with status 2"
    bool failed = false;  // whether its exit status, not a signal, reports an error
  };

  virtual ~Ends() = default;
  // Whether the pipeline can be restarted. If not, it is not a child of ours.
  virtual bool renewable() const = 0;
  // Starts the pipeline, unless it is running. Its output is then read from the beginning.
  virtual Status start() = 0;
  virtual bool running() const = 0;
  // Whether the pipeline's input is open.
  virtual bool takes() const = 0;
  // Waits until there is output to read (returns true), input can be written if that is `wanted`,
  // or a signal asks to stop if the wait is `stoppable`.
  virtual Result<bool> wait(bool wanted, bool stoppable, std::int64_t timeout_ms) = 0;
  // Returns runs of whole lines, without waiting.
  virtual LineReader::Event read(std::string_view& run) = 0;
  virtual int read_error() const = 0;
  // Writes as many of the lines as the pipeline accepts, without waiting. Returns 0 or an errno.
  virtual int write(Outlet& lines) = 0;
  virtual void close_input() = 0;
  virtual void signal(int number) = 0;
  // The pipeline's process group; -1: there is none of ours.
  virtual pid_t group() const = 0;
  // Waits for the pipeline's end, and kills it after `patience_ms`. It is not running afterwards.
  virtual End end(std::int64_t patience_ms) = 0;
};

struct EndsOptions {
  char terminator = '\n';
  std::size_t max_line = std::size_t{64} << 20;
};

// Makes the ends of a child process. pipeline.h explains the command, the lock, and a pipeline that
// was `begun` already.
std::unique_ptr<Ends> child_ends(std::vector<std::string> command, std::string lock_path,
                                 const EndsOptions& options,
                                 std::unique_ptr<Pipeline> begun = nullptr);
// Makes ends from descriptors 0 and 1.
std::unique_ptr<Ends> standard_ends(const EndsOptions& options);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_ENDS_H_
