// SPDX-License-Identifier: Apache-2.0
// Keys and rows: each comes back as it was, they sort in the order of sending, and no read goes
// beyond the bytes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontier/encode.h"
#include "frontier/host_row.h"
#include "frontier/keys.h"
#include "frontier/meta.h"
#include "frontier/recrawl.h"
#include "frontier/upkeep.h"
#include "frontier/url_row.h"
#include "unit/frontier/frontier_fixture.h"
#include "url/parse.h"

namespace spinneret::frontier {
namespace {

TEST(Encode, NumbersThereAndBack) {
  for (const std::uint64_t number : {0ULL, 1ULL, 127ULL, 128ULL, 300ULL, 1ULL << 35, ~0ULL}) {
    std::string bytes;
    put_varint(bytes, number);
    Decoder from{bytes};
    EXPECT_EQ(from.varint(), number);
    EXPECT_FALSE(from.bad);
    EXPECT_TRUE(from.rest.empty());
  }
  std::string bytes;
  put_big_endian(bytes, 0x0102030405, 5);
  EXPECT_EQ(bytes, std::string("\1\2\3\4\5", 5));
  EXPECT_EQ(Decoder{bytes}.big_endian(5), 0x0102030405U);
}

TEST(Encode, WhatIsCutShortIsBad) {
  Decoder empty{""};
  EXPECT_EQ(empty.varint(), 0U);
  EXPECT_TRUE(empty.bad);
  Decoder endless{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"};
  endless.varint();
  EXPECT_TRUE(endless.bad);
  Decoder too_long{
      std::string_view("\x05"
                       "abc",
                       4)};
  EXPECT_EQ(too_long.bytes(), "");
  EXPECT_TRUE(too_long.bad);
}

std::string there_and_back(std::string_view text, std::string* origin = nullptr) {
  Url url;
  EXPECT_TRUE(parse(text, url)) << text;
  std::string scratch;
  const UrlParts parts = cut_url(url, scratch);
  if (origin != nullptr) *origin = parts.origin;
  return join_url(parts.origin, parts.rest);
}

TEST(Keys, UrlsAreCutAndJoined) {
  std::string origin;
  EXPECT_EQ(there_and_back("https://Example.org:443/a/b?c#d", &origin),
            "https://example.org/a/b?c");
  EXPECT_EQ(origin, "https://example.org");
  EXPECT_EQ(there_and_back("http://h:8080", &origin), "http://h:8080/");
  EXPECT_EQ(origin, "http://h:8080");
  EXPECT_EQ(there_and_back("http://[::1]:81/?x", &origin), "http://[::1]:81/?x");
}

TEST(Keys, CredentialsBelongToThePage) {
  std::string origin;
  for (const char* const url :
       {"http://me:pw@h/", "http://me@h/a", "http://:pw@h:81/a?b", "http://a%40b:c%3A@h/x"}) {
    EXPECT_EQ(there_and_back(url, &origin), url);
    EXPECT_EQ(origin.find('@'), std::string::npos) << origin;
  }
}

TEST(Keys, QueueKeysSortByPriorityThenArrival) {
  const std::vector<Place> in_order = {Place::of(0, 5), Place::of(0, 6), Place::of(1, 1),
                                       Place::of(1, kMaxArrival), Place::of(9, 2)};
  std::string last;
  for (const Place place : in_order) {
    std::string key;
    make_queue_key(key, 7, place);
    EXPECT_LT(last, key);
    last = key;
    HostId host = 0;
    Place back;
    ASSERT_TRUE(split_queue_key(key, host, back));
    EXPECT_EQ(host, 7U);
    EXPECT_EQ(back, place);
  }
}

TEST(Keys, LaterKeysSortByTime) {
  std::string early;
  std::string late;
  make_later_key(early, {LaterKind::kRetry, 1'700'000'000'000, 9, "/z"});
  make_later_key(late, {LaterKind::kRetry, 1'700'000'000'001, 1, "/a"});
  EXPECT_LT(early, late);
  LaterKey back;
  ASSERT_TRUE(split_later_key(early, back));
  EXPECT_EQ(back.kind, LaterKind::kRetry);
  EXPECT_EQ(back.due_ms, 1'700'000'000'000);
  EXPECT_EQ(back.host, 9U);
  EXPECT_EQ(back.rest, "/z");
  EXPECT_FALSE(split_later_key("a123", back));
}

UrlRow full_row() {
  UrlRow row;
  row.state = UrlState::kError;
  row.priority = 3;
  row.depth = 1000;
  row.arrival = 123'456'789;
  row.added_ms = 1'700'000'000'000;
  row.due_ms = 1'700'000'111'222;
  row.is_sitemap = true;
  row.rest = "/a?b";
  row.via = "https://example.org/page";
  row.extra = "\tid=7\tx";
  row.visits = 3;
  row.failures = 2;
  row.outcome = Outcome::kTimeout;
  row.status = 503;
  row.last_ms = 1'700'000'000'123;
  row.interval_ms = 86'400'000;
  row.run = 12;
  row.gone = 1;
  row.etag = "\"a\tb\"";
  row.last_modified = "Thu";
  row.digest = "00ff";
  row.error = std::string("nul\0byte", 8);
  row.votes = {12'345'678, 300, true};
  return row;
}

void expect_same(const UrlRow& a, const UrlRow& b) {
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.rest, b.rest);
  EXPECT_EQ(a.priority, b.priority);
  EXPECT_EQ(a.depth, b.depth);
  EXPECT_EQ(a.arrival, b.arrival);
  EXPECT_EQ(a.added_ms, b.added_ms);
  EXPECT_EQ(a.due_ms, b.due_ms);
  EXPECT_EQ(a.is_sitemap, b.is_sitemap);
  EXPECT_EQ(a.via, b.via);
  EXPECT_EQ(a.via_number, b.via_number);
  EXPECT_EQ(a.extra, b.extra);
  EXPECT_EQ(a.visits, b.visits);
  EXPECT_EQ(a.failures, b.failures);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.last_ms, b.last_ms);
  EXPECT_EQ(a.interval_ms, b.interval_ms);
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.gone, b.gone);
  EXPECT_EQ(a.etag, b.etag);
  EXPECT_EQ(a.last_modified, b.last_modified);
  EXPECT_EQ(a.digest, b.digest);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.votes, b.votes);
  EXPECT_EQ(a.claimed, b.claimed);
}

