// SPDX-License-Identifier: Apache-2.0
#include "policy/budget.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/hash.h"

namespace spinneret::policy {
namespace {

constexpr std::size_t kFirstCapacity = 1024;  // a power of two, as are all later ones
constexpr std::size_t kLongHex = 16;

std::uint64_t not_zero(std::uint64_t key) { return key == 0 ? 1 : key; }

}  // namespace

KeyMap::Entry* KeyMap::slot(std::uint64_t key) {
  const std::size_t mask = entries_.size() - 1;
  std::size_t at = static_cast<std::size_t>(key) & mask;
  while (entries_[at].key != 0 && entries_[at].key != key) at = (at + 1) & mask;
  return &entries_[at];
}

void KeyMap::grow() {
  std::vector<Entry> old(std::max(kFirstCapacity, entries_.size() * 2));
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (entry.key != 0) *slot(entry.key) = entry;
  }
}

std::uint32_t& KeyMap::operator[](std::uint64_t key) {
  key = not_zero(key);
  if ((size_ + 1) * 4 > entries_.size() * 3) grow();
  Entry* const entry = slot(key);
  if (entry->key == 0) {
    entry->key = key;
    ++size_;
  }
  return entry->value;
}

const std::uint32_t* KeyMap::find(std::uint64_t key) const {
  if (entries_.empty()) return nullptr;
  key = not_zero(key);
  const std::size_t mask = entries_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(key) & mask; entries_[at].key != 0;
       at = (at + 1) & mask) {
    if (entries_[at].key == key) return &entries_[at].value;
  }
  return nullptr;
}

bool KeySet::contains(std::uint64_t key) const {
  if (keys_.empty()) return false;
  key = not_zero(key);
  const std::size_t mask = keys_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(key) & mask; keys_[at] != 0;
       at = (at + 1) & mask) {
    if (keys_[at] == key) return true;
  }
  return false;
}

void KeySet::insert(std::uint64_t key) {
  if ((size_ + 1) * 4 > keys_.size() * 3) grow();
  key = not_zero(key);
  const std::size_t mask = keys_.size() - 1;
  std::size_t at = static_cast<std::size_t>(key) & mask;
  for (; keys_[at] != 0; at = (at + 1) & mask) {
    if (keys_[at] == key) return;
  }
  keys_[at] = key;
  ++size_;
}

void KeySet::grow() {
  std::vector<std::uint64_t> old(std::max(kFirstCapacity, keys_.size() * 2));
  old.swap(keys_);
  size_ = 0;
  for (const std::uint64_t key : old) {
    if (key != 0) insert(key);
  }
}

Budgets::Paid Budgets::pay(std::uint64_t url, const std::vector<Account>& accounts,
                           std::uint32_t& line) {
  if (seen_.contains(url)) return Paid::kBefore;
  for (const Account& account : accounts) {
    const std::uint32_t* const spent = spent_.find(account.key);
    if ((spent == nullptr ? 0 : *spent) < account.limit) continue;
    line = account.line;
    return Paid::kNot;
  }
  seen_.insert(url);
  for (const Account& account : accounts) ++spent_[account.key];
  return Paid::kNow;
}

std::uint32_t OffsiteHops::of(std::string_view href) const {
  const std::uint32_t* const found = hops_.find(hash64(href));
  return found == nullptr ? 0 : *found;
}

bool OffsiteHops::set(std::string_view href, std::uint32_t hops) {
  std::uint32_t& known = hops_[hash64(href)];
  if (known != 0 && known <= hops) return false;
  known = hops;
  return true;
}

bool append_number_template(std::string& out, std::string_view text) {
  std::size_t kept = 0;   // everything before it is in `out`
  std::size_t floor = 0;  // no number begins before it
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2])) {
      floor = i += 3;  // an escaped character: its digits say which
      continue;
    }
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    std::size_t begin = i;
    std::size_t end = i;
    while (begin > floor && is_hex(text[begin - 1])) --begin;
    while (end < text.size() && is_hex(text[end])) ++end;
    if (end - begin < kLongHex) {
      begin = i;
      for (end = i; end < text.size() && is_digit(text[end]);) ++end;
    }
    out.append(text.substr(kept, begin - kept));
    out += '0';
    kept = floor = i = end;
  }
  out.append(text.substr(kept));
  return kept != 0;
}

}  // namespace spinneret::policy
