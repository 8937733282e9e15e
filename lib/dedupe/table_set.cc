// SPDX-License-Identifier: Apache-2.0
#include "dedupe/fingerprint_set.h"
#include "dedupe/fingerprint_table.h"

namespace spinneret {
namespace {

template <typename F>
class TableSet : public FingerprintSet<F> {
 public:
  explicit TableSet(std::uint64_t expected) : table_(expected) {}

  Status insert_batch(std::span<const F> keys, bool* fresh) override {
    table_.insert_batch(keys, fresh);
    return {};
  }
  Status find_batch(std::span<const F> keys, bool* fresh) override {
    table_.find_batch(keys, fresh);
    for (std::size_t i = 0; i < keys.size(); ++i) fresh[i] = !fresh[i];
    return {};
  }
  std::uint64_t size() const override { return table_.size(); }
  std::uint64_t bytes() const override { return table_.bytes(); }

 private:
  FingerprintTable<F> table_;
};

}  // namespace

template <typename F>
std::unique_ptr<FingerprintSet<F>> make_table_set(std::uint64_t expected) {
  return std::make_unique<TableSet<F>>(expected);
}

template std::unique_ptr<FingerprintSet<Fingerprint64>> make_table_set(std::uint64_t);
template std::unique_ptr<FingerprintSet<Fingerprint128>> make_table_set(std::uint64_t);

}  // namespace spinneret
