// SPDX-License-Identifier: Apache-2.0
// A redis-server of the test program's own, on loopback and without a disk, which ends with the
// program. Where none is installed, or the build has no client for it, there is none.
#ifndef SPINNERET_TESTS_SUPPORT_REDIS_ENGINE_H_
#define SPINNERET_TESTS_SUPPORT_REDIS_ENGINE_H_

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "resp/connection.h"
#include "support/free_port.h"

namespace spinneret {

class RedisEngine {
 public:
  // Returns the engine of this program, started at the first call, or nullptr if there is none.
  static RedisEngine* shared() {
    static const std::unique_ptr<RedisEngine> engine = start();
    return engine.get();
  }
  ~RedisEngine() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  // Returns the address of a crawl of this name. All data are gone that are older than forget().
  resp::Address address(const std::string& crawl) const {
    resp::Address out;
    out.seeds = {{"127.0.0.1", port_}};
    out.crawl = crawl;
    return out;
  }
  void command(const resp::Command& words) {
    resp::Connection connection(address("any"), 60'000, /*joins=*/false);
    static_cast<void>(connection.ask(words).ok());
  }
  void forget() { command({"FLUSHALL"}); }

 private:
  RedisEngine(pid_t pid, int port) : pid_(pid), port_(port) {}

  static std::unique_ptr<RedisEngine> start() {
    if (!resp::is_built_in()) return nullptr;
    for (int attempt = 0; attempt < 5; ++attempt) {
      const int port = free_port();
      const std::string number = std::to_string(port);
      const pid_t pid = fork();
      if (pid < 0) return nullptr;
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int null = open("/dev/null", O_RDWR);
        for (const int fd : {0, 1, 2}) dup2(null, fd);
        execlp("redis-server", "redis-server", "--port", number.c_str(), "--bind", "127.0.0.1",
               "--save", "", "--appendonly", "no", static_cast<char*>(nullptr));
        _exit(127);
      }
      std::unique_ptr<RedisEngine> engine(new RedisEngine(pid, port));
      // Each refused connection fails at once; a busy machine may take long to start the server.
      for (int wait = 0; wait < 3000; ++wait) {
        int how = 0;
        if (waitpid(pid, &how, WNOHANG) == pid) {
          engine->pid_ = 0;
          if (WIFEXITED(how) && WEXITSTATUS(how) == 127) return nullptr;
          break;  // another program took that port first
        }
        resp::Connection connection(engine->address("any"), 2000, /*joins=*/false);
        if (connection.ask({"PING"}).ok()) return engine;
        poll(nullptr, 0, 10);
      }
    }
    return nullptr;
  }

  pid_t pid_;
  int port_;
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_REDIS_ENGINE_H_
