// SPDX-License-Identifier: Apache-2.0
// The resolver against a name server of one socket, which answers when the test wants it to.
#include "http/resolver.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"

namespace spinneret {
namespace {

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
  // The questions that have come, with their askers.
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
  // 192.0.2.1 for each IPv4 question and nothing for the others.
  void answer_all() {
    read_questions();
    for (auto& [text, peer] : questions_) {
      const std::size_t end = text.find('\0', 12) + 5;
      const bool v4 = text[end - 3] == 1;
      std::string reply = text.substr(0, 2) + std::string("\x81\x80\0\1\0", 5) +
                          std::string(1, v4 ? '\1' : '\0') + std::string(4, '\0') +
                          text.substr(12, end - 12);
      if (v4) reply += std::string("\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc0\0\2\1", 16);
      sendto(server_.get(), reply.data(), reply.size(), 0, reinterpret_cast<sockaddr*>(&peer),
             sizeof peer);
    }
    questions_.clear();
    while (poller_->wait(0)) {
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
  questions_.clear();  // and never answered
  pass(600);
  answer_all();
  EXPECT_EQ(got_["good.example"].size(), 1U);
  EXPECT_EQ(got_.size(), 1U);
}

TEST_F(ResolverTest, EndsWithQuestionsOpen) {
  start();
  lookup("a.example");
  pass(20'000);
  lookup("b.example");
  resolver_.reset();
  EXPECT_TRUE(got_["b.example"].empty());
}

}  // namespace
}  // namespace spinneret
