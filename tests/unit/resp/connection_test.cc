// SPDX-License-Identifier: Apache-2.0
// How a connection treats servers that are no working engine: cut, slow, moved, of another version,
// or sending mere noise.
#include "resp/connection.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/tiny_server.h"

namespace spinneret::resp {
namespace {

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}
const std::string kPrimary = "*3\r\n" + bulk("master") + ":0\r\n*0\r\n";
const std::string kNil = "$-1\r\n";

// Reads a command such as "*2\r\n$3\r\nGET\r\n$1\r\nx\r\n". Our own commands are always
// well-formed. Returns its length, or 0 if it is not complete; `out` gets its words.
std::size_t read_command(const std::string& in, Command& out) {
  std::size_t at = 0;
  const auto number = [&in, &at] {
    const std::size_t end = in.find("\r\n", at);
    if (end == std::string::npos) return std::size_t{0};
    const std::size_t value = std::stoul(in.substr(at + 1, end - at - 1));
    at = end + 2;
    return value;
  };
  out.clear();
  for (std::size_t words = number(); words != 0; --words) {
    const std::size_t before = at, size = number();
    if (at == before || in.size() < at + size + 2) return 0;
    out.push_back(in.substr(at, size));
    at += size + 2;
  }
  return at;
}

// A server that answers each command with what a function makes of its words. An empty answer hangs
// up.
class Script {
 public:
  using Answer = std::function<std::string(const Command& command)>;

  explicit Script(Answer answer, std::size_t piece = 1 << 30)
      : server_(
            [answer = std::move(answer)](const std::string& bytes) {
              Command command;
              read_command(bytes, command);
              return answer(command);
            },
            [](const std::string& bytes) {
              Command command;
              return read_command(bytes, command);
            },
            piece) {}

  int port() const { return server_.port(); }
  int connections() const { return server_.connections(); }
  Address address(const std::string& rest = "/crawl", const std::string& user = "") const {
    return *parse_address("redis://" + user + "127.0.0.1:" + std::to_string(port()) + rest);
  }

 private:
  TinyServer server_;
};

// Returns the answers of an engine with nothing in it, except for the command that a test is about.
Script::Answer engine(const std::string& name, const std::string& answer) {
  return [=](const Command& command) -> std::string {
    if (command[0] == name) return answer;
    if (command[0] == "ROLE") return kPrimary;
    if (command[0] == "GET") return kNil;
    if (command[0] == "SCRIPT") return bulk("0123abc");
    return "+OK\r\n";
  };
}

class ConnectionTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built_in()) GTEST_SKIP() << "without hiredis there is no connection";
  }
};

TEST_F(ConnectionTest, ReadsEachKindOfReplyWhereverItIsCut) {
  const std::string reply = "*6\r\n:-7\r\n" + bulk(std::string("a\0\r\nb", 5)) +
                            "+fine\r\n-ERR no\r\n$-1\r\n*2\r\n*0\r\n:9223372036854775807\r\n";
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 1U << 20}) {
    const Script server(engine("ASK", reply), piece);
    Connection connection(server.address());
    const Result<Reply> got = connection.ask({"ASK"});
    ASSERT_TRUE(got.ok()) << got.message();
    ASSERT_EQ(got->items.size(), 6u);
    EXPECT_EQ(got->items[0].integer, -7);
    EXPECT_EQ(got->items[1].text, std::string("a\0\r\nb", 5));
    EXPECT_EQ(got->items[2].text, "fine");
    EXPECT_TRUE(got->items[3].is(Reply::Kind::kError));
    EXPECT_TRUE(got->items[4].is(Reply::Kind::kNil));
    ASSERT_EQ(got->items[5].items.size(), 2u);
    EXPECT_TRUE(got->items[5].items[0].is(Reply::Kind::kArray));
    EXPECT_EQ(got->items[5].items[1].integer, INT64_MAX);
  }
}

