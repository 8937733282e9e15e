// SPDX-License-Identifier: Apache-2.0
// The commands that a machine of a crawl runs, one for each partition that it has.
#ifndef SPINNERET_TOOLS_SCHED_CHILDREN_H_
#define SPINNERET_TOOLS_SCHED_CHILDREN_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace spinneret {

class Children {
 public:
  struct Child {
    pid_t pid = 0;
    std::int64_t begun_ms = 0;
    bool ending = false;
  };
  // {} in the words is the partition's number.
  explicit Children(std::vector<std::string> words) : words_(std::move(words)) {}

  // False: no process could be had.
  bool start(std::uint32_t partition, std::int64_t now_ms);
  // SIGTERM, once.
  static void end(Child& child);
  void end_all();
  // Those that have ended since, with their exit status, or 128 and the signal's number.
  void reap(
      const std::function<void(std::uint32_t partition, const Child& child, int status)>& each);

  bool empty() const { return running_.empty(); }
  bool has(std::uint32_t partition) const { return running_.contains(partition); }
  std::map<std::uint32_t, Child>& running() { return running_; }

 private:
  std::vector<std::string> words_;
  std::map<std::uint32_t, Child> running_;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_CHILDREN_H_
