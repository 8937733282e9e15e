// SPDX-License-Identifier: Apache-2.0
// A list of hosts, URLs and URL prefixes, possibly millions, that tells whether it contains a URL.
//
// The file has these lines; '#' begins a comment, empty lines are skipped:
//
//   example.com                      that host
//   *.example.com                    the hosts below it
//   .example.com                     both
//   127.0.0.1 a.example b.example    these hosts (a line of a hosts file)
//   https://h/a?b                    that URL in its safe form (url/normalize.h), without fragment
//   https://h/a/*                    every URL that begins so
//
// Each entry is kept as the 128-bit hash of its normalised text, in 16 bytes, or at most 24 with
// the table's free slots. Two texts share a hash with a chance of 2^-128. With 10^7 entries and
// 10^12 questions, the odds of one wrong answer are 3 in 10^20, less than those of a memory error,
// so the list counts as exact.
//
// Cost: a host takes 25 ns and a cache miss; names below a suffix take one look-up more for each
// label; prefixes take one more for each byte of the URL at which some prefix of the list might
// end. Loading takes 0.1 us a host and 0.4 us a URL. Immutable and thread-safe once loaded.
#ifndef SPINNERET_POLICY_KEY_LIST_H_
#define SPINNERET_POLICY_KEY_LIST_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "url/parse.h"

namespace spinneret::policy {

class KeyList {
 public:
  // What a name without a leading dot or "*." stands for: the host, or the domain with all hosts
  // below it.
  enum class Names : std::uint8_t { kHosts, kDomains };

  // Reads `path` ("-" is not standard input here; a byte order mark is ignored). Lines of none of
  // the above forms are counted, and the first few described, in bad_lines().
  Status load(const std::string& path, Names names = Names::kHosts);
  // Adds one line. Returns false where it has none of the above forms. Empty lines and comments are
  // fine.
  bool add_line(std::string_view line, Names names, std::string* why = nullptr);

  // Returns whether the list contains `url`, which must be in its safe form; `href` is
  // url.href_without_fragment().
  bool contains(const Url& url, std::string_view href) const;

  std::size_t size() const { return size_; }
  std::size_t memory() const {
    return slots_.size() * sizeof(Hash128) + hints_.size() * sizeof(std::uint64_t);
  }
  std::size_t bad_line_count() const { return bad_line_count_; }
  const std::vector<std::pair<std::uint64_t, std::string>>& bad_lines() const { return bad_lines_; }
  // The number of names that no URL can have, such as "ads.300": some block lists contain these.
  // They are left out, and the first one is kept for messages.
  std::size_t impossible_count() const { return impossible_count_; }
  const std::string& impossible_name() const { return impossible_name_; }

 private:
  enum class Kind : std::uint8_t { kHost, kBelow, kTree, kUrl, kPrefix };

  void reserve(std::size_t entries);
  void add_key(Kind kind, std::string_view text);
  bool any(Kind kind) const { return has_kind_[static_cast<std::size_t>(kind)]; }
  bool has(Kind kind, std::string_view text) const;
  bool add_host(std::string_view text, Names names, std::string* why);
  bool add_url(std::string_view text, std::string* why);
  bool contains_host(std::string_view host) const;
  bool contains_prefix(std::string_view href) const;
  void insert(const Hash128& key);
  Status read_lines(int fd, Names names);

  // The table uses open addressing with home slots by the hash's high bits, and is at most 3/4
  // full; {0, 0} is a free slot.
  std::vector<Hash128> slots_;
  // Two bits in one word for each key, 8.5 bits a key. These words are small enough to stay in the
  // cache, and answer most questions about URLs that are not on the list without a look at the
  // slots, which saves a third of the time.
  std::vector<std::uint64_t> hints_;
  std::size_t size_ = 0;
  bool has_kind_[5] = {};
  std::size_t longest_[5] = {};  // longest key of each kind: a longer text is not listed
  // The lengths of the prefixes (all above 4,095 as one), and the bytes that they end with.
  std::unique_ptr<std::bitset<4096>> prefix_lengths_;
  std::bitset<256> prefix_ends_;
  std::size_t bad_line_count_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> bad_lines_;
  std::size_t impossible_count_ = 0;
  std::string impossible_name_;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_KEY_LIST_H_
