// SPDX-License-Identifier: Apache-2.0
#include "http/resolver.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "http/address.h"
#include "http/dns_cache.h"

namespace spinneret::http {
namespace {

// Tests the resolver with a name server of one socket, which answers when the test says so.

class ResolverTest : public testing::Test {
 protected:
  void SetUp() override {
    server_ = Fd(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(bind(server_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(getsockname(server_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    options_.servers = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  void start() { resolver_ = make_dns_resolver(*poller_, clock_, options_).take(); }
  void lookup(const std::string& host) {
    resolver_->lookup(host, [this, host](const Resolution& got) { got_[host].push_back(got); });
  }
  void pass(std::int64_t ms) {
    clock_.advance_ms(ms);
    resolver_->advance();
  }
  // Reads the questions that have come, with their askers.
  void read_questions() {
    char text[1024];
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    while (true) {
      const ssize_t got =
          recvfrom(server_.get(), text, sizeof text, 0, reinterpret_cast<sockaddr*>(&peer), &size);
      if (got < 17) return;
      questions_.emplace_back(std::string(text, static_cast<std::size_t>(got)), peer);
    }
  }
  static constexpr char kA = 1;
  static constexpr std::string_view kV4Record{"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc0\0\2\1", 16};
  static constexpr std::string_view kV6Record{
      "\xc0\x0c\0\x1c\0\1\0\0\0\x3c\0\x10 \1\r\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 28};
  // Counts records of one family, whose type is the fourth byte.
  static std::size_t count_of(std::string_view records) {
    return records.empty() ? 0 : records.size() / (records[3] == kA ? 16 : 28);
  }
  // Returns `count` records of one family, which differ in their last byte.
  static std::string records(std::string_view record, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) {
      out += record;
      out.back() = static_cast<char>(i);
    }
    return out;
  }

  // Answers 192.0.2.1 to each IPv4 question, and nothing to the others.
  void answer_all() { answer(kV4Record, ""); }
  // Answers with these records, or none; a question whose records are absent waits for a later
  // call.
  void answer(std::optional<std::string_view> v4, std::optional<std::string_view> v6) {
    send_answers(v4, v6);
    while (poller_->wait(0)) {
    }
  }
  void send_answers(std::optional<std::string_view> v4, std::optional<std::string_view> v6) {
    read_questions();
    for (const auto& [text, peer] : std::exchange(questions_, {})) {
      const std::size_t end = text.find('\0', 12) + 5;
      const std::optional<std::string_view> record = text[end - 3] == kA ? v4 : v6;
      if (!record) {
        questions_.emplace_back(text, peer);
        continue;
      }
      const std::string reply = text.substr(0, 2) + std::string("\x81\x80\0\1\0", 5) +
                                std::string(1, static_cast<char>(count_of(*record))) +
                                std::string(4, '\0') + text.substr(12, end - 12) +
                                std::string(*record);
      sendto(server_.get(), reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&peer),
             sizeof peer);
    }
  }
  // Answers each question for `host` with a reply too long for UDP; all other questions wait.
  // Nobody listens for TCP.
  void answer_cut(const std::string& host) {
    read_questions();
    const std::string label = static_cast<char>(host.find('.')) + host.substr(0, host.find('.'));
    for (const auto& [text, peer] : std::exchange(questions_, {})) {
      if (text.find(label) != 12) {
        questions_.emplace_back(text, peer);
        continue;
      }
      const std::size_t end = text.find('\0', 12) + 5;
      const std::string reply = text.substr(0, 2) + std::string("\x83\x80\0\1\0\0\0\0\0\0", 10) +
                                text.substr(12, end - 12);
      sendto(server_.get(), reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&peer),
             sizeof peer);
    }
    while (poller_->wait(0)) {
    }
  }
  // Looks up six.example, whose IPv4 question nobody answers, until it is known, or for so long.
  void look_up_six(std::int64_t most_ms) {
    start();
    lookup("six.example");
    for (; most_ms > 0 && got_.empty(); most_ms -= 100) {
      answer({}, kV6Record);
      pass(100);
    }
  }

  FakeClock clock_;
  std::unique_ptr<Poller> poller_ = Poller::create().take();
  ResolverOptions options_;
  Fd server_;
  std::vector<std::pair<std::string, sockaddr_in>> questions_;
  std::map<std::string, std::vector<Resolution>> got_;
  std::unique_ptr<Resolver> resolver_;
};

TEST_F(ResolverTest, AsksOnceForAllWhoWait) {
  start();
  lookup("a.example");
  lookup("a.example");
  read_questions();
  EXPECT_EQ(questions_.size(), 2U);  // A and AAAA
  answer_all();
  ASSERT_EQ(got_["a.example"].size(), 2U);
  ASSERT_EQ(got_["a.example"][0].addresses.size(), 1U);
  EXPECT_EQ(to_string(got_["a.example"][0].addresses[0]), "192.0.2.1");
  lookup("a.example");
  EXPECT_EQ(got_["a.example"].size(), 3U);  // kept
}

// Bug: a server that listens at ::1 alone was not found, and app.localhost was no host.
TEST_F(ResolverTest, BugLocalhostWasWhatAFileSaid) {
  start();
  for (const char* const host : {"localhost", "localhost.", "app.localhost"}) {
    lookup(host);
    ASSERT_EQ(got_[host].size(), 1U) << host;
    ASSERT_EQ(got_[host][0].addresses.size(), 2U) << host;
    EXPECT_EQ(to_string(got_[host][0].addresses[0]), "127.0.0.1");
    EXPECT_EQ(to_string(got_[host][0].addresses[1]), "::1");
  }
  lookup("notlocalhost");
  read_questions();
  EXPECT_EQ(questions_.size(), 2U);
}

TEST_F(ResolverTest, GivesUpAfterItsTimeAndKeepsALateAnswer) {
  options_.max_ms = 2000;
  start();
  lookup("slow.example");
  pass(1900);
  EXPECT_TRUE(got_.empty());
  pass(200);
  ASSERT_EQ(got_["slow.example"].size(), 1U);
  EXPECT_EQ(got_["slow.example"][0].error, "name server does not answer within 2 s");
  answer_all();
  EXPECT_EQ(got_["slow.example"].size(), 1U);
  lookup("slow.example");
  ASSERT_EQ(got_["slow.example"].size(), 2U);
  EXPECT_EQ(got_["slow.example"][1].addresses.size(), 1U);
}

TEST_F(ResolverTest, NamesThatNobodyAnswersForGiveTheirTurnToOthers) {
  options_.max_lookups = 2;
  start();
  for (const char* name : {"s1.example", "s2.example", "good.example"}) lookup(name);
  read_questions();
  EXPECT_EQ(questions_.size(), 4U);
  questions_.clear();  // the questions are never answered
  pass(600);
  answer_all();
  EXPECT_EQ(got_["good.example"].size(), 1U);
  EXPECT_EQ(got_.size(), 1U);
}

TEST_F(ResolverTest, BugAHostWhoseIpv4QuestionWasDroppedHadNoAddress) {
  look_up_six(5000);
  ASSERT_EQ(got_["six.example"].size(), 1U);
  EXPECT_EQ(got_["six.example"][0].error, "");
  ASSERT_EQ(got_["six.example"][0].addresses.size(), 1U);
  EXPECT_EQ(to_string(got_["six.example"][0].addresses[0]), "2001:db8::1");
  // An address of the other family that comes late is added.
  answer(kV4Record, {});
  lookup("six.example");
  ASSERT_EQ(got_["six.example"].size(), 2U);
  EXPECT_EQ(got_["six.example"][1].addresses.size(), 2U);
}

TEST_F(ResolverTest, AsksForTheFamilyAloneThatIsOfUse) {
  options_.wants_v4 = false;
  look_up_six(2200);
  ASSERT_EQ(got_["six.example"].size(), 1U);
  EXPECT_EQ(got_["six.example"][0].addresses.size(), 1U);
}

TEST_F(ResolverTest, ANameWithAnAnswerToOneQuestionAndNoAddressWaitsForTheOther) {
  start();
  lookup("none.example");
  for (int i = 0; i < 99; ++i) {
    answer({}, "");
    pass(100);
  }
  EXPECT_TRUE(got_.empty());
  answer("", "");
  ASSERT_EQ(got_["none.example"].size(), 1U);
  EXPECT_EQ(got_["none.example"][0].error, "host has no address");
}

TEST_F(ResolverTest, BugAllAddressesOfAHostWereKeptHoweverMany) {
  start();
  lookup("many.example");
  answer(records(kV4Record, 25), records(kV6Record, 17));  // as many as UDP can carry
  ASSERT_EQ(got_["many.example"].size(), 1U);
  const std::vector<IpAddress>& kept = got_["many.example"].front().addresses;
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(), [](const IpAddress& ip) { return ip.v4; }), 16);
  EXPECT_EQ(kept.size(), 32U);
}

// Bug: with c-ares 1.18 all lookups under way failed with the one that needed TCP.
TEST_F(ResolverTest, BugALongAnswerOfANameServerWithoutTcpLeftAllOtherHostsWithoutAnAddress) {
  start();
  lookup("a.example");
  lookup("long.example");
  for (int i = 0; i < 20; ++i) answer_cut("long.example");
  ASSERT_EQ(got_["long.example"].size(), 1U);
  EXPECT_TRUE(got_["long.example"][0].addresses.empty());
  EXPECT_TRUE(got_["long.example"][0].error.starts_with("name server "));
  EXPECT_TRUE(got_["a.example"].empty());
  answer_all();
  ASSERT_EQ(got_["a.example"].size(), 1U);
  EXPECT_EQ(got_["a.example"][0].addresses.size(), 1U);
}

// This happens where the reader of standard output stands still for a while.
TEST_F(ResolverTest, BugANameWhoseAnswerHadComeFailedWhereItsAskerWasAwayForLong) {
  start();
  lookup("a.example");
  send_answers(kV4Record, "");
  pass(20'000);
  ASSERT_EQ(got_["a.example"].size(), 1U);
  EXPECT_EQ(got_["a.example"][0].addresses.size(), 1U);
}

TEST_F(ResolverTest, EndsWithQuestionsOpen) {
  start();
  lookup("a.example");
  pass(20'000);
  lookup("b.example");
  resolver_.reset();
  EXPECT_TRUE(got_["b.example"].empty());
}

Resolution answer(std::initializer_list<const char*> addresses, std::int64_t expires) {
  Resolution out;
  for (const char* text : addresses) out.addresses.push_back(*parse_ip(text));
  out.expires_ns = expires;
  return out;
}

TEST(DnsCache, KeepsUntilItExpires) {
  DnsCache cache(10);
  EXPECT_EQ(cache.find("a", 0), nullptr);
  cache.put("a", answer({"1.1.1.1"}, 100));
  ASSERT_NE(cache.find("a", 99), nullptr);
  EXPECT_EQ(to_string(cache.find("a", 99)->addresses[0]), "1.1.1.1");
  EXPECT_EQ(cache.find("a", 100), nullptr);
  cache.put("a", answer({"2.2.2.2"}, 200));
  EXPECT_EQ(to_string(cache.find("a", 150)->addresses[0]), "2.2.2.2");
  EXPECT_EQ(cache.size(), 1U);
}

TEST(DnsCache, ARoundRobinAnswerDoesNotMoveTheHost) {
  DnsCache cache(10);
  cache.put("a", answer({"1.1.1.1", "2.2.2.2", "3.3.3.3"}, 100));
  const Resolution& kept = cache.put("a", answer({"4.4.4.4", "3.3.3.3", "1.1.1.1"}, 200));
  ASSERT_EQ(kept.addresses.size(), 3U);
  EXPECT_EQ(to_string(kept.addresses[0]), "1.1.1.1");
  EXPECT_EQ(to_string(kept.addresses[1]), "3.3.3.3");
  EXPECT_EQ(to_string(kept.addresses[2]), "4.4.4.4");
}

TEST(DnsCache, IsBoundedAndForgetsWhatWasUsedLongestAgo) {
  DnsCache cache(3);
  for (const char* host : {"a", "b", "c"}) cache.put(host, answer({"1.1.1.1"}, 100));
  EXPECT_NE(cache.find("a", 0), nullptr);
  cache.put("d", answer({"1.1.1.1"}, 100));
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_NE(cache.find("a", 0), nullptr);
  EXPECT_EQ(cache.find("b", 0), nullptr);
  for (int i = 0; i < 1000; ++i) cache.put("host" + std::to_string(i), answer({}, 100));
  EXPECT_EQ(cache.size(), 3U);
}

std::string_view refusal(std::string_view text) {
  const auto ip = parse_ip(text);
  EXPECT_TRUE(ip) << text;
  return ip ? AddressPolicy().refusal(*ip) : "no address";
}

TEST(IpAddress, ReadsAndWritesBothFamilies) {
  for (const char* text : {"192.0.2.1", "0.0.0.0", "255.255.255.255", "::", "::1", "2001:db8::1",
                           "fe80::1:2:3:4", "::ffff:1.2.3.4", "64:ff9b::c000:201"}) {
    const auto ip = parse_ip(text);
    ASSERT_TRUE(ip) << text;
    EXPECT_EQ(to_string(*ip), text);
  }
  EXPECT_EQ(to_string(*parse_ip("[2001:DB8:0:0::1]")), "2001:db8::1");
}

TEST(IpAddress, IsStrict) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv, "1.2.3"sv, "1.2.3.4.5"sv, "01.2.3.4x"sv, "0x7f.0.0.1"sv, "127.1"sv, "[1.2.3.4"sv,
        "::1%lo"sv, "1.2.3.4 "sv, "1.2.3.4\0x"sv, ":::"sv, "localhost"sv}) {
    EXPECT_FALSE(parse_ip(text)) << text;
  }
}

TEST(IpAddress, MappedIsNotTheIpv4AddressItself) {
  EXPECT_NE(*parse_ip("1.2.3.4"), *parse_ip("::ffff:1.2.3.4"));
}

TEST(IpAddress, FromSocketAddresses) {
  sockaddr_storage storage{};
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
  v4->sin_family = AF_INET;
  inet_pton(AF_INET, "10.1.2.3", &v4->sin_addr);
  EXPECT_EQ(to_string(*to_ip(reinterpret_cast<sockaddr&>(storage))), "10.1.2.3");
  storage = {};
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  v6->sin6_family = AF_INET6;
  inet_pton(AF_INET6, "fd00::9", &v6->sin6_addr);
  EXPECT_EQ(to_string(*to_ip(reinterpret_cast<sockaddr&>(storage))), "fd00::9");
  storage = {};
  storage.ss_family = AF_UNIX;
  EXPECT_FALSE(to_ip(reinterpret_cast<sockaddr&>(storage)));
}

TEST(AddressRange, FirstAndLastOfEachAndTheNeighbours) {
  const auto range = parse_range("172.16.0.0/12");
  ASSERT_TRUE(range.ok());
  EXPECT_FALSE(range->contains(*parse_ip("172.15.255.255")));
  EXPECT_TRUE(range->contains(*parse_ip("172.16.0.0")));
  EXPECT_TRUE(range->contains(*parse_ip("172.31.255.255")));
  EXPECT_FALSE(range->contains(*parse_ip("172.32.0.0")));
  EXPECT_FALSE(range->contains(*parse_ip("::ffff:172.16.0.0")));
  const auto all = parse_range("::/0");
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->contains(*parse_ip("2001::1")));
  EXPECT_FALSE(all->contains(*parse_ip("1.2.3.4")));
}

// Compares every prefix length with a comparison bit by bit.
TEST(AddressRange, EveryPrefixLength) {
  const IpAddress base = *parse_ip("a5a5:a5a5:a5a5:a5a5:a5a5:a5a5:a5a5:a5a5");
  for (int bits = 0; bits <= 128; ++bits) {
    const AddressRange range{base, bits};
    for (std::size_t flipped = 0; flipped < 128; ++flipped) {
      IpAddress other = base;
      other.bytes[flipped / 8] ^= static_cast<std::uint8_t>(0x80 >> flipped % 8);
      EXPECT_EQ(range.contains(other), flipped >= static_cast<std::size_t>(bits))
          << bits << " " << flipped;
    }
  }
}

TEST(AddressRange, WhatIsWrongIsSaid) {
  EXPECT_NE(parse_range("10.0.0.1/8").message().find("bits set"), std::string::npos);
  EXPECT_NE(parse_range("10.0.0.0/33").message().find("0 to 32"), std::string::npos);
  EXPECT_NE(parse_range("fd00::/129").message().find("0 to 128"), std::string::npos);
  for (const char* text : {"", "/8", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1", "example.com"}) {
    EXPECT_FALSE(parse_range(text).ok()) << text;
  }
}

TEST(AddressPolicy, PublicAddressesPass) {
  for (const char* text :
       {"1.1.1.1",         "8.8.8.8",     "9.255.255.255",        "11.0.0.0",
        "100.63.255.255",  "100.128.0.0", "126.255.255.255",      "128.0.0.0",
        "169.253.0.0",     "172.15.0.0",  "172.32.0.0",           "192.167.0.0",
        "192.169.0.0",     "198.17.0.0",  "198.20.0.0",           "223.255.255.255",
        "2606:4700::1111", "2a00::1",     "2001:4860:4860::8888", "64:ff9b::808:808"}) {
    EXPECT_EQ(refusal(text), "") << text;
  }
}

TEST(AddressPolicy, SpecialAddressesAreNamed) {
  const std::pair<const char*, const char*> kCases[] = {{"127.0.0.1", "loopback"},
                                                        {"127.255.255.255", "loopback"},
                                                        {"10.0.0.1", "private"},
                                                        {"172.16.0.1", "private"},
                                                        {"172.31.255.255", "private"},
                                                        {"192.168.255.255", "private"},
                                                        {"169.254.169.254", "link-local"},
                                                        {"100.64.0.1", "carrier-grade NAT"},
                                                        {"100.127.255.255", "carrier-grade NAT"},
                                                        {"0.0.0.0", "this network"},
                                                        {"192.0.0.8", "protocol assignment"},
                                                        {"192.0.2.1", "documentation"},
                                                        {"198.18.0.1", "benchmarking"},
                                                        {"198.51.100.1", "documentation"},
                                                        {"203.0.113.1", "documentation"},
                                                        {"224.0.0.1", "multicast"},
                                                        {"239.255.255.255", "multicast"},
                                                        {"240.0.0.1", "reserved"},
                                                        {"255.255.255.255", "reserved"},
                                                        {"::1", "loopback"},
                                                        {"::", "unspecified"},
                                                        {"::ffff:127.0.0.1", "IPv4-mapped"},
                                                        {"::ffff:8.8.8.8", "IPv4-mapped"},
                                                        {"64:ff9b::7f00:1", "loopback"},
                                                        {"64:ff9b::a9fe:a9fe", "link-local"},
                                                        {"64:ff9b::", "this network"},
                                                        {"64:ff9b::1:808:808", "reserved"},
                                                        {"64:ff9b:1::1", "NAT64"},
                                                        {"fc00::1", "unique local"},
                                                        {"fdff::1", "unique local"},
                                                        {"fe80::1", "link-local"},
                                                        {"fec0::1", "site-local"},
                                                        {"ff02::1", "multicast"},
                                                        {"2001:db8::1", "documentation"},
                                                        {"2001::1", "Teredo"},
                                                        {"2001:2::1", "protocol assignment"},
                                                        {"2002:7f00:1::", "6to4"},
                                                        {"::127.0.0.1", "reserved"},
                                                        {"100::1", "reserved"},
                                                        {"4000::1", "reserved"},
                                                        {"5f00::1", "reserved"},
                                                        {"3fff::1", "documentation"}};
  for (const auto& [text, what] : kCases) EXPECT_EQ(refusal(text), what) << text;
}

TEST(AddressPolicy, AllowsWhatItIsToldAndNoMore) {
  AddressPolicy policy;
  ASSERT_TRUE(policy.allow("192.168.7.0/24").ok());
  ASSERT_TRUE(policy.allow("::1").ok());
  EXPECT_EQ(policy.refusal(*parse_ip("192.168.7.9")), "");
  EXPECT_EQ(policy.refusal(*parse_ip("192.168.8.9")), "private");
  EXPECT_EQ(policy.refusal(*parse_ip("::1")), "");
  EXPECT_EQ(policy.refusal(*parse_ip("127.0.0.1")), "loopback");
  EXPECT_EQ(policy.refusal(*parse_ip("::ffff:192.168.7.9")), "IPv4-mapped");
  EXPECT_EQ(policy.refusal(*parse_ip("64:ff9b::192.168.7.9")), "");
  EXPECT_EQ(policy.refusal(*parse_ip("64:ff9b::192.168.8.9")), "private");
  EXPECT_FALSE(policy.allow("nonsense").ok());
  policy.allow_all();
  EXPECT_EQ(policy.refusal(*parse_ip("127.0.0.1")), "");
}

}  // namespace
}  // namespace spinneret::http
