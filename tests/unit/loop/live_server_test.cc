// SPDX-License-Identifier: Apache-2.0
#include "loop/live_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "loop/valve.h"
#include "support/temporary_folder.h"

namespace spinneret::loop {
namespace {

TEST(LiveRequest, IsWholeAtItsLastByteAndNotBefore) {
  const std::string whole =
      "POST /control?a=b HTTP/1.1\r\nHost: 127.0.0.1:80\r\nORIGIN:  http://h \r\nContent-Length: "
      "4\r\n\r\nd=1&";
  LiveRequest request;
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(parse_live_request(std::string_view(whole).substr(0, size), request), -1) << size;
  ASSERT_EQ(parse_live_request(whole, request), 0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/control");
  EXPECT_EQ(request.query, "a=b");
  EXPECT_EQ(request.host, "127.0.0.1:80");
  EXPECT_EQ(request.origin, "http://h");
  EXPECT_EQ(request.body, "d=1&");
}

TEST(LiveRequest, WhatIsNoneIsRefused) {
  const struct {
    std::string bytes;
    int status;
  } kRows[] = {
      {"GET / HTTP/1.1\nHost: h\n\n" + std::string(9000, 'x'), 431},
      {"GET /" + std::string(9000, 'x'), 431},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n: a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", 400},
      {"GET http://h/ HTTP/1.1\r\n\r\n", 400},
      {"GET /\r\n\r\n", 400},
      {"\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: 1025\r\n\r\n", 413},
      {"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
  };
  LiveRequest request;
  for (const auto& row : kRows)
    EXPECT_EQ(parse_live_request(row.bytes, request), row.status) << row.bytes.substr(0, 60);
}

class LiveServerTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<LiveServer> opened = LiveServer::open(0, [](const LiveRequest& request) -> LiveAnswer {
      if (request.path == "/events") return {.body = "retry: 1\n\n", .stream = true};
      return {.body = request.path == "/big" ? std::string(std::size_t{4} << 20, 'b')
                                             : request.method + " " + request.path};
    });
    ASSERT_TRUE(opened.ok()) << opened.message();
    server_.emplace(opened.take());
  }
  Fd connect(int room = 0) const {
    Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (room != 0) setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(server_->port());
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    return fd;
  }
  static void say(const Fd& fd, const std::string& bytes) {
    ASSERT_EQ(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // Reads until the server closes the connection, or has sent `enough`.
  std::string hear(const Fd& fd, const std::string& enough = "no such bytes") {
    std::string out;
    for (int turns = 0; turns < 20'000 && out.find(enough) == std::string::npos; ++turns) {
      server_->turn(1, -1);
      char bytes[65536];
      const ssize_t got = ::recv(fd.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (got == 0) break;
      if (got > 0) out.append(bytes, static_cast<std::size_t>(got));
    }
    return out;
  }
  std::string ask(const std::string& request) {
    const Fd fd = connect();
    say(fd, request);
    return hear(fd, "\r\n\r\n").substr(0, 12);
  }
  std::string head(const std::string& host) const {
    return "GET / HTTP/1.1\r\nHost: " + host + "\r\n";
  }

  std::optional<LiveServer> server_;
};

TEST_F(LiveServerTest, AnswersNobodyWhoCameByAnotherNameOrFromAnotherPage) {
  const std::string port = ":" + std::to_string(server_->port());
  EXPECT_EQ(ask(head("127.0.0.1" + port) + "\r\n"), "HTTP/1.1 200");
  EXPECT_EQ(ask(head("localhost" + port) + "\r\n"), "HTTP/1.1 200");
  EXPECT_EQ(ask(head("127.0.0.1" + port) + "Origin: http://127.0.0.1" + port + "\r\n\r\n"),
            "HTTP/1.1 200");
  EXPECT_EQ(ask(head("127.0.0.1" + port) + "Origin: http://evil.example\r\n\r\n"), "HTTP/1.1 403");
  EXPECT_EQ(ask(head("127.0.0.1" + port) + "Origin: null\r\n\r\n"), "HTTP/1.1 403");
  // A form has the token, or the answering function refuses it.
  EXPECT_EQ(
      ask("POST / HTTP/1.1\r\nHost: 127.0.0.1" + port + "\r\nOrigin: https://a.example\r\n\r\n"),
      "HTTP/1.1 200");
  EXPECT_EQ(ask(head("evil.example" + port) + "\r\n"), "HTTP/1.1 403");
  EXPECT_EQ(ask(head("127.0.0.1:1") + "\r\n"), "HTTP/1.1 403");
  EXPECT_EQ(ask("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 403");
  EXPECT_EQ(ask("nonsense\r\n\r\n"), "HTTP/1.1 400");
}

TEST_F(LiveServerTest, StreamsGetEachEventAndWhoReadsNothingIsLeft) {
  const std::string request =
      "GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_->port()) + "\r\n\r\n";
  const Fd reader = connect();
  const Fd sleeper = connect();
  say(reader, request);
  say(sleeper, request);
  EXPECT_NE(hear(reader, "retry: 1\n\n").find("retry: 1"), std::string::npos);
  EXPECT_TRUE(server_->has_streams());
  server_->publish("page", "<p>\na");
  EXPECT_EQ(hear(reader, "\n\n"), "event: page\ndata: <p>\ndata: a\n\n");
  const std::string large(std::size_t{1} << 20, 'x');
  for (int event = 0; event < 40; ++event) {
    server_->publish("page", large);
    EXPECT_EQ(hear(reader, "\n\n").size(), large.size() + 20);
  }
  // No more than 8 MiB are kept for the sleeping reader: it is disconnected, and its place is free.
  char bytes[1024];
  ::shutdown(reader.get(), SHUT_WR);
  for (int turns = 0; turns < 100 && server_->has_streams(); ++turns) server_->turn(1, -1);
  EXPECT_FALSE(server_->has_streams());
  EXPECT_GE(::recv(sleeper.get(), bytes, sizeof bytes, MSG_DONTWAIT), 0);
}

TEST_F(LiveServerTest, BugAReaderWhoWasAlwaysALittleBehindHadAllThatItWasEverToldKept) {
  const Fd reader = connect();
  say(reader,
      "GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_->port()) + "\r\n\r\n");
  hear(reader, "retry: 1\n\n");
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const std::string large(kMiB, 'x');
  const auto held = [] {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = held();
  // The events are more than the sockets take (4 MiB at the most), and less than the bound at which
  // the reader is disconnected.
  for (int event = 0; event < 6; ++event) {
    server_->publish("page", large);
    server_->turn(0, -1);
  }
  std::string bytes(kMiB + 20, '\0');
  for (int event = 0; event < 60; ++event) {
    server_->publish("page", large);
    std::size_t got = 0;
    for (int turns = 0; got < bytes.size() && turns < 20'000; ++turns) {
      server_->turn(1, -1);
      const ssize_t one = ::recv(reader.get(), bytes.data(), bytes.size() - got, MSG_DONTWAIT);
      if (one > 0) got += static_cast<std::size_t>(one);
    }
    ASSERT_EQ(got, bytes.size()) << event;
  }
  EXPECT_TRUE(server_->has_streams());
  EXPECT_LT(held() - before, 40 * kMiB);
}

TEST_F(LiveServerTest, BugAGuestForWhomThereWasNoDescriptorKeptItBusy) {
  rlimit most{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &most), 0);
  const Fd guest = connect();
  const rlimit few{static_cast<rlim_t>(guest.get()) + 8, most.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<Fd> all;
  do all.emplace_back(::dup(guest.get()));
  while (all.back());
  server_->turn(1000, -1);
  const auto begun = std::chrono::steady_clock::now();
  server_->turn(50, -1);
  const auto waited = std::chrono::steady_clock::now() - begun;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &most), 0);
  all.clear();
  EXPECT_GE(waited, std::chrono::milliseconds(45));
  say(guest, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_NE(hear(guest).find("403"), std::string::npos);
}

TEST_F(LiveServerTest, AnswersThatAreLargeArriveWholeAndManyGuestsInTurn) {
  const std::string host = "Host: 127.0.0.1:" + std::to_string(server_->port()) + "\r\n\r\n";
  const Fd fd = connect();
  say(fd, "GET /big HTTP/1.1\r\n" + host);
  EXPECT_GT(hear(fd).size(), std::size_t{4} << 20);
  std::vector<Fd> silent;
  for (int guest = 0; guest < 31; ++guest) {
    silent.push_back(connect());
    server_->turn(0, -1);
  }
  EXPECT_EQ(ask("GET / HTTP/1.1\r\n" + host), "HTTP/1.1 200");
}

TEST(Valve, HoldsBackWhatItsFileSays) {
  const TemporaryFolder folder;
  const std::string path = folder.file("valve");
  ASSERT_TRUE(write_valve(path, {.paused = true, .rate = 3}).ok());
  Valve valve(path);  // the file is another run's
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  EXPECT_FALSE(valve.look(1000));
  EXPECT_TRUE(valve.may_send(1000));
  ASSERT_TRUE(write_valve(path, {.paused = true, .rate = 2.5}).ok());
  EXPECT_FALSE(valve.look(1100));  // it is not read again yet
  EXPECT_TRUE(valve.look(1200));
  EXPECT_FALSE(valve.may_send(99'999));
  EXPECT_EQ(valve_text(valve.setting()), "paused");
  EXPECT_EQ(valve.wait_ms(1250), 150);
  ASSERT_TRUE(write_valve(path, {.paused = false, .rate = 2.5}).ok());
  EXPECT_TRUE(valve.look(2000));
  EXPECT_EQ(valve_text(valve.setting()), "at most 2.5 requests a second");
  std::int64_t sent = 0;
  for (std::int64_t now = 10'000; now < 20'000; now += 10) {
    while (valve.may_send(now)) {
      valve.sent(now);
      ++sent;
    }
  }
  EXPECT_NEAR(static_cast<double>(sent), 27, 1);  // 25, and those of the first second
  for (const char* const text : {"", "pause", "run x\n", "run -1\n", "run nan\n", "\n"}) {
    ASSERT_TRUE(write_file_atomic(path, text).ok());
    EXPECT_EQ(read_valve(path).rate, 0) << text;
    EXPECT_EQ(read_valve(path).paused, std::string_view(text) == "pause") << text;
  }
  ASSERT_TRUE(write_file_atomic(path, "run 99999999\n").ok());
  EXPECT_EQ(read_valve(path).rate, 1e5);
}

TEST(Valve, BugWhatIsNoSettingOpenedItWithoutAWord) {
  const TemporaryFolder folder;
  const std::string path = folder.file("valve");
  Valve valve(path);
  ASSERT_TRUE(write_file_atomic(path, "pause\n").ok());
  EXPECT_TRUE(valve.look(1000));
  EXPECT_FALSE(valve.may_send(1000));
  for (const char* const text : {"paused\n", "2.5\n", "run fast\n", "run -1\n", "\n"}) {
    ASSERT_TRUE(write_file_atomic(path, text).ok());
    EXPECT_TRUE(read_valve(path).unreadable) << text;
  }
  EXPECT_TRUE(valve.look(2000));
  EXPECT_FALSE(valve.may_send(2000));  // as before
  EXPECT_NE(valve_text(valve.setting()).find("the file valve holds no setting"), std::string::npos);
  EXPECT_FALSE(valve.look(3000));  // this is reported once
  ASSERT_TRUE(write_file_atomic(path, "run 0\n").ok());
  EXPECT_TRUE(valve.look(4000));
  EXPECT_TRUE(valve.may_send(4000));
}

TEST(Valve, BugARateTooSmallToBeWrittenWasNoLimit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("valve");
  for (const auto& [given, kept] : std::map<double, double>{{0, 0},
                                                            {-1, 0},
                                                            {1e-9, .01},
                                                            {4e-4, .01},
                                                            {.01, .01},
                                                            {7.5, 7.5},
                                                            {1e6, 1e5},
                                                            {1e300, 1e5}}) {
    ASSERT_TRUE(write_valve(path, {.rate = given}).ok());
    EXPECT_EQ(read_valve(path), (ValveSetting{.rate = kept})) << given;
  }
  ASSERT_TRUE(write_valve(path, {.rate = std::nan("")}).ok());
  EXPECT_EQ(read_valve(path).rate, 0);
}

// A valve may make up for what was not sent for a while, but by no more than a second's worth; and
// gaps of a fraction of a millisecond add up.
TEST(Valve, KeepsItsRateOverTheLongRun) {
  const TemporaryFolder folder;
  const std::string path = folder.file("valve");
  for (const double rate : {.5, 3.0, 700.0, 30'000.0}) {
    Valve valve(path);
    ASSERT_TRUE(write_valve(path, {.rate = rate}).ok());
    ASSERT_TRUE(valve.look(1000));
    std::int64_t now = 10'000;
    const auto send_all = [&] {
      std::int64_t sent = 0;
      for (; valve.may_send(now); ++sent) valve.sent(now);
      return static_cast<double>(sent);
    };
    double sent = send_all();
    for (const std::int64_t end = now + 20'000; now < end; now += 7) sent += send_all();
    EXPECT_NEAR(sent, 21 * rate, 2 + rate / 50) << rate;
    now += 3'600'000;
    EXPECT_LE(send_all(), rate + rate / 1000 + 2) << rate;
    EXPECT_FALSE(valve.look(now) && valve.look(now + 1));
  }
}

TEST(Valve, WaitsForTheNextRequestOrLookWhateverComesFirst) {
  const TemporaryFolder folder;
  Valve valve(folder.file("valve"));
  ASSERT_TRUE(write_valve(folder.file("valve"), {.rate = 100}).ok());
  ASSERT_TRUE(valve.look(1000));
  EXPECT_EQ(valve.wait_ms(1000), 0);
  while (valve.may_send(1000)) valve.sent(1000);
  EXPECT_EQ(valve.wait_ms(1000), 10);
  EXPECT_EQ(valve.wait_ms(1010), 0);
  ASSERT_TRUE(write_valve(folder.file("valve"), {.rate = .01}).ok());
  ASSERT_TRUE(valve.look(1200));
  while (valve.may_send(1200)) valve.sent(1200);
  EXPECT_EQ(valve.wait_ms(1200), 200);
  EXPECT_EQ(valve.wait_ms(1390), 10);
  // A file that is gone holds nothing back.
  ASSERT_EQ(::unlink(folder.file("valve").c_str()), 0);
  EXPECT_TRUE(valve.look(1400));
  EXPECT_TRUE(valve.may_send(1400));
  EXPECT_EQ(valve_text(valve.setting()), "no limit");
}

}  // namespace
}  // namespace spinneret::loop