TEST(UrlRow, ThereAndBackWithEveryField) {
  std::string bytes;
  for (const char* const origin : {"https://example.org", "https://example.or", "http://h"}) {
    const UrlRow row = full_row();
    encode_url_row(bytes, row, origin);
    UrlRow back;
    ASSERT_TRUE(decode_url_row(bytes, origin, back));
    expect_same(row, back);
  }
}

// A row that names its page by number does not keep the page's URL.
TEST(UrlRow, NamesThePageThatToldOfItByItsNumber) {
  for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{300}, kMaxArrival}) {
    UrlRow row = full_row();
    row.via_number = number;
    std::string bytes;
    encode_url_row(bytes, row, "https://example.org");
    UrlRow back;
    ASSERT_TRUE(decode_url_row(bytes, "https://example.org", back));
    row.via.clear();
    expect_same(row, back);
  }
}

TEST(UrlRow, ANewOneIsSmall) {
  UrlRow row;
  row.depth = 3;
  row.arrival = 10'000'000;
  row.added_ms = 1'700'000'000'000;
  row.via = "https://example.org/p";
  std::string bytes;
  encode_url_row(bytes, row, "https://example.org");
  EXPECT_LE(bytes.size(), 16U);
  UrlRow back;
  ASSERT_TRUE(decode_url_row(bytes, "https://example.org", back));
  expect_same(row, back);
}

TEST(UrlRow, EveryCutAndEveryChangedByteIsSurvived) {
  std::string bytes;
  encode_url_row(bytes, full_row(), "https://example.org");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    // The bytes are copied exactly to the heap, so that ASan sees a read beyond them.
    const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    UrlRow back;
    EXPECT_FALSE(decode_url_row({part.data(), part.size()}, "https://example.org", back)) << size;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const unsigned flip : {0x01U, 0x80U, 0xFFU}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flip);
      UrlRow back;
      decode_url_row(changed, "https://example.org", back);
    }
  }
}

// A row's claim comes back, with and without a history.
TEST(UrlRow, AClaimIsThereAndBackBehindAnyHistory) {
  std::string bytes;
  for (const bool has_history : {false, true}) {
    UrlRow row = full_row();
    row.claimed = true;
    if (has_history) row.history.add(86'400'000, /*changed=*/true);
    encode_url_row(bytes, row, "https://example.org");
    UrlRow back;
    ASSERT_TRUE(decode_url_row(bytes, "https://example.org", back));
    expect_same(row, back);
    EXPECT_EQ(back.history.changes, row.history.changes);
    EXPECT_EQ(back.compared_ms, row.last_ms);
  }
}

