// SPDX-License-Identifier: Apache-2.0
// A place for copies that a folder is, or a program of the user's:
//
//   PROGRAM put FOLDER NAME     keep the folder under that name; 0 once it is there for good
//   PROGRAM get NAME FOLDER     bring it back as FOLDER, which is not there yet
//   PROGRAM list                names, one a line
//   PROGRAM drop NAME           it is needed no more
//
// What it prints goes to standard error, but for list; standard input is empty. It is a process group of its own: what stops a
// crawl does not stop a copy halfway. What is waited for may hang: who is told to end meanwhile ends it.
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
  // `where`: a folder, or the path of a program; else an Error. `wait` waits for so many milliseconds, and is false once
  // get(), list() and drop() are to end.
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

  std::vector<std::string> words_;  // that every call begins with
  std::function<bool(int ms)> wait_;
  pid_t putting_ = 0;
  std::string name_;  // of what is on its way
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_COPY_PLACE_H_
