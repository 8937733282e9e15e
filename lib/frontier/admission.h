// SPDX-License-Identifier: Apache-2.0
// Links on their way into the frontier. They are staged as they come, sealed by the result that
// follows them, looked up together in one sorted pass, and admitted in the order in which they
// came. A link that was seen lately and says nothing new is not looked up.
//
//   entries:   e e e e e | e e e        sealed: part of the next commit
//                 sealed ^     tail: forgotten where the pipeline dies before the page's result
#ifndef SPINNERET_FRONTIER_ADMISSION_H_
#define SPINNERET_FRONTIER_ADMISSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/host_table.h"
#include "frontier/keys.h"
#include "frontier/order.h"
#include "frontier/recent_urls.h"
#include "frontier/store.h"

namespace spinneret::frontier {

// A URL that somebody has found. The views need to live during the call only.
struct Candidate {
  std::string_view url;
  std::uint32_t depth = 0;  // is_checked(): the URL is only asked for
  std::uint8_t priority = kLinkPriority;
  // The priority was given explicitly: a known URL takes it from now on, if it is the better one.
  bool raises = false;
  bool is_sitemap = false;
  std::int64_t modified_ms = 0;  // a sitemap's lastmod and changefreq: hints for a recrawl
  std::int64_t interval_ms = 0;
  std::string_view via = {};    // unescaped
  std::string_view extra = {};  // fields that are not ours, escaped, each with its tab
};

class Admission {
 public:
  // Whether the page that a URL was found on has enough other new links to be stored once for all
  // of them: see vias.h.
  enum class Told : std::uint8_t { kAlone, kFirst, kAgain };

  struct Entry {
    std::uint32_t depth;
    std::uint8_t priority;
    bool raises;
    bool is_sitemap;
    bool fresh;     // set by look_up: not in the table, and the first of its URL here
    HostSlot host;  // set by look_up
    std::int64_t modified_ms, interval_ms;
    std::uint64_t arrival;                      // free for the caller to set
    Votes votes;                                // of the pages that link to it, repeats included
    Told told;                                  // set by look_up, if fresh
    std::uint64_t via_number;                   // free for the caller to set
    std::string_view origin, rest, via, extra;  // views into the arena
  };

  // Copies all that it needs.
  void stage(const Candidate& candidate, const UrlParts& parts);
  void seal() { sealed_ = spans_.size(); }
  // Counts the links of the page `via` that were sealed since end_page() as its votes. Each page
  // that it links to gets one vote, however many links there are; itself gets none. `cash` is what
  // the page was given. False: there are no links.
  bool vote(std::string_view via, const UrlParts& own, std::uint64_t cash);
  // Marks what is sealed so far as links of pages whose result has come.
  void end_page() { page_ = sealed_; }
  void drop_tail();
  std::size_t sealed() const { return sealed_; }
  std::size_t tail() const { return spans_.size() - sealed_; }

  // Finds the host of each sealed entry (making those that are new) and looks the URLs up. Then
  // calls, in the order in which they came, `fresh` for those that are new and `found` for those
  // that the table has, once a URL, with its least depth and best priority. At last it calls
  // `store_fresh` for the new ones in the order of their keys: sorted writes find their place in a
  // memtable twice as fast. Afterwards nothing is sealed.
  template <typename Fresh, typename Found, typename StoreFresh>
  void take_sealed(HostTable& hosts, Store& store, Fresh fresh, Found found,
                   StoreFresh store_fresh) {
    look_up(hosts, store);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i + kAhead < entries_.size()) hosts.expect_play(entries_[i + kAhead].host);
      if (entries_[i].fresh) fresh(entries_[i]);
    }
    for (const std::uint32_t i : known_) found(entries_[order_[i]], std::string_view(rows_[i]));
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (found_[i] == 0) store_fresh(entries_[order_[i]], keys_[i]);
    }
    forget_sealed();
  }
  // Number of entries in the last take_sealed() that repeated another one, or what was seen lately.
  std::size_t repeats() const { return repeats_; }

 private:
  struct Span {
    std::size_t begin;  // start in the arena of origin, rest, via and extra, one behind the other
    std::uint32_t origin, rest, via, extra;  // sizes
    std::uint32_t depth;
    std::uint8_t priority;
    bool raises;
    bool is_sitemap;
    std::int64_t modified_ms, interval_ms;
    Votes votes;
  };
  static constexpr std::size_t kRecentBytes = std::size_t{64} << 20;
  static constexpr std::size_t kAhead = 8;  // how far ahead hosts are prefetched
  std::string_view text_of(const Span& span) const;
  std::string_view origin_of(const Span& span) const;
  struct Wanted {
    HostId host;
    std::uint32_t entry;
    std::uint64_t fingerprint;
  };
  struct Named {
    HostSlot slot;
    HostId host;
    std::uint64_t fingerprint;
  };
  void look_up(HostTable& hosts, Store& store);
  void name(HostTable& hosts);
  void gather(HostTable& hosts);
  void join_repeats();
  void join_vias();
  bool is_news(const Span& span, HostId host, std::uint64_t fingerprint) const;
  Entry entry_of(const Span& span) const;
  void forget_sealed();

  std::string arena_;
  std::vector<Span> spans_;
  std::size_t sealed_ = 0;
  std::size_t page_ = 0;  // spans before it are of pages whose result has come; not beyond sealed_
  std::size_t repeats_ = 0;
  RecentUrls recent_{kRecentBytes};
  // Buffers of vote() and look_up(), reused.
  std::vector<std::uint32_t> voted_;
  std::vector<Named> named_;  // the sealed ones
  std::vector<Entry> entries_;
  std::vector<Wanted> wanted_;
  std::vector<std::uint32_t> order_;  // entries by key, without repeats
  std::vector<std::uint32_t> known_;  // indexes into order_ of those in the table, as they came
  std::string key_arena_;
  std::vector<std::string_view> keys_;  // keys in the order of order_
  std::vector<std::string> rows_;
  std::vector<char> found_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_ADMISSION_H_
