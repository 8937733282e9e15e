// SPDX-License-Identifier: Apache-2.0
// The pages of a state in the order in which a visit to them is worth most (see freshness.h),
// durable in the table kLater, and the budget of visits, in kMeta. What is staged is part of the
// caller's batch.
//
//   kLater   'v' class  last visit  host  rest
//                |      `--------------------- the oldest of the class is its head
//                `---------------------------- VisitClass; the best head is next
//
// from_[class] is a key before which no entry of the class stands, and choice_'s oldest() is the
// time in that key. So a head may be younger than assumed; that shows when its turn seems to have
// come, and it is looked up.
//
// Taking a page costs a seek and a step, whatever the number of pages. Not thread-safe.
#ifndef SPINNERET_FRONTIER_BEST_VISITS_H_
#define SPINNERET_FRONTIER_BEST_VISITS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/freshness.h"
#include "frontier/keys.h"
#include "frontier/recrawl.h"
#include "frontier/store.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

class BestVisits {
 public:
  // Borrows `store`. `rules` must be best().
  BestVisits(Store& store, const Recrawl& rules);
  // Reads what is durable, with a seek for each class. Nothing may be staged. The budget of a state
  // begins full, except in a new one, whose pages have all just been seen.
  void load(std::int64_t now_ms, bool is_new);
  // Changes the budget. What was spent stays spent.
  void set_budget(const Recrawl& rules);
  // Forgets what was learned of pages, before all of them are put anew.
  void forget_pages() { prior_ = RatePrior(); }

  // Stages the place of a page that is settled, by its row's history, priority and last visit. Sets
  // visit_class and due_ms.
  void put(UrlRow& row, HostId host, std::string_view rest);
  // Brings a page forward that is said to have changed: its visit becomes worth what it would be
  // after the longest time without one. Only where may_hurry().
  void hurry(UrlRow& row, HostId host, std::string_view rest, std::int64_t now_ms);

  // False where it was brought forward already, or it is too soon: a later hint may succeed.
  bool may_hurry(const UrlRow& row, std::int64_t now_ms) const;

  enum class Taken : std::uint8_t {
    kSent,   // it waits in its queue now
    kLeft,   // it stays where it is
    kStale,  // there is no such page
  };
  using Take = std::function<Taken(const LaterKey&)>;
  // Hands out what the budget has, best first, at most `most` pages, and stages the removal of
  // their places. Nothing else may be staged. Only pages whose last visit is before `before_ms`
  // count.
  void take(std::int64_t now_ms, std::int64_t before_ms, int most, const Take& each);
  // When take() may have something; INT64_MAX: never.
  std::int64_t due_ms(std::int64_t now_ms, std::int64_t before_ms);
  // Stages budget and prior, where they have changed.
  void stage();

 private:
  std::int64_t urgent_ms(std::int64_t now_ms) const;
  void see(VisitClass of, const LaterKey& key, std::string_view bytes);
  bool head(Cursor& at, VisitClass of, LaterKey& out);

  Store& store_;
  std::int64_t least_ms_, most_ms_;
  VisitChoice choice_;
  Budget budget_;
  RatePrior prior_;
  bool changed_ = false;
  std::vector<std::string> from_;
  std::string key_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_BEST_VISITS_H_
