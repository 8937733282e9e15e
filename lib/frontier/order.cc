// SPDX-License-Identifier: Apache-2.0
#include "frontier/order.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "frontier/keys.h"

namespace spinneret::frontier {
namespace {

constexpr int kNumberBits = 34;
constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kNumberBits) - 1;

// The logarithm of a number, in steps of which a doubling has 2^bits: the bits behind the leading
// one are its fraction.
std::uint64_t log_steps(std::uint64_t number, int bits) {
  const int width = static_cast<int>(std::bit_width(number));
  const std::uint64_t mantissa =
      width > bits ? number >> (width - 1 - bits) : number << (bits + 1 - width);
  const std::uint64_t fraction = mantissa & ((std::uint64_t{1} << bits) - 1);
  return (static_cast<std::uint64_t>(width - 1) << bits) + fraction;
}

// Ranks by the links from a seed, and by what other pages have said. Together these take all ranks.
struct Scale {
  std::uint64_t a_link, most_links;  // deeper pages differ by their votes alone
  std::uint64_t rank(std::uint32_t depth, std::uint64_t worth) const {
    const std::uint64_t far = a_link * std::min<std::uint64_t>(links_of(depth), most_links);
    const std::uint64_t most_worth = kMostRank - a_link * most_links;
    return most_worth + far - std::min(worth, most_worth);
  }
};
constexpr Scale kByLinks{4, 8};
constexpr Scale kByCash{6, 5};

std::uint64_t worth_of_links(std::uint32_t links) {
  return links == 0 ? 0 : 1 + log_steps(links, 1);
}

std::uint64_t worth_of_cash(const Votes& votes) {
  constexpr std::uint64_t kLeast = 64;  // a thousandth of a unit
  // More of either is more than there are ranks for; so the product stays in 64 bits.
  const std::uint64_t cash = std::min(votes.cash, std::uint64_t{1} << 40);
  const std::uint64_t links = std::clamp<std::uint64_t>(votes.links, 1, std::uint64_t{1} << 23);
  return log_steps(std::max(cash * links, kLeast), 0) - log_steps(kLeast, 0);
}

}  // namespace

std::string_view to_string(Order order) { return kOrders[static_cast<std::size_t>(order)]; }

std::string stored_name(Order order) {
  return std::string(to_string(order)) + (counts_votes(order) ? " 2" : "");
}

std::optional<Order> parse_order(std::string_view name) {
  const auto* const at = std::find(std::begin(kOrders), std::end(kOrders), name);
  if (at == std::end(kOrders)) return std::nullopt;
  return static_cast<Order>(at - std::begin(kOrders));
}

std::uint64_t share_of(std::uint64_t cash, std::size_t links) {
  if (links == 0) return 0;
  // A damaged row may have any number.
  constexpr std::uint64_t kMostCash = std::uint64_t{1} << 48;
  return (std::min(cash, kMostCash) + kUnitCash) * 85 / 100 / links;
}

std::uint64_t rank_of(Order order, std::uint32_t depth, const Votes& votes) {
  switch (order) {
    case Order::kPriority: return 0;
    case Order::kBreadth: return std::min<std::uint64_t>(links_of(depth), kMostRank);
    case Order::kInlinks: return kByLinks.rank(depth, worth_of_links(votes.links));
    case Order::kOpic: return kByCash.rank(depth, worth_of_cash(votes));
  }
  return 0;
}

std::uint64_t arrival_of(std::uint64_t rank, std::uint64_t number) {
  return rank == 0 ? number : rank << kNumberBits | (number & kNumberMask);
}

std::uint64_t rank_in(std::uint64_t arrival) { return arrival >> kNumberBits; }
std::uint64_t number_in(std::uint64_t arrival) { return arrival & kNumberMask; }

}  // namespace spinneret::frontier
