// SPDX-License-Identifier: Apache-2.0
#include "robots/extensions.h"

#include <map>
#include <utility>

#include "base/ascii.h"
#include "robots/pattern.h"
#include "robots/robots_file.h"
#include "robots/wildcard.h"

namespace spinneret::robots {

ScopedValue parse_scoped(std::string_view value) {
  if (!value.starts_with('/') && !value.starts_with('*')) return {{}, value};
  const std::size_t end = std::min(value.find_first_of(" \t"), value.size());
  return {value.substr(0, end), trim(value.substr(end))};
}

namespace {

bool has_preferences(RobotsKey key) {
  return key == RobotsKey::kContentUsage || key == RobotsKey::kContentSignal;
}
bool is_by_path(RobotsKey key) {
  return has_preferences(key) || key == RobotsKey::kNoindex ||
         key == RobotsKey::kDisallowAiTraining || key == RobotsKey::kAllowAiTraining;
}

}  // namespace

// Preferences of one path are gathered first and merged once, so that 100,000 lines of one path
// stay linear.
class ExtensionCollector {
 public:
  explicit ExtensionCollector(RobotsMode mode) : mode_(mode) {}

  void take(const RobotsRecord& record) {
    if (!is_by_path(record.key)) return;
    const bool preferences = has_preferences(record.key);
    const ScopedValue scoped =
        preferences ? parse_scoped(record.value) : ScopedValue{record.value, record.value};
    // "Noindex:" without a path says nothing, and neither do the similar records.
    if (!preferences && scoped.path.empty()) return;
    std::string pattern;
    append_comparable_pattern(pattern, scoped.path, mode_);
    const auto [known, is_new] = index_.try_emplace({record.key, pattern}, out_.items_.size());
    if (is_new) {
      out_.items_.push_back(
          {record.line, record.key, std::move(pattern), std::string(scoped.value), {}});
      more_.emplace_back();
    }
    if (!preferences) return;
    PreferenceList list = parse_preferences(scoped.value, record.line);
    auto& more = more_[known->second];
    more.repeated = more.repeated || !is_new;
    more.list.insert(more.list.end(), std::make_move_iterator(list.items.begin()),
                     std::make_move_iterator(list.items.end()));
  }

  Extensions collect() {
    for (std::size_t i = 0; i < more_.size(); ++i) {
      Extensions::Item& item = out_.items_[i];
      merge_preferences(item.preferences, std::move(more_[i].list));
      if (!more_[i].repeated) continue;
      item.value = preferences_text(item.preferences, item.key == RobotsKey::kContentSignal);
    }
    return std::move(out_);
  }

 private:
  struct More {
    std::vector<Preference> list;
    bool repeated = false;
  };
  RobotsMode mode_;
  Extensions out_;
  std::vector<More> more_;  // by item
  std::map<std::pair<RobotsKey, std::string>, std::size_t> index_;
};

Extensions Extensions::compile(std::string_view bytes, std::string_view agent,
                               const RuleOptions& options) {
  return RobotsFile(bytes, options).rules(agent)->extensions;
}

Extensions Extensions::compile(const RobotsContents& contents, const RobotsSelection& selection,
                               const RuleOptions& options) {
  ExtensionCollector collector(options.mode);
  each_record(contents, selection, false,
              [&collector](const RobotsRecord& record) { collector.take(record); });
  return collector.collect();
}

Extensions Extensions::compile_ungrouped(const RobotsContents& contents, RobotsMode mode) {
  ExtensionCollector collector(mode);
  for (const RobotsRecord& record : contents.ungrouped) collector.take(record);
  return collector.collect();
}

const Extensions::Item* Extensions::find(RobotsKey key, std::string_view path) const {
  return longest_match(items_, path, [key](const Item& item) { return item.key == key; });
}

std::size_t Extensions::memory() const {
  std::size_t sum = items_.capacity() * sizeof(Item);
  for (const Item& item : items_) {
    sum += item.pattern.capacity() + item.value.capacity() +
           item.preferences.capacity() * sizeof(Preference);
  }
  return sum;
}

}  // namespace spinneret::robots
