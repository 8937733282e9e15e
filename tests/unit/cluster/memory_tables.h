// SPDX-License-Identifier: Apache-2.0
// The durable tables of a partition in memory, with the effects of a crash, a copy and a restore.
// `admitted` and `done` stand for the rest of the state, which is in the same commit.
#ifndef SPINNERET_TESTS_CLUSTER_MEMORY_TABLES_H_
#define SPINNERET_TESTS_CLUSTER_MEMORY_TABLES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/memory_channel_store.h"

namespace spinneret::cluster {

class MemoryTables : public MemoryChannelStore {
 public:
  void admit(std::string link) { admits_.push_back(std::move(link)); }
  void commit() {
    MemoryChannelStore::commit();
    for (std::string& link : admits_) ++admitted[std::move(link)];
    admits_.clear();
  }
  // Loses what was not committed.
  void crash() {
    drop_staged();
    admits_.clear();
  }

  // Each link, and how often it was admitted.
  std::map<std::string, int> admitted;
  std::set<int> done;  // the pages that are done

 private:
  std::vector<std::string> admits_;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_TESTS_CLUSTER_MEMORY_TABLES_H_