// Found by the fuzzer: a damaged row's seconds overflowed as milliseconds.
TEST(UrlRow, ATimeBeyondAllTimesIsDamage) {
  UrlRow back;
  EXPECT_FALSE(
      decode_url_row("\xCF\xFF\x08\x09\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", "http://h", back));
}

// A crawl delay is stored plus one, and the smallest integer minus one is undefined.
TEST(HostRow, ATimeBeyondAllTimesIsDamage) {
  std::string bytes("\x01\0\0\0", 4);
  bytes += std::string(9, '\x80') + '\x01';  // 2^63
  bytes += std::string(16, '\0');
  HostRow row;
  EXPECT_FALSE(decode_host_row(bytes, row));
}

TEST(QueueEntry, ThereAndBack) {
  std::string bytes;
  encode_queue_entry(bytes, {77, true, true, "/a?b", "\tid=7", 0, false, false, 0, {}});
  QueueEntry back;
  ASSERT_TRUE(decode_queue_entry(bytes, back));
  EXPECT_EQ(back.depth, 77U);
  EXPECT_TRUE(back.is_sitemap && back.visited);
  EXPECT_EQ(back.rest, "/a?b");
  EXPECT_EQ(back.extra, "\tid=7");
  EXPECT_FALSE(decode_queue_entry("", back));
}

// A URL that was never visited is stored completely with its place, and its row says where that is.
TEST(QueueEntry, AndStubAreARow) {
  for (const char* const origin : {"https://example.org", "https://example.or", "http://h"}) {
    UrlRow row = full_row();
    row.state = UrlState::kWaiting;
    row.visits = 0;
    std::string stub;
    std::string entry;
    encode_waiting_row(stub, row, origin);
    encode_queue_entry(entry, entry_of(row, origin, "/rest"));
    EXPECT_LE(stub.size(), 8U + 6U);  // with its votes
    UrlRow back;
    ASSERT_TRUE(decode_url_row(stub, origin, back));
    EXPECT_TRUE(back.is_stub);
    EXPECT_EQ(back.state, UrlState::kWaiting);
    EXPECT_EQ(Place::of(back.priority, back.arrival), Place::of(row.priority, row.arrival));
    EXPECT_EQ(back.depth, row.depth);
    QueueEntry waiting;
    ASSERT_TRUE(decode_queue_entry(entry, waiting));
    EXPECT_EQ(waiting.rest, "/rest");
    EXPECT_FALSE(waiting.visited);
    fill_row(back, waiting, Place::of(back.priority, back.arrival), origin);
    UrlRow expected;
    expected.priority = row.priority;
    expected.depth = row.depth;
    expected.arrival = row.arrival;
    expected.added_ms = row.added_ms;
    expected.is_sitemap = row.is_sitemap;
    expected.rest = "/rest";
    expected.via = row.via;
    expected.extra = row.extra;
    expected.votes = row.votes;
    expect_same(back, expected);
    EXPECT_FALSE(back.is_stub);
    for (std::size_t size = 0; size < stub.size(); ++size) {
      EXPECT_FALSE(decode_url_row(std::string_view(stub).substr(0, size), origin, back));
    }
    for (std::size_t size = 0; size + 5 < entry.size(); ++size) {
      EXPECT_FALSE(decode_queue_entry(std::string_view(entry).substr(0, size), waiting));
    }
  }
}

// The entry has how far the page's number is from its own; where it cannot, it has the page's URL.
TEST(QueueEntry, NamesThePageThatToldOfItByTheWayToItsNumber) {
  UrlRow row;
  row.via = "http://h/list";
  for (const std::uint64_t arrival : {arrival_of(0, 1000), arrival_of(7, 1000), arrival_of(0, 5)}) {
    row.arrival = arrival;
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1000}}) {
      row.via_number = number;
      std::string bytes;
      encode_queue_entry(bytes, entry_of(row, "http://h", "/rest"));
      QueueEntry entry;
      ASSERT_TRUE(decode_queue_entry(bytes, entry));
      EXPECT_EQ(entry.rest, "/rest");
      UrlRow back;
      fill_row(back, entry, Place::of(5, arrival), "http://h");
      const bool far = number != 0 && number <= number_in(arrival);
      EXPECT_EQ(back.via_number, far ? number : 0);
      EXPECT_EQ(back.via, far ? "" : row.via);
    }
  }
}

