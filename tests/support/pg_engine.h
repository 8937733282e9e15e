// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL of the test program's own, on loopback and in a folder that is removed with it.
// Where none is installed, or the build has no client for it, there is none. A server refuses to be
// run by root: then it is run by nobody.
#ifndef SPINNERET_TESTS_SUPPORT_PG_ENGINE_H_
#define SPINNERET_TESTS_SUPPORT_PG_ENGINE_H_

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "support/free_port.h"

namespace spinneret {

class PgEngine {
 public:
  // Returns the engine of this program, started at the first call, or nullptr if there is none.
  static PgEngine* shared() {
    static const std::unique_ptr<PgEngine> engine = start();
    return engine.get();
  }
  ~PgEngine() {
    if (pid_ != 0) {
      // Ends it at once, with its children.
      kill(pid_, SIGQUIT);
      waitpid(pid_, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  pg::Address address(const std::string& crawl) const {
    pg::Address out;
    out.hosts = {{"127.0.0.1", port_}};
    out.user = out.database = "postgres";
    out.crawl = crawl;
    return out;
  }
  // Returns the rows of the last statement, as text.
  std::vector<std::string> command(const std::string& sql) {
    pg::Connection connection(address("any"), pg::Use::kLook, 60'000);
    const Result<pg::Rows> rows = connection.ask(sql);
    return rows.ok() ? rows->cells : std::vector<std::string>{rows.message()};
  }
  // Deletes all rows of all crawls.
  void forget() {
    command(
        "DO $$ DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = "
        "'spinneret' LOOP "
        "EXECUTE 'TRUNCATE spinneret.' || t; END LOOP; END $$");
  }

 private:
  explicit PgEngine(std::string folder) : folder_(std::move(folder)) {}

  static std::string programs() {
    std::error_code ignored;
    for (const auto& one : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
      if (access((one.path() / "bin/initdb").c_str(), X_OK) == 0) return one.path() / "bin";
    }
    return {};
  }
  static pid_t run(const std::vector<std::string>& words) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 &&
        (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0))
      _exit(126);
    const int null = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) dup2(null, fd);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  static std::unique_ptr<PgEngine> start() {
    const std::string bin = programs();
    if (!pg::is_built_in() || bin.empty()) return nullptr;
    std::string folder = "/tmp/spinneret-pg.XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return nullptr;
    std::unique_ptr<PgEngine> engine(new PgEngine(folder));
    if (geteuid() == 0 && chown(folder.c_str(), 65534, 65534) != 0) return nullptr;
    int how = 0;
    waitpid(run({bin + "/initdb", "-D", folder + "/data", "-U", "postgres", "-A", "trust", "-N",
                 "-E", "UTF8", "--no-locale"}),
            &how, 0);
    if (how != 0) return nullptr;
    for (int attempt = 0; attempt < 5; ++attempt) {
      engine->port_ = free_port();
      engine->pid_ =
          run({bin + "/postgres", "-D", folder + "/data", "-p", std::to_string(engine->port_), "-F",
               "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="});
      // A busy machine may take long to start it.
      for (int wait = 0; wait < 3000; ++wait) {
        if (waitpid(engine->pid_, &how, WNOHANG) == engine->pid_) {
          engine->pid_ = 0;
          break;  // another program took that port first
        }
        pg::Connection connection(engine->address("any"), pg::Use::kLook);
        if (connection.ask("SELECT 1").ok()) return engine;
        poll(nullptr, 0, 20);
      }
    }
    return nullptr;
  }

  std::string folder_;
  pid_t pid_ = 0;
  int port_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_PG_ENGINE_H_
