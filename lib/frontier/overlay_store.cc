// SPDX-License-Identifier: Apache-2.0
#include "frontier/overlay_store.h"

#include <utility>

namespace spinneret::frontier {
namespace {

constexpr char kErased = 0;
constexpr char kThere = 1;

// Walks over both in one order; of a key that both have, the top's entry counts.
class OverlayCursor : public Cursor {
 public:
  OverlayCursor(std::unique_ptr<Cursor> base, std::unique_ptr<Cursor> top)
      : base_(std::move(base)), top_(std::move(top)) {}
  void seek(std::string_view key) override {
    base_->seek(key);
    top_->seek(key);
    settle();
  }
  void next() override {
    step();
    settle();
  }
  bool valid() const override { return on_top_ || base_->valid(); }
  std::string_view key() const override { return on_top_ ? top_->key() : base_->key(); }
  std::string_view value() const override {
    return on_top_ ? top_->value().substr(1) : base_->value();
  }

 private:
  // Goes to the next entry that has not been erased.
  void settle() {
    while (true) {
      on_top_ = top_->valid() && (!base_->valid() || top_->key() <= base_->key());
      if (!on_top_ || top_->value().front() == kThere) return;
      step();
    }
  }
  void step() {
    if (!on_top_) return base_->next();
    if (base_->valid() && base_->key() == top_->key()) base_->next();
    top_->next();
  }

  std::unique_ptr<Cursor> base_;
  std::unique_ptr<Cursor> top_;
  bool on_top_ = false;
};

}  // namespace

void OverlayStore::note_status() {
  if (status_.ok()) status_ = base_.status().ok() ? top_.status() : base_.status();
}

bool OverlayStore::get(Table table, std::string_view key, std::string& value) {
  bool found = top_.get(table, key, value);
  if (found) {
    found = value.front() == kThere;
    value.erase(0, 1);
  } else {
    found = base_.get(table, key, value);
  }
  note_status();
  return found;
}

void OverlayStore::multi_get(Table table, std::span<const std::string_view> keys,
                             std::vector<std::string>& values, std::vector<char>& found) {
  values.resize(keys.size());
  found.assign(keys.size(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) found[i] = get(table, keys[i], values[i]) ? 1 : 0;
}

std::unique_ptr<Cursor> OverlayStore::scan(Table table, std::string_view end) {
  return std::make_unique<OverlayCursor>(base_.scan(table, end), top_.scan(table, end));
}

void OverlayStore::put(Table table, std::string_view key, std::string_view value) {
  tagged_.assign(1, kThere);
  tagged_ += value;
  top_.put(table, key, tagged_);
}

void OverlayStore::erase(Table table, std::string_view key) {
  tagged_.assign(1, kErased);
  top_.put(table, key, tagged_);
}

Status OverlayStore::commit() {
  if (status_.ok()) status_ = top_.commit();
  note_status();
  return status_;
}

Status OverlayStore::checkpoint(const std::string& path) {
  return Error{"cannot write " + path + ": the changes are to be thrown away"};
}

}  // namespace spinneret::frontier