TEST(UrlRow, OneThatWaitsAfterAVisitIsNoStub) {
  UrlRow row = full_row();
  row.state = UrlState::kWaiting;
  std::string bytes;
  encode_waiting_row(bytes, row, "http://h");
  UrlRow back;
  ASSERT_TRUE(decode_url_row(bytes, "http://h", back));
  EXPECT_FALSE(back.is_stub);
  expect_same(row, back);
  encode_queue_entry(bytes, entry_of(row, "http://h", "/rest"));
  QueueEntry entry;
  ASSERT_TRUE(decode_queue_entry(bytes, entry));
  EXPECT_TRUE(entry.visited);
  EXPECT_EQ(entry.via, "");
}

TEST(HostRow, AnIdThatWouldFillMemoryIsDamage) {
  HostRow row;
  row.id = static_cast<HostId>(kMostHosts - 1);
  std::string bytes;
  encode_host_row(bytes, row);
  HostRow back;
  EXPECT_TRUE(decode_host_row(bytes, back));
  row.id = static_cast<HostId>(kMostHosts);
  encode_host_row(bytes, row);
  EXPECT_FALSE(decode_host_row(bytes, back));
}

TEST(HostRow, ThereAndBack) {
  HostRow row;
  row.id = 123'456;
  row.finish = Finish::kPatience;
  row.next_wall_ms = 1'700'000'000'000;
  row.wait_ms = 60'000;
  row.crawl_delay_ms = 0;
  row.backoff_ms = 5;
  row.factor_percent = 150;
  row.no_easing = true;
  row.failures = 5;
  row.failure = Outcome::kTimeout;
  row.held_until_ms = 1'700'000'000'001;
  row.held_reason = "503";
  row.ip = "192.0.2.1";
  row.span_count = 9;
  row.counts = {1, 2, 3, 4, 5, 6, 7};
  std::string bytes;
  encode_host_row(bytes, row);
  HostRow back;
  ASSERT_TRUE(decode_host_row(bytes, back));
  EXPECT_EQ(back.id, row.id);
  EXPECT_EQ(back.finish, row.finish);
  EXPECT_EQ(back.next_wall_ms, row.next_wall_ms);
  EXPECT_EQ(back.wait_ms, row.wait_ms);
  EXPECT_EQ(back.crawl_delay_ms, 0);
  EXPECT_EQ(back.no_easing, true);
  EXPECT_EQ(back.ip, row.ip);
  EXPECT_EQ(back.counts.bytes, 7U);
  EXPECT_EQ(back.span_count, 9U);
  EXPECT_EQ(back.failure, Outcome::kTimeout);
  EXPECT_EQ(back.held_until_ms, row.held_until_ms);
  EXPECT_EQ(back.held_reason, "503");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_host_row(std::string_view(bytes).substr(0, size), back));
  }
  row.crawl_delay_ms = -1;
  row.boot = 7;
  row.next_boot_ms = 5;
  encode_host_row(bytes, row);
  ASSERT_TRUE(decode_host_row(bytes, back));
  EXPECT_EQ(back.crawl_delay_ms, -1);
  // In another boot all of the wait counts; in its own, what is left of it.
  EXPECT_EQ(wait_left_ms(back, 8, 4), 60'000);
  EXPECT_EQ(wait_left_ms(back, 7, 4), 1);
  EXPECT_EQ(wait_left_ms(back, 7, 9), 0);
}

