// SPDX-License-Identifier: Apache-2.0
// The durable tables of a partition in memory, with what a crash, a copy and a restore do to them. `admitted` and `done`
// stand for the rest of the state, which is in the same commit.
#ifndef SPINNERET_TESTS_CLUSTER_MEMORY_TABLES_H_
#define SPINNERET_TESTS_CLUSTER_MEMORY_TABLES_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/channel.h"

namespace spinneret::cluster {

class MemoryTables : public ChannelStore {
 public:
  void put(ChannelTable table, std::string_view key, std::string_view value) override {
    staged_.push_back({table, std::string(key), std::string(value)});
  }
  void erase(ChannelTable table, std::string_view key) override {
    staged_.push_back({table, std::string(key), {}});
  }
  void scan(ChannelTable table, std::string_view from,
            const std::function<bool(std::string_view, std::string_view)>& take) override {
    const Rows& rows = rows_[static_cast<int>(table)];
    for (auto at = rows.lower_bound(from); at != rows.end(); ++at) {
      if (!take(at->first, at->second)) return;
    }
  }
  void admit(std::string link) { admits_.push_back(std::move(link)); }

  void commit() {
    for (auto& [table, key, value] : staged_) {
      Rows& rows = rows_[static_cast<int>(table)];
      if (value) {
        rows[key] = *value;
      } else {
        rows.erase(key);
      }
    }
    for (std::string& link : admits_) ++admitted[std::move(link)];
    crash();
  }
  // What was not committed is gone.
  void crash() {
    staged_.clear();
    admits_.clear();
  }
  std::size_t rows(ChannelTable table) const { return rows_[static_cast<int>(table)].size(); }

  std::map<std::string, int> admitted;  // link -> how often
  std::set<int> done;                   // pages

 private:
  using Rows = std::map<std::string, std::string, std::less<>>;
  struct Change {
    ChannelTable table;
    std::string key;
    std::optional<std::string> value;
  };
  Rows rows_[2];
  std::vector<Change> staged_;
  std::vector<std::string> admits_;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_TESTS_CLUSTER_MEMORY_TABLES_H_
