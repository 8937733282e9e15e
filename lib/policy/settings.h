// SPDX-License-Identifier: Apache-2.0
// The numbers and switches of a policy: limits, traps, budgets. Each knows the line that set it,
// and each section of a policy may override those for all hosts.
#ifndef SPINNERET_POLICY_SETTINGS_H_
#define SPINNERET_POLICY_SETTINGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spinneret::policy {

// The settings that judge.h looks up by name. Other limits and traps are found by their rows
// (limits.h).
enum class Setting : std::uint8_t {
  kQuery,        // QueryRule
  kBudgetTotal,  // distinct URLs
  kBudgetHost,
  kBudgetDomain,
  kBudgetNumbers,  // distinct URLs that differ in numbers only
  kMaxOffsiteHops,
  kTrapSession,  // SessionRule
  kRow,          // the setting of the first row; the others follow
  kCount = kRow + 17,
};

enum QueryRule : std::uint32_t { kQueryAny, kQueryNone, kQueryStrip };
enum SessionRule : std::uint32_t { kSessionReject, kSessionStrip };

class Settings {
 public:
  static constexpr std::uint32_t kOff =
      UINT32_MAX - 1;  // switched off, whatever an outer section sets
  struct Value {
    std::uint32_t value = kUnset;
    std::uint32_t line = 0;  // index of the line that set it
    bool active() const { return value < kOff; }
  };

  const Value& operator[](Setting setting) const {
    return values_[static_cast<std::size_t>(setting)];
  }
  bool active(Setting setting) const { return (*this)[setting].active(); }
  void set(Setting setting, std::uint32_t value, std::uint32_t line) {
    values_[static_cast<std::size_t>(setting)] = {value, line};
  }

 private:
  static constexpr std::uint32_t kUnset = UINT32_MAX;
  std::array<Value, static_cast<std::size_t>(Setting::kCount)> values_{};
};

// The settings of one section; most sections have few.
class SectionSettings {
 public:
  // Returns nullptr where the section does not set it.
  const Settings::Value* find(Setting setting) const {
    for (const Entry& entry : entries_) {
      if (entry.setting == setting) return &entry.value;
    }
    return nullptr;
  }
  bool active(Setting setting) const {
    const Settings::Value* const value = find(setting);
    return value != nullptr && value->active();
  }
  void set(Setting setting, std::uint32_t value, std::uint32_t line) {
    for (Entry& entry : entries_) {
      if (entry.setting == setting) {
        entry.value = {value, line};
        return;
      }
    }
    entries_.push_back({setting, {value, line}});
  }
  // Writes all settings over those in `out`, except those of lines that are left out. An empty
  // `left_out` leaves out none.
  void lay_over(Settings& out, const std::vector<bool>& left_out = {}) const {
    for (const auto& [setting, value] : entries_) {
      if (left_out.empty() || !left_out[value.line]) out.set(setting, value.value, value.line);
    }
  }

 private:
  struct Entry {
    Setting setting;
    Settings::Value value;
  };
  std::vector<Entry> entries_;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_SETTINGS_H_
