// SPDX-License-Identifier: Apache-2.0
// Counts distinct URLs against budgets, and remembers how many hops off the site a URL is.
//
// A URL is counted once, however often it comes, and a URL that was accepted stays accepted. Only
// accepted URLs are remembered: 8 bytes each (16 including the table's free slots). Keys are 64-bit
// hashes. With 10^8 URLs the odds that two of them share a hash are 1 in 3,700, and the harm is one
// page too many or too few. Not thread-safe.
#ifndef SPINNERET_POLICY_BUDGET_H_
#define SPINNERET_POLICY_BUDGET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::policy {

// A map from 64-bit keys to small numbers, with open addressing, at most 3/4 full.
class KeyMap {
 public:
  struct Entry {
    std::uint64_t key = 0;  // 0: a free slot
    std::uint32_t value = 0;
  };
  // Returns the key's value, which is 0 for a new key. The reference is valid until the next call.
  std::uint32_t& operator[](std::uint64_t key);
  const std::uint32_t* find(std::uint64_t key) const;
  std::size_t size() const { return size_; }

 private:
  void grow();
  Entry* slot(std::uint64_t key);
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

// A set of 64-bit keys.
class KeySet {
 public:
  bool contains(std::uint64_t key) const;
  void insert(std::uint64_t key);
  std::size_t size() const { return size_; }

 private:
  void grow();
  std::vector<std::uint64_t> keys_;  // 0: a free slot
  std::size_t size_ = 0;
};

class Budgets {
 public:
  // A budget that a URL draws on: an account, and how many distinct URLs it pays for.
  struct Account {
    std::uint64_t key;
    std::uint32_t limit;
    std::uint32_t line;
  };
  enum class Paid : std::uint8_t { kNow, kBefore, kNot };
  // Tells whether all `accounts` pay for the URL (given by its hash). If so, it is booked on all of
  // them, once. If not, nothing is booked, and `line` is that of the first account that is spent.
  Paid pay(std::uint64_t url, const std::vector<Account>& accounts, std::uint32_t& line);

 private:
  KeySet seen_;
  KeyMap spent_;
};

// The number of hops that accepted URLs are off the scope.
class OffsiteHops {
 public:
  // Returns the hops of a URL; 0 where they are not known.
  std::uint32_t of(std::string_view href) const;
  // Records the hops of a URL unless a value as low is known already. Returns whether it was
  // recorded.
  bool set(std::string_view href, std::uint32_t hops);

 private:
  KeyMap hops_;
};

// Appends `text` with each run of digits, and each run of 16 or more hexadecimal digits that
// contains a decimal one, replaced by one '0', so that URLs which differ only in numbers give the
// same text. Percent-escapes count as characters and stay. Returns false where there was no number.
bool append_number_template(std::string& out, std::string_view text);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_BUDGET_H_
