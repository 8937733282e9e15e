// SPDX-License-Identifier: Apache-2.0
// In which order those URLs of a host go out that have one priority, and what makes one better than
// another.
//
// A place in a queue is a priority and an arrival (keys.h). In its priority, the best by the order
// comes first:
//
//   arrival (40 bits):   rank (6)   number (34)
//                          |          `---- as they came, for those of one rank
//                          `--------------- 0 is best; always 0 in the order `priority`
//
//   order      rank
//   priority   none: as they come
//   breadth    links from a seed, 63 at most
//   inlinks    by the pages that link there, best where most do: two ranks for each doubling, and
//              four for a link from a seed
//   opic       by the cash that it was given times those pages: a rank for each doubling, and six
//              for a link from a seed
//
// Links from a seed count because the pages of a chain (next, previous) or a menu have as many
// links, and a page with two links gives as much cash, wherever they stand: without depth
// PostgreSQL's manual is read along its chapters, and the tables of contents, which have the
// PageRank, come late. Depth alone knows nothing of pages that many name (Najork, Wiener 2001;
// Baeza-Yates et al. 2005). With depth both orders are better than breadth on nine sites of nine
// (tests/bench/order.cc), without it on seven.
//
// Cash is that of Abiteboul, Preda, Cobena (2003), in a form that a crawl can keep durable. Each
// page has a unit of its own, and on its first visit that brings links gives 85 % of that and of
// what it was given, in equal parts, to the pages that it links to. So a sum only grows while its
// page waits, and no page pays twice. The sum is the part of the page's PageRank that is known by
// then.
#ifndef SPINNERET_FRONTIER_ORDER_H_
#define SPINNERET_FRONTIER_ORDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spinneret::frontier {

enum class Order : std::uint8_t { kPriority, kBreadth, kInlinks, kOpic };
inline constexpr std::string_view kOrders[] = {"priority", "breadth", "inlinks", "opic"};
std::string_view to_string(Order order);
// The name as a state keeps it. Where links count it has the number of the rule, so that queues
// ranked by an older rule are recognised.
std::string stored_name(Order order);
std::optional<Order> parse_order(std::string_view name);
// Whether links count: only then Votes are kept.
inline bool counts_votes(Order order) { return order >= Order::kInlinks; }

// A page's own unit of cash. A page with a thousand links gives each 55 parts of it.
inline constexpr std::uint64_t kUnitCash = std::uint64_t{1} << 16;

// What other pages have said of a URL while it waited for its first visit, and whether it has voted
// itself.
struct Votes {
  std::uint64_t cash = 0;   // given by those pages, in parts of kUnitCash
  std::uint32_t links = 0;  // pages that link to it
  bool spent = false;       // the page has given its own cash
  bool empty() const { return links == 0 && cash == 0 && !spent; }
  void add(const Votes& other) {
    links += other.links;
    cash += other.cash;
  }
  friend bool operator==(const Votes&, const Votes&) = default;
};
// What a page that has been given `cash` gives to each of `links` pages.
std::uint64_t share_of(std::uint64_t cash, std::size_t links);

inline constexpr std::uint64_t kMostRank = 63;
std::uint64_t rank_of(Order order, std::uint32_t depth, const Votes& votes);
// The arrival of a Place. `number` must never have been given before.
std::uint64_t arrival_of(std::uint64_t rank, std::uint64_t number);
std::uint64_t rank_in(std::uint64_t arrival);
std::uint64_t number_in(std::uint64_t arrival);

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_ORDER_H_
