// SPDX-License-Identifier: Apache-2.0
// A channel's tables within a partition's state: what is staged is written with the state's next
// commit.
#ifndef SPINNERET_CLUSTER_STORE_TABLES_H_
#define SPINNERET_CLUSTER_STORE_TABLES_H_

#include <functional>
#include <memory>
#include <string_view>

#include "cluster/channel.h"
#include "frontier/store.h"

namespace spinneret::cluster {

class StoreTables : public ChannelStore {
 public:
  explicit StoreTables(frontier::Store& store) : store_(store) {}
  void put(ChannelTable table, std::string_view key, std::string_view value) override {
    store_.put(table_of(table), key, value);
  }
  void erase(ChannelTable table, std::string_view key) override {
    store_.erase(table_of(table), key);
  }
  void scan(ChannelTable table, std::string_view from,
            const std::function<bool(std::string_view, std::string_view)>& take) override {
    const std::unique_ptr<frontier::Cursor> at = store_.scan(table_of(table));
    for (at->seek(from); at->valid(); at->next()) {
      if (!take(at->key(), at->value())) return;
    }
  }

 private:
  static frontier::Table table_of(ChannelTable table) {
    return table == ChannelTable::kOutbox ? frontier::Table::kOutbox : frontier::Table::kInbox;
  }
  frontier::Store& store_;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_STORE_TABLES_H_