// The tables contradict each other in all the ways that verify() knows, and are repaired. A URL
// that was never visited and has lost its place is lost except for its fingerprint, and comes back
// with the next link.
TEST_F(FrontierTest, RepairMendsWhatVerifyFinds) {
  options_.tries = 2;
  options_.recrawl = *parse_recrawl("1h");
  open();
  seed({"http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1",
        "http://c.test/1"});
  for (int i = 0; i < 2; ++i) {
    const std::string url = next();
    settle(url, i == 0 ? Outcome::kOk : Outcome::kServerError);
  }
  ASSERT_TRUE(frontier_->close().ok());
  frontier_.reset();
  expect_in_order();
  // Every place in a queue and in the list of due URLs is removed; unknown ones are added; a count
  // is wrong.
  std::vector<std::string> places;
  for (const auto& [key, value] : store_.rows(Table::kQueue)) places.push_back(key);
  ASSERT_GE(places.size(), 2U);
  std::string entry;
  ASSERT_TRUE(store_.get(Table::kQueue, places[0], entry));
  std::string stray;
  make_queue_key(stray, 1, Place::of(3, 999));
  store_.put(Table::kQueue, stray, entry);
  make_queue_key(stray, 77, Place::of(3, 999));
  store_.put(Table::kQueue, stray, entry);
  for (const std::string& key : places) store_.erase(Table::kQueue, key);
  for (const auto& [key, value] : store_.rows(Table::kLater)) store_.erase(Table::kLater, key);
  HostRow host;
  ASSERT_TRUE(decode_host_row(store_.rows(Table::kHosts).at("http://a.test"), host));
  host.counts.done += 5;
  host.counts.waiting += 2;
  encode_host_row(entry, host);
  store_.put(Table::kHosts, "http://a.test", entry);
  ASSERT_TRUE(store_.commit().ok());
  int problems = 0;
  ASSERT_TRUE(verify(store_, [&](const std::string&) { ++problems; }).ok());
  EXPECT_GE(problems, 6);

  Result<Upkeep> upkeep = Upkeep::open(store_);
  ASSERT_TRUE(upkeep.ok());
  ASSERT_TRUE(upkeep->repair().ok());
  expect_in_order();
  // The retry is back, and the URL that the stray place of its own host named; links bring back the
  // others.
  open();
  EXPECT_EQ(frontier_->statistics().all.waiting, 2U);
  seed({"http://a.test/2", "http://a.test/3", "http://c.test/1"});
  EXPECT_EQ(frontier_->statistics().all.waiting, 4U);
  for (int turns = 0; turns < 100 && !frontier_->exhausted(); ++turns) {
    const std::string url = next();
    if (url.empty()) {
      clock_.advance_ms(60'000);
      ASSERT_TRUE(frontier_->commit().ok());
    } else {
      settle(url);
    }
  }
  EXPECT_EQ(frontier_->statistics().all.waiting, 0U);
  EXPECT_EQ(frontier_->statistics().all.done, 5U);
}

TEST(HostRow, ItsLeastGapStandsWithAndWithoutABoot) {
  std::string bytes;
  for (const std::uint64_t boot : {0U, 7U}) {
    HostRow row;
    row.boot = boot;
    row.next_boot_ms = boot == 0 ? 0 : 5;
    EXPECT_TRUE(note_gap(row, 1003, 1000));
    EXPECT_FALSE(note_gap(row, 1003, 1000));
    EXPECT_FALSE(note_gap(row, 10, 0));  // shorter, and with more to spare
    EXPECT_TRUE(note_gap(row, 5001, 5000));
    encode_host_row(bytes, row);
    HostRow back;
    ASSERT_TRUE(decode_host_row(bytes, back));
    EXPECT_EQ(back.boot, boot);
    EXPECT_EQ(back.next_boot_ms, row.next_boot_ms);
    EXPECT_EQ(back.least_gap_ms, 5001);
    EXPECT_EQ(back.least_gap_owed_ms, 5000);
  }
  encode_host_row(bytes, HostRow());
  HostRow back;
  back.least_gap_ms = back.least_gap_owed_ms = 9;
  ASSERT_TRUE(decode_host_row(bytes, back));
  EXPECT_EQ(back.least_gap_ms, -1);
  EXPECT_EQ(back.least_gap_owed_ms, 0);
}

TEST_F(FrontierTest, RepairOfTwoHostsWithOneNumberIsRefused) {
  HostRow row;
  row.id = 4;
  std::string bytes;
  encode_host_row(bytes, row);
  store_.put(Table::kMeta, kFormatKey, encode_number(kFormat));
  store_.put(Table::kHosts, "http://a.test", bytes);
  store_.put(Table::kHosts, "http://b.test", bytes);
  ASSERT_TRUE(store_.commit().ok());
  Result<Upkeep> upkeep = Upkeep::open(store_);
  ASSERT_TRUE(upkeep.ok());
  const Status done = upkeep->repair();
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.message().find("number 4"), std::string::npos);
}

}  // namespace
}  // namespace spinneret::frontier
