// SPDX-License-Identifier: Apache-2.0
// What the pipeline is to whoever drives it: lines in, lines out, and how it died. A child that can be started anew; or our own
// standard input and output, at whose other end somebody else runs one; in tests, a twin.
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
    bool well = true;  // as a pipeline ends that has been closed
    std::string how;   // "ended with status 2"
  };

  virtual ~Ends() = default;
  // Whether it can be started anew. What cannot has no pipeline of ours behind it.
  virtual bool renewable() const = 0;
  // Nothing is started where it runs already; what comes out is read from its beginning.
  virtual Status start() = 0;
  virtual bool running() const = 0;
  // Whether its input is open.
  virtual bool takes() const = 0;
  // Until something can be read (true), or put in where that is `wanted`, or a signal asks to stop where that is `stoppable`.
  virtual Result<bool> wait(bool wanted, bool stoppable, std::int64_t timeout_ms) = 0;
  // Runs of whole lines, without waiting.
  virtual LineReader::Event read(std::string_view& run) = 0;
  virtual int read_error() const = 0;
  // What it takes of them, without waiting. 0 or an errno.
  virtual int write(Outlet& lines) = 0;
  virtual void close_input() = 0;
  virtual void signal(int number) = 0;
  // Its process group; -1: none of ours.
  virtual pid_t group() const = 0;
  // Waits so long for its end, which is forced then. It runs no more.
  virtual End end(std::int64_t patience_ms) = 0;
};

struct EndsOptions {
  char terminator = '\n';
  std::size_t max_line = std::size_t{64} << 20;
};

// A child: see pipeline.h for the command, the lock and a pipeline that was `begun` already.
std::unique_ptr<Ends> child_ends(std::vector<std::string> command, std::string lock_path,
                                 const EndsOptions& options,
                                 std::unique_ptr<Pipeline> begun = nullptr);
// Descriptors 0 and 1.
std::unique_ptr<Ends> standard_ends(const EndsOptions& options);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_ENDS_H_
