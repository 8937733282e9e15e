// SPDX-License-Identifier: Apache-2.0
// Counting distinct URLs against budgets, and remembering how far off the site a URL lies.
//
// A URL is counted once, however often it comes, and what was accepted stays accepted. Only accepted URLs
// are remembered: 8 bytes each (16 with the table's free slots). Keys are 64-bit hashes; with 10^8 URLs
// the odds that any two are taken for one are 1 in 3,700, and the harm is one page too many or too few.
// Not thread-safe.
#ifndef SPINNERET_POLICY_BUDGET_H_
#define SPINNERET_POLICY_BUDGET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::policy {

// 64-bit keys, each with a small number. Open addressing, at most 3/4 full.
class KeyMap {
 public:
  struct Entry {
    std::uint64_t key = 0;  // 0: free
    std::uint32_t value = 0;
  };
  // The key's value, which is 0 and new where it was not there. Valid until the next call.
  std::uint32_t& operator[](std::uint64_t key);
  const std::uint32_t* find(std::uint64_t key) const;
  std::size_t size() const { return size_; }

 private:
  void grow();
  Entry* slot(std::uint64_t key);
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

// 64-bit keys alone.
class KeySet {
 public:
  bool contains(std::uint64_t key) const;
  void insert(std::uint64_t key);
  std::size_t size() const { return size_; }

 private:
  void grow();
  std::vector<std::uint64_t> keys_;  // 0: free
  std::size_t size_ = 0;
};

class Budgets {
 public:
  // One budget that a URL draws on: an account and how many distinct URLs it pays for.
  struct Account {
    std::uint64_t key;
    std::uint32_t limit;
    std::uint32_t line;
  };
  // Whether all `accounts` pay for the URL (by its hash). If so it is booked on all of them, once;
  // if not, `line` is that of the first which is spent, and nothing is booked.
  bool pay(std::uint64_t url, const std::vector<Account>& accounts, std::uint32_t& line);

 private:
  KeySet seen_;
  KeyMap spent_;
};

// Hops off the scope of the URLs that were accepted there.
class OffsiteHops {
 public:
  // 0 where it is not known.
  std::uint32_t of(std::string_view href) const;
  void set(std::string_view href, std::uint32_t hops);

 private:
  KeyMap hops_;
};

// `text` with each run of digits, and each run of 16 or more hexadecimal digits that has a decimal one,
// as one '0': what URLs that differ in numbers only have in common. Percent-escapes are characters and stay.
// Appends to `out`; false: no number.
bool append_number_template(std::string& out, std::string_view text);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_BUDGET_H_
