// SPDX-License-Identifier: Apache-2.0
// A ChannelStore in memory: for a source that ends with its process and its input, and for tests.
#ifndef SPINNERET_CLUSTER_MEMORY_CHANNEL_STORE_H_
#define SPINNERET_CLUSTER_MEMORY_CHANNEL_STORE_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/channel.h"

namespace spinneret::cluster {

class MemoryChannelStore : public ChannelStore {
 public:
  using Rows = std::map<std::string, std::string, std::less<>>;

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
  void commit() {
    for (auto& [table, key, value] : staged_) {
      Rows& rows = rows_[static_cast<int>(table)];
      if (value) {
        rows[key] = std::move(*value);
      } else {
        rows.erase(key);
      }
    }
    staged_.clear();
  }
  void drop_staged() { staged_.clear(); }
  const Rows& rows(ChannelTable table) const { return rows_[static_cast<int>(table)]; }

 private:
  struct Change {
    ChannelTable table;
    std::string key;
    std::optional<std::string> value;
  };
  Rows rows_[2];
  std::vector<Change> staged_;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_MEMORY_CHANNEL_STORE_H_
