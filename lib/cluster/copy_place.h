// SPDX-License-Identifier: Apache-2.0
// A place for copies that is a folder, or a program of the user's:
//
//   PROGRAM put FOLDER NAME     keep the folder under that name; 0 once it is there for good
//   PROGRAM get NAME FOLDER     bring it back as FOLDER, which does not exist yet
//   PROGRAM list                print the names, one a line
//   PROGRAM drop NAME           it is not needed any more
//
// The program's output goes to standard error, except that of list; its standard input is empty. It
// runs in a process group of its own, so that a signal which stops the crawl does not interrupt a
// copy. A call that waits for the program may hang: it ends the program once the caller is told to
// end.
#ifndef SPINNERET_CLUSTER_COPY_PLACE_H_
#define SPINNERET_CLUSTER_COPY_PLACE_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/copies.h"

namespace spinneret::cluster {

class ProgramPlace : public CopyPlace {
 public:
  // `where` is a folder, or the path of a program; else an Error. `wait` waits for that many
  // milliseconds, and returns false once get(), list() and drop() are to end.
  static Result<ProgramPlace> at(const std::string& where, std::function<bool(int ms)> wait);

  Status begin_put(const std::string& folder, const std::string& name) override;
  std::optional<Status> put_ended() override;
  Status get(const std::string& name, const std::string& folder) override;
  Status list(std::vector<std::string>& names) override;
  Status drop(const std::string& name) override;

 private:
  ProgramPlace(std::vector<std::string> words, std::function<bool(int ms)> wait)
      : words_(std::move(words)), wait_(std::move(wait)) {}
  Status run(std::vector<std::string> words, int out) const;
  int wait_for(pid_t pid) const;

  std::vector<std::string> words_;  // with which every command begins
  std::function<bool(int ms)> wait_;
  pid_t putting_ = 0;
  std::string name_;  // name of the copy on its way
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_COPY_PLACE_H_
