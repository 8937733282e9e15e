// SPDX-License-Identifier: Apache-2.0
// The public suffix list (https://publicsuffix.org/): where one site's names end and another's begin.
//
// The list is the text that use_public_suffix_list() names, else the system's; where there is none, libpsl's own.
// libpsl is the slow twin: it takes 0.5 us a host, the hash table here a quarter of that.
#ifndef SPINNERET_URL_PUBLIC_SUFFIX_H_
#define SPINNERET_URL_PUBLIC_SUFFIX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret {

// "www.example.co.uk" -> "example.co.uk". `host` is as Url::host() gives it (lower-case, Punycode). A
// public suffix, a single label and an IP address are their own registrable domain. The view is into
// `host`. Thread-safe.
std::string_view registrable_domain(std::string_view host);

// Goes by the list in this file, such as publicsuffix.org's own, instead of the system's or libpsl's. To be called ahead of
// all threads and of the first lookup.
Status use_public_suffix_list(const std::string& file);

// The day ("2023-02-09") of the list that registrable_domain goes by: what its text says of itself (its VERSION line), else
// when the file was written; empty: not known.
std::string public_suffix_list_day();

// 16 hexadecimal digits that tell one set of rules from another; comments and the order of the lines do not count. Of a
// list that is there in libpsl's packed form alone, they are of its bytes.
std::string public_suffix_list_digest();

// The rules of a list, for look-ups by hash.
class SuffixRules {
 public:
  // `text`: the list as publicsuffix.org publishes it. What is no rule is left out.
  explicit SuffixRules(std::string_view text);

  std::size_t size() const { return count_; }
  // See public_suffix_list_digest.
  std::uint64_t digest() const;
  // How many bytes at the end of `name` (without a dot at its end) are its registrable domain; of a suffix all of them.
  std::size_t domain_size(std::string_view name) const;

 private:
  enum Kind : std::uint8_t { kRule = 1, kWildcard = 2, kException = 4 };
  struct Slot {
    std::uint32_t begin = 0, size = 0;  // in names_
    int kinds = 0;                      // of the rule "NAME", "*.NAME", "!NAME"; 0: free
  };
  void add(std::string_view name, Kind kind);
  std::size_t place(std::string_view name, std::uint64_t hash) const;

  std::string names_;
  std::vector<Slot> slots_;  // a power of two, at most half of them in use
  std::size_t count_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_PUBLIC_SUFFIX_H_
