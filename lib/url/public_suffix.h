// SPDX-License-Identifier: Apache-2.0
// The public suffix list (https://publicsuffix.org/), which tells where the names of one site end
// and those of another begin.
//
// The list is the file named by use_public_suffix_list(), else the system's, else the one built
// into libpsl. libpsl is the slow twin: it takes 0.5 us a host, and the hash table here a quarter
// of that.
#ifndef SPINNERET_URL_PUBLIC_SUFFIX_H_
#define SPINNERET_URL_PUBLIC_SUFFIX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret {

// Returns "example.co.uk" for "www.example.co.uk". `host` is as Url::host() gives it (lower-case,
// Punycode). A public suffix, a single label and an IP address are their own registrable domain.
// The view is into `host`. Thread-safe.
std::string_view registrable_domain(std::string_view host);

// Uses the list in this file (such as publicsuffix.org's own) instead of the system's or libpsl's.
// Call this before threads start and before the first look-up.
Status use_public_suffix_list(const std::string& file);

// Returns the day of the list in use ("2023-02-09"): the one that its text names (VERSION), else
// the day when its file was written. Empty where neither is known.
std::string public_suffix_list_day();

// Returns 16 hexadecimal digits that tell sets of rules apart; comments and the order of lines make
// no difference. Where only libpsl's packed form of the list is available, they are a digest of its
// bytes.
std::string public_suffix_list_digest();

// The rules of a list, for look-ups by hash.
class SuffixRules {
 public:
  // `text` is the list as publicsuffix.org publishes it. Lines that are not rules are left out.
  explicit SuffixRules(std::string_view text);

  std::size_t size() const { return count_; }
  // See public_suffix_list_digest.
  std::uint64_t digest() const;
  // Returns how many bytes at the end of `name` (which has no final dot) are its registrable
  // domain. A public suffix is its own registrable domain.
  std::size_t domain_size(std::string_view name) const;

 private:
  enum Kind : std::uint8_t { kRule = 1, kWildcard = 2, kException = 4 };
  struct Slot {
    std::uint32_t begin = 0, size = 0;  // in names_
    // Which of the rules "NAME", "*.NAME", "!NAME" exist; 0 is a free slot.
    int kinds = 0;
  };
  void add(std::string_view name, Kind kind);
  std::size_t place(std::string_view name, std::uint64_t hash) const;

  std::string names_;
  std::vector<Slot> slots_;  // a power of two, at most half of them in use
  std::size_t count_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_PUBLIC_SUFFIX_H_
