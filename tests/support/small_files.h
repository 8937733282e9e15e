// SPDX-License-Identifier: Apache-2.0
// While an object lives, no file of this process grows past so many bytes: a write beyond that
// fails (EFBIG), as on a full disk.
#ifndef SPINNERET_TESTS_SUPPORT_SMALL_FILES_H_
#define SPINNERET_TESTS_SUPPORT_SMALL_FILES_H_

#include <signal.h>
#include <sys/resource.h>

namespace spinneret {

class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_SMALL_FILES_H_
