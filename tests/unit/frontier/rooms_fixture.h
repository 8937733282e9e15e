// SPDX-License-Identifier: Apache-2.0
// For tests of the parts of a frontier: all of them over a store in memory, without Frontier
// itself.
#ifndef SPINNERET_TESTS_UNIT_FRONTIER_ROOMS_FIXTURE_H_
#define SPINNERET_TESTS_UNIT_FRONTIER_ROOMS_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontier/backlog.h"
#include "frontier/encode.h"
#include "frontier/flights.h"
#include "frontier/later.h"
#include "frontier/memory_store.h"
#include "frontier/meta.h"

namespace spinneret::frontier {

class RoomsTest : public testing::Test {
 protected:
  RoomsTest() { gate_.assume_rules(); }

  void commit() { EXPECT_TRUE(store_.commit().ok()); }
  // The fields of a link to a page of http://a.test.
  struct Link {
    std::uint32_t depth = 0;
    std::uint8_t priority = kLinkPriority;
    bool raises = false;
    Votes votes = {};
    std::string_view via = {};
    std::int64_t modified_ms = 0;
  };
  Admission::Entry entry(std::string_view rest, const Link& link) {
    Admission::Entry out{};
    out.depth = link.depth;
    out.priority = link.priority;
    out.raises = link.raises;
    out.host = slot_;
    out.modified_ms = link.modified_ms;
    out.votes = link.votes;
    out.origin = kOrigin;
    out.rest = rest;
    out.via = link.via;
    return out;
  }
  void admit(std::string_view rest, const Link& link) {
    Admission::Entry fresh = entry(rest, link);
    backlog_.admit(fresh, now_.wall_ms);
    std::string key;
    make_url_key(key, hosts_.host(slot_).id, rest);
    backlog_.store(fresh, key, now_.wall_ms);
    commit();
  }
  // Returns the URLs that wait in the queue, in its order.
  std::vector<std::string> queue() {
    std::vector<std::string> out;
    for (const auto& [key, bytes] : store_.rows(Table::kQueue)) {
      QueueEntry waiting;
      EXPECT_TRUE(decode_queue_entry(bytes, waiting));
      out.emplace_back(waiting.rest);
    }
    return out;
  }
  // Reads the host's window. False: no URL is there that could go out.
  bool in_window() {
    HostPlay& play = hosts_.play(slot_);
    play.queue.refill(*store_.scan(Table::kQueue, {}), play.row.id, play.flying,
                      play.row.counts.waiting);
    return !play.queue.window_empty();
  }
  // Sends the first URL of the window as `url`.
  void fly(const std::string& url, const Moment& now) {
    ASSERT_TRUE(in_window());
    HostQueue& queue = hosts_.play(slot_).queue;
    flights_.begin(url, slot_, Purpose::kPage, queue.front_place(), queue.front_bytes(), now);
    queue.pop();
  }
  UrlRow row(std::string_view rest) {
    UrlRow out;
    EXPECT_TRUE(backlog_.get(slot_, rest, out));
    return out;
  }

  static constexpr std::string_view kOrigin = "http://a.test";
  MemoryStore store_;
  Politeness politeness_;
  HostTable hosts_{store_, PolitenessKey::kHost, politeness_, 100, 16};
  Gate gate_{hosts_, 3};
  Random random_{1};
  Slots slots_{64};
  Lanes lanes_{hosts_, gate_, random_, slots_, {politeness_}};
  Statistics statistics_;
  std::vector<std::string> notices_;
  Patience patience_{hosts_, lanes_, politeness_, 3, statistics_, notices_};
  Flights flights_{store_, hosts_, gate_, lanes_, patience_};
  Backlog backlog_{store_, hosts_, lanes_, statistics_};
  Moment now_{.mono_ms = 100'000, .wall_ms = 1'000'000'000'000, .steady_ms = 1'000'000'000};
  HostSlot slot_ = hosts_.find(kOrigin);
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_TESTS_UNIT_FRONTIER_ROOMS_FIXTURE_H_
