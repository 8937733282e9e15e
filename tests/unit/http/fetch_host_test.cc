// SPDX-License-Identifier: Apache-2.0
#include "http/fetch_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "http/transfer.h"

namespace spinneret::http {
namespace {

void enqueue(FetchHosts& hosts, const std::string& origin, int count = 1) {
  FetchHost& host = hosts.get(origin);
  for (int i = 0; i < count; ++i) host.queue.emplace_back();
  hosts.update(host);
}

// Takes one request of the host whose turn it is.
std::string take(FetchHosts& hosts, bool known_first = false) {
  FetchHost* const host = hosts.next(known_first);
  if (host == nullptr) return "";
  host->queue.pop_front();
  ++host->active;
  hosts.update(*host);
  return host->origin;
}

void finish(FetchHosts& hosts, const std::string& origin, bool answered) {
  FetchHost& host = hosts.get(origin);
  --host.active;
  host.answered = answered;
  hosts.update(host);
}

std::string order(const FetchHost& host) { return list_text(host.addresses); }

TEST(FetchHost, OneAddressOfEachFamilyGivesPlaceToTheNext) {
  FetchHost host;
  const auto ip = [](const char* text) { return *parse_ip(text); };
  host.set_addresses({ip("2001:db8::1"), ip("192.0.2.1"), ip("192.0.2.2"), ip("192.0.2.3")});
  EXPECT_EQ(host.spare, 2U);
  host.told = 1;
  host.turn_addresses();
  EXPECT_EQ(order(host), "192.0.2.2,192.0.2.3,192.0.2.1,[2001:db8::1]");
  EXPECT_EQ(host.told, 0U);
  host.set_addresses({ip("192.0.2.1"), ip("2001:db8::1")});
  EXPECT_EQ(host.spare, 0U);
  host.set_addresses({});
  EXPECT_EQ(host.spare, 0U);
}

TEST(FetchHosts, TakeTurns) {
  FetchHosts hosts({.per_host = 8});
  enqueue(hosts, "a", 3);
  enqueue(hosts, "b", 3);
  EXPECT_EQ(take(hosts), "a");
  EXPECT_EQ(take(hosts), "b");
  // Neither host has answered, so that each gets one request at a time.
  EXPECT_EQ(take(hosts), "");
  finish(hosts, "a", true);
  EXPECT_EQ(take(hosts), "a");
  EXPECT_EQ(take(hosts), "a");
  EXPECT_EQ(take(hosts), "");
}

TEST(FetchHosts, AHostThatWaitsIsWokenWhenItsTimeComes) {
  FetchHosts hosts({.per_host = 8, .wait_ns = 100});
  hosts.wake(1'000);
  enqueue(hosts, "a", 3);
  enqueue(hosts, "b", 1);
  EXPECT_EQ(hosts.next_wake_ns(), INT64_MAX);
  FetchHost& first = *hosts.next(false);
  first.answered = true;
  first.queue.pop_front();
  hosts.begin_request(first);
  hosts.update(first);
  EXPECT_EQ(take(hosts), "b");
  EXPECT_EQ(take(hosts), "");
  EXPECT_EQ(hosts.next_wake_ns(), 1'100);
  // Meanwhile the host must be left alone for longer.
  FetchHosts::delay(first, 1'300);
  FetchHosts::delay(first, 1'200);
  hosts.wake(1'100);
  EXPECT_EQ(take(hosts), "");
  EXPECT_EQ(hosts.next_wake_ns(), 1'300);
  hosts.wake(1'300);
  EXPECT_EQ(hosts.next_wake_ns(), INT64_MAX);
  EXPECT_EQ(take(hosts), "a");
}

TEST(FetchHosts, AHostIsNotForgottenBeforeItMayBeAskedAgain) {
  FetchHosts hosts({.per_host = 8, .wait_ns = 100, .max_idle = 0});
  hosts.wake(1'000);
  enqueue(hosts, "a");
  hosts.begin_request(hosts.get("a"));
  EXPECT_EQ(take(hosts), "");
  FetchHost& host = hosts.get("a");
  host.queue.clear();
  hosts.update(host);
  EXPECT_EQ(hosts.evict(), nullptr);
  hosts.wake(1'100);
  EXPECT_NE(hosts.evict(), nullptr);
}

TEST(FetchHosts, TheGapIsKeptToTheLastRequestOfTheLane) {
  FetchHosts hosts({.per_host = 8, .max_idle = 0});
  std::int64_t now_ns = 1'000'000'000;
  hosts.wake(now_ns);
  for (const char* name : {"a", "b"}) {
    enqueue(hosts, name);
    FetchHost& host = hosts.get(name);
    host.queue.back().request.gap_ms = 100;
    hosts.put_into_lane(host, "both");
    hosts.update(host);
  }
  EXPECT_EQ(hosts.get("a").lane, hosts.get("b").lane);
  FetchHost& first = *hosts.next(false);
  EXPECT_EQ(first.origin, "a");
  first.queue.clear();
  // The host's request waits for a connection, and is looked at again soon.
  FetchLane& lane = *first.lane;
  lane.opening = 1;
  EXPECT_EQ(hosts.next(false), nullptr);
  EXPECT_EQ(hosts.next_wake_ns(), now_ns + 5'000'000);
  // The request is sent only now, and the gap counts from here.
  now_ns += 40'000'000;
  lane.opening = 0;
  lane.last_ns = now_ns;
  lane.kept_ns = now_ns + 100'000'000;
  hosts.wake(now_ns);
  EXPECT_EQ(hosts.next(false), nullptr);
  EXPECT_EQ(hosts.next_wake_ns(), now_ns + 100'000'000);
  hosts.update(first);
  EXPECT_EQ(hosts.evict(), nullptr);
  hosts.wake(now_ns + 100'000'000);
  EXPECT_EQ(hosts.next(false)->origin, "b");
  EXPECT_NE(hosts.evict(), nullptr);
}

TEST(FetchHosts, BugAHostsOwnPageWentRightBehindAHopFromElsewhere) {
  FetchHosts hosts({});
  hosts.wake(1'000);
  FetchHost& host = hosts.get("a");
  hosts.put_into_lane(host, "a");
  host.lane->kept_ns = 5'000;  // the end of the hop's gap
  enqueue(hosts, "a");
  EXPECT_EQ(hosts.next(false), nullptr);
  EXPECT_EQ(hosts.next_wake_ns(), 5'000);
  hosts.wake(5'000);
  EXPECT_EQ(take(hosts), "a");
}

TEST(FetchHosts, BugAHopFromElsewhereWentByTheGapOfWhereItCameFrom) {
  FetchHosts hosts({});
  hosts.wake(1'000);
  FetchHost& host = hosts.get("a");
  hosts.put_into_lane(host, "a");
  host.lane->last_ns = 0;
  host.lane->own_gap_ms = 30;
  Transfer transfer;
  transfer.request.gap_ms = 2;
  host.hops.push_back({{}, {}, 0, &transfer});
  hosts.update(host);
  EXPECT_EQ(hosts.next_wake_ns(), 30'000'000);
  transfer.request.gap_ms = 0;  // of a host that has no delay
  EXPECT_EQ(host.due_ns(0), 30'000'000);
  // Its own lines know best.
  host.hops.clear();
  host.queue.emplace_back().request.gap_ms = 2;
  EXPECT_EQ(host.due_ns(0), 2'000'000);
}

TEST(FetchHosts, ARandomWaitIsFromHalfToOneAndAHalf) {
  FetchHosts hosts({.per_host = 8, .wait_ns = 1'000'000, .random_wait = true});
  hosts.wake(0);
  FetchHost& host = hosts.get("a");
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    host.next_ns = 0;
    hosts.begin_request(host);
    least = std::min(least, host.next_ns);
    most = std::max(most, host.next_ns);
  }
  EXPECT_GE(least, 500'000);
  EXPECT_LE(least, 550'000);
  EXPECT_GE(most, 1'450'000);
  EXPECT_LE(most, 1'500'000);
}

TEST(FetchHosts, TheWindowBoundsAHost) {
  FetchHosts hosts({.per_host = 2});
  enqueue(hosts, "a", 5);
  hosts.get("a").answered = true;
  hosts.update(hosts.get("a"));
  EXPECT_EQ(take(hosts), "a");
  EXPECT_EQ(take(hosts), "a");
  EXPECT_EQ(take(hosts), "");
  finish(hosts, "a", true);
  EXPECT_EQ(take(hosts), "a");
  // A host that stops answering is back at one request at a time.
  finish(hosts, "a", false);
  EXPECT_EQ(take(hosts), "");
}

TEST(FetchHosts, WhoHasAnsweredTakesTurnsWithWhoHasNot) {
  FetchHosts hosts({.per_host = 8});
  hosts.get("known").answered = true;
  enqueue(hosts, "known", 4);
  for (const char* const name : {"a", "b", "c"}) enqueue(hosts, name);
  EXPECT_EQ(take(hosts), "known");
  EXPECT_EQ(take(hosts), "a");
  EXPECT_EQ(take(hosts), "known");
  EXPECT_EQ(take(hosts, true), "known");
  EXPECT_EQ(take(hosts), "b");
  EXPECT_EQ(take(hosts, true), "known");
  // A host that is unknown is taken rather than none.
  EXPECT_EQ(take(hosts, true), "c");
  EXPECT_EQ(take(hosts), "");
}

PendingFetch pending(std::uint64_t ticket, std::int64_t since_ns) {
  PendingFetch out;
  out.request.ticket = ticket;
  out.since_ns = since_ns;
  return out;
}

// Bug: redirects of other hosts to this one, which came without end, let none of its own pages
// through.
TEST(FetchHosts, BugHopsOfOthersHeldUpAllOfAHostsOwn) {
  FetchHost host;
  for (const std::uint64_t ticket : {1U, 2U}) host.queue.push_back(pending(ticket, 10));
  for (const std::uint64_t ticket : {3U, 4U, 5U, 6U}) host.hops.push_back(pending(ticket, 10));
  for (const std::uint64_t ticket : {3U, 1U, 4U}) EXPECT_EQ(host.take().request.ticket, ticket);
  // The preferred request is next, whatever went before it.
  EXPECT_TRUE(host.prefer(5));
  for (const std::uint64_t ticket : {5U, 2U, 6U}) EXPECT_EQ(host.take().request.ticket, ticket);
  EXPECT_FALSE(host.waits());
}

// Regression: of several hops the last one went first.
TEST(FetchHosts, HopsGoFirstAndEachKindInItsOrder) {
  FetchHost host;
  EXPECT_FALSE(host.waits());
  host.queue.push_back(pending(1, 10));
  host.queue.push_back(pending(2, 20));
  host.hops.push_back(pending(3, 15));
  host.hops.push_back(pending(4, 25));
  EXPECT_FALSE(host.prefer(5));
  EXPECT_TRUE(host.prefer(2));
  for (const std::uint64_t ticket : {2U, 1U, 3U, 4U}) {
    ASSERT_TRUE(host.waits());
    EXPECT_EQ(host.take().request.ticket, ticket);
  }
  EXPECT_FALSE(host.waits());
}

TEST(FetchHosts, WhatCameLaterSharesNoOutcome) {
  FetchHost host;
  for (const std::int64_t at : {10, 20, 30}) {
    host.queue.push_back(pending(0, at));
    host.hops.push_back(pending(1, at));
  }
  const std::vector<PendingFetch> failed = host.take_all(20);
  ASSERT_EQ(failed.size(), 4U);
  for (const PendingFetch& one : failed) EXPECT_LE(one.since_ns, 20);
  EXPECT_EQ(host.hops.size(), 1U);
  EXPECT_EQ(host.queue.size(), 1U);
}

TEST(FetchHosts, AHostThatResolvesWaits) {
  FetchHosts hosts({.per_host = 8});
  FetchHost& host = hosts.get("a");
  host.resolving = true;
  enqueue(hosts, "a");
  EXPECT_EQ(take(hosts), "");
  host.resolving = false;
  hosts.update(host);
  EXPECT_EQ(take(hosts), "a");
}

TEST(FetchHosts, AQueueThatWasEmptiedLeavesTheRotation) {
  FetchHosts hosts({.per_host = 8, .max_idle = 0});
  enqueue(hosts, "a");
  hosts.get("a").queue.clear();
  hosts.update(hosts.get("a"));
  EXPECT_EQ(hosts.next(false), nullptr);
  EXPECT_NE(hosts.evict(), nullptr);
  EXPECT_EQ(hosts.size(), 0U);
}

TEST(FetchHosts, IdleHostsAreKeptUpToALimit) {
  FetchHosts hosts({.per_host = 8, .max_idle = 2});
  for (const char* origin : {"a", "b", "c"}) {
    enqueue(hosts, origin);
    EXPECT_EQ(take(hosts), origin);
    EXPECT_EQ(hosts.evict(), nullptr);
    finish(hosts, origin, true);
  }
  const auto old = hosts.evict();
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(old->origin, "a");
  EXPECT_EQ(hosts.evict(), nullptr);
  // A busy host is not idle, however long ago it was used.
  enqueue(hosts, "b");
  for (const char* origin : {"d", "e", "f"}) {
    enqueue(hosts, origin);
    while (!take(hosts).empty()) {
    }
    finish(hosts, origin, true);
  }
  while (const auto gone = hosts.evict()) EXPECT_NE(gone->origin, "b");
  EXPECT_EQ(hosts.get("b").active, 1U);
}

}  // namespace
}  // namespace spinneret::http
