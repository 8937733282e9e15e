// SPDX-License-Identifier: Apache-2.0
// A Store that reads another one and keeps its own changes apart: it shows what would become of a
// state, which itself stays as it is and may be worked on by others. For dry runs.
//
//   OverlayStore store(*base, *top);   // base: only read; top: empty at first
#ifndef SPINNERET_FRONTIER_OVERLAY_STORE_H_
#define SPINNERET_FRONTIER_OVERLAY_STORE_H_

#include "frontier/store.h"

namespace spinneret::frontier {

class OverlayStore : public Store {
 public:
  // Borrows both. The values in `top` are tagged: the key is there, or has been erased.
  OverlayStore(Store& base, Store& top) : base_(base), top_(top) {}

  bool get(Table table, std::string_view key, std::string& value) override;
  void multi_get(Table table, std::span<const std::string_view> keys,
                 std::vector<std::string>& values, std::vector<char>& found) override;
  std::unique_ptr<Cursor> scan(Table table, std::string_view end = {}) override;
  void put(Table table, std::string_view key, std::string_view value) override;
  void erase(Table table, std::string_view key) override;
  void erase_single(Table table, std::string_view key) override { erase(table, key); }
  std::size_t staged() const override { return top_.staged(); }
  Status commit() override;
  Status sync() override { return {}; }
  Status checkpoint(const std::string& path) override;
  Status verify() override { return base_.verify(); }
  std::uint64_t bytes_on_disk() override { return base_.bytes_on_disk(); }

 private:
  void note_status();

  Store& base_;
  Store& top_;
  std::string tagged_;  // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_OVERLAY_STORE_H_