TEST_F(ConnectionTest, EveryCutReplyFailsAndTheNextCallBeginsAnew) {
  const std::string whole = "*2\r\n:1\r\n" + bulk("ab");
  for (std::size_t size = 0; size != whole.size(); ++size) {
    std::atomic<bool> cuts = true;
    std::atomic<bool> was_cut = false;
    const Script server([&](const Command& command) -> std::string {
      if (was_cut.exchange(false)) return {};
      if (command[0] != "ASK") return engine("", "")(command);
      was_cut = cuts && size != 0;
      return whole.substr(0, cuts ? size : whole.size());
    });
    Connection connection(server.address());
    std::vector<Reply> replies;
    const Command both[] = {{"ASK"}, {"PING"}};
    EXPECT_FALSE(connection.run(both, replies).ok()) << size;
    EXPECT_FALSE(connection.refused()) << size;
    cuts = false;
    const Result<Reply> got = connection.ask({"ASK"});
    ASSERT_TRUE(got.ok()) << size << ' ' << got.message();
    EXPECT_EQ(got->items[1].text, "ab");
    EXPECT_EQ(server.connections(), 2);
  }
}

TEST_F(ConnectionTest, NoiseIsNoEngine) {
  for (const char* const noise :
       {"HTTP/1.1 400 Bad Request\r\n\r\n", "$x\r\n", "*-5\r\n", "$-2\r\n", ":1x\r\n",
        "*99999999999999999999\r\n", "$99999999999999999999\r\n"}) {
    const Script server([noise](const Command&) { return std::string(noise); });
    Connection connection(server.address());
    const Result<Reply> got = connection.ask({"PING"});
    ASSERT_FALSE(got.ok()) << noise;
    EXPECT_NE(got.message().find("127.0.0.1:" + std::to_string(server.port())), std::string::npos);
  }
}

TEST_F(ConnectionTest, SilenceLastsNoLongerThanTheLimit) {
  const Script server(engine("ASK", "$5\r\nh"));
  Connection connection(server.address(), 3000);
  ASSERT_TRUE(connection.ask({"PING"}).ok());
  EXPECT_FALSE(connection.ask({"ASK"}).ok());
  EXPECT_TRUE(connection.ask({"PING"}).ok()) << "a late answer would be that of another command";
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(ConnectionTest, FollowsASlotThatMovedButNotInACircle) {
  const Script primary(engine("ASK", ":5\r\n"));
  const Script elsewhere(
      engine("GET", "-MOVED 12 127.0.0.1:" + std::to_string(primary.port()) + "\r\n"));
  Connection connection(elsewhere.address());
  const Result<Reply> got = connection.ask({"ASK"});
  ASSERT_TRUE(got.ok()) << got.message();
  EXPECT_EQ(got->integer, 5);
  EXPECT_EQ(connection.peer(), "127.0.0.1:" + std::to_string(primary.port()));

  // Without a host the redirection means the server that sent it, here itself; the second server is
  // a replica that names itself as its own primary.
  std::string port;
  const Script itself([&port](const Command& command) {
    return engine("GET", "-MOVED 12 :" + port + "\r\n")(command);
  });
  port = std::to_string(itself.port());
  Connection turning(itself.address());
  EXPECT_FALSE(turning.ask({"ASK"}).ok());
  EXPECT_EQ(itself.connections(), 3);
  for (const char* const bad : {"-MOVED 12 h:0\r\n", "-MOVED 12 h:65536\r\n", "-MOVED 12 h\r\n"}) {
    const Script wrong(engine("GET", bad));
    Connection lost(wrong.address());
    EXPECT_FALSE(lost.ask({"ASK"}).ok()) << bad;
    EXPECT_EQ(wrong.connections(), 1) << bad;
  }
}

TEST_F(ConnectionTest, BugAStoredVersionThatReadsLikeAMoveWasFollowed) {
  const Script primary(engine("ASK", ":5\r\n"));
  const Script stored(engine("GET", bulk("MOVED 12 127.0.0.1:" + std::to_string(primary.port()))));
  Connection connection(stored.address());
  const Result<Reply> got = connection.ask({"ASK"});
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.message().find("is of version \"MOVED 12"), std::string::npos) << got.message();
  EXPECT_TRUE(connection.refused());
  EXPECT_EQ(primary.connections(), 0);
}

