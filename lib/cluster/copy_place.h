// SPDX-License-Identifier: Apache-2.0
// A place for copies that a folder is, or a program of the user's:
//
//   PROGRAM put FOLDER NAME     keep the folder under that name; 0 once it is there for good
//   PROGRAM get NAME FOLDER     bring it back as FOLDER, which is not there yet
//   PROGRAM list                names, one a line
//   PROGRAM drop NAME           it is needed no more
//
// What it prints goes to standard error, but for list; standard input is empty. It is a process group of its own: what stops a
// crawl does not stop a copy halfway.
#ifndef SPINNERET_CLUSTER_COPY_PLACE_H_
#define SPINNERET_CLUSTER_COPY_PLACE_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "cluster/copies.h"

namespace spinneret::cluster {

class ProgramPlace : public CopyPlace {
 public:
  // `where`: a folder, or the path of a program; else an Error.
  static Result<ProgramPlace> at(const std::string& where);

  Status begin_put(const std::string& folder, const std::string& name) override;
  std::optional<Status> put_ended() override;
  Status get(const std::string& name, const std::string& folder) override;
  Status list(std::vector<std::string>& names) override;
  Status drop(const std::string& name) override;

 private:
  explicit ProgramPlace(std::vector<std::string> words) : words_(std::move(words)) {}
  Status run(std::vector<std::string> words);

  std::vector<std::string> words_;  // that every call begins with
  pid_t putting_ = 0;
  std::string name_;  // of what is on its way
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_COPY_PLACE_H_