TEST_F(ConnectionTest, TellsWhatAskingAgainDoesNotChange) {
  struct Case {
    const char *command, *answer;
    bool refused;
    const char* said;
  };
  for (const Case& one : {
           Case{"AUTH", "-WRONGPASS no\r\n", true, "refuses the password"},
           Case{"ROLE", "-NOAUTH Authentication required.\r\n", true, "SPINNERET_REDIS_PASSWORD"},
           Case{"ROLE", "-LOADING Redis is loading\r\n", false, "LOADING"},
           Case{"ROLE", "*1\r\n$5\r\nslave\r\n", false, "is a replica"},
           Case{"ROLE", "*0\r\n", false, "is a replica"},
           Case{"GET", "$1\r\n2\r\n", true, "is of version \"2\""},
           Case{"GET", "-WRONGTYPE Operation\r\n", true, "another program's key"},
           Case{"SCRIPT", "-NOPERM no\r\n", true, "NOPERM"},
           Case{"ASK", "-NOSCRIPT No matching script\r\n", false, "NOSCRIPT"},
           Case{"ASK", "-READONLY You can't write\r\n", false, "is a replica, and takes no writes"},
           Case{"ASK", "-ERR unknown command\r\n", false, "unknown command"},
           Case{"ASK", "-OOM command not allowed when used memory > 'maxmemory'.\r\n", false,
                ": its memory is full, and it takes nothing more"},
           Case{"ASK", "-ERR Error running script: @user_script:5: -OOM command not allowed\r\n",
                false, ": its memory is full, and it takes nothing more"},
           Case{"ASK",
                "-NOREPLICAS Not enough good replicas to write. script: 8f86, on "
                "@user_script:5.\r\n",
                false, ": too few of its replicas answer, and it takes nothing more: start them"},
           Case{"ASK", "-MISCONF Redis is configured to save\r\n", false,
                ": cannot save to its disk, and takes nothing more"},
       }) {
    const Script server(engine(one.command, one.answer));
    Connection connection(server.address("/crawl", ":secret@"));
    connection.add_script("return 1");
    const Result<Reply> got = connection.ask({"ASK"});
    ASSERT_FALSE(got.ok()) << one.answer;
    EXPECT_NE(got.message().find(one.said), std::string::npos) << got.message();
    EXPECT_EQ(got.message().find("secret"), std::string::npos) << got.message();
    EXPECT_EQ(connection.refused(), one.refused) << one.answer;
  }
}

TEST_F(ConnectionTest, ASentinelThatKnowsNoPrimarySaysSo) {
  for (const auto& [answer, said] :
       {std::pair("*-1\r\n", "knows no primary named main"),
        std::pair("-ERR unknown command\r\n", "is not a Sentinel"),
        std::pair("*1\r\n$1\r\nh\r\n", "knows no primary"),
        std::pair("*2\r\n$1\r\nh\r\n$1\r\n0\r\n", "main is at port"),
        // Bug: 2^32 + 6379 was taken for 6379.
        std::pair("*2\r\n$1\r\nh\r\n$10\r\n4294973675\r\n", "main is at port")}) {
    const Script server(engine("SENTINEL", answer));
    Connection connection(server.address("/crawl?sentinel=main"));
    const Result<Reply> got = connection.ask({"ASK"});
    ASSERT_FALSE(got.ok());
    EXPECT_NE(got.message().find(said), std::string::npos) << got.message();
  }
}

}  // namespace
}  // namespace spinneret::resp
