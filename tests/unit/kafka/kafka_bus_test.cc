// SPDX-License-Identifier: Apache-2.0
// Tests what holds for every bus (bus/bus_test.cc), except for budgets, fences and generations,
// which Kafka does not have.
#include "kafka/kafka_bus.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/kafka_engine.h"

namespace spinneret::kafka {
namespace {

using bus::Appended;
using bus::Cursor;
using bus::Message;

std::vector<Appended> publish(KafkaBus& bus, std::string_view stream,
                              const std::vector<std::string>& all) {
  std::vector<bus::Item> items;
  for (const std::string& one : all) items.push_back({stream, one});
  std::vector<Appended> outcomes;
  const Status done = bus.publish(items, outcomes);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.message());
  return outcomes;
}
// Reads exactly `count` messages: one call may give fewer than there are, and the next one all the
// rest.
std::string read(KafkaBus& bus, Cursor& cursor, std::size_t count) {
  std::string all;
  for (std::size_t got = 0, tries = 0; got < count && tries < 100; ++tries) {
    std::vector<Message> messages;
    EXPECT_TRUE(bus.read({&cursor, 1}, count - got, 200, messages).ok());
    EXPECT_LE(messages.size(), count - got);
    got += messages.size();
    for (const Message& one : messages) all += one.bytes + " ";
  }
  return all;
}

TEST(KafkaBus, GivesWhatItGotInOrder) {
  KafkaEngine engine;
  KafkaBus bus(engine.address());
  EXPECT_EQ(publish(bus, "p1", {"a", "b", "c"}), std::vector(3, Appended::kYes));
  Cursor cursor{"p1", {}};
  EXPECT_EQ(read(bus, cursor, 2), "a b ");
  EXPECT_EQ(read(bus, cursor, 1), "c ");
  publish(bus, "p1", {"d"});
  EXPECT_EQ(read(bus, cursor, 1), "d ");
  // Nothing was trimmed: another reader reads all, and goes back as far as its cursor.
  KafkaBus other(engine.address());
  Cursor second{"p1", {}};
  EXPECT_EQ(read(other, second, 4), "a b c d ");
  second.place = {"1"};
  EXPECT_EQ(read(other, second, 2), "c d ");
}

TEST(KafkaBus, CarriesEveryByteAndKnowsItsStreamsApart) {
  KafkaEngine engine;
  KafkaBus bus(engine.address());
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 7);
  publish(bus, "p1", {bytes, std::string("\0\r\n", 3)});
  publish(bus, "p10", {"another"});
  Cursor cursors[] = {{"p10", {}}, {"p1", {}}, {"p2", {}}};
  std::vector<std::string> of[3];
  for (int tries = 0; tries < 100 && of[0].size() + of[1].size() < 3; ++tries) {
    std::vector<Message> messages;
    ASSERT_TRUE(bus.read(cursors, 100, 200, messages).ok());
    for (Message& one : messages) of[one.cursor].push_back(std::move(one.bytes));
  }
  EXPECT_EQ(of[0], std::vector<std::string>{"another"});
  EXPECT_EQ(of[1], (std::vector{bytes, std::string("\0\r\n", 3)}));
  EXPECT_TRUE(of[2].empty());
}

TEST(KafkaBus, WhoBeginsAnewBeginsBehindWhatWasTrimmed) {
  KafkaEngine engine;
  {
    KafkaBus bus(engine.address());
    publish(bus, "p1", {"a", "b", "c"});
    Cursor cursor{"p1", {}};
    EXPECT_EQ(read(bus, cursor, 2), "a b ");
    ASSERT_TRUE(*bus.trim("p1", cursor.place, {}));
    ASSERT_TRUE(*bus.trim("p1", {}, {}));
  }
  KafkaBus bus(engine.address());
  Cursor cursor{"p1", {}};
  EXPECT_EQ(read(bus, cursor, 1), "c ");
}

TEST(KafkaBus, IsAwayWhereNoBrokerIsAndComesBack) {
  KafkaEngine engine;
  KafkaBus bus(engine.address(), 3000);
  publish(bus, "p1", {"a"});
  ASSERT_EQ(*bus.brokers(), 1);
  engine.set_up(false);
  const bus::Item item{"p1", "b"};
  std::vector<Appended> outcomes;
  const Status done = bus.publish({&item, 1}, outcomes);
  ASSERT_FALSE(done.ok());
  EXPECT_TRUE(done.message().starts_with("kafka 127.0.0.1:")) << done.message();
  EXPECT_FALSE(bus.brokers().ok());
  engine.set_up(true);
  const bus::Item again{"p1", "c"};
  int tries = 0;
  while (!bus.publish({&again, 1}, outcomes).ok() && ++tries < 30) {
  }
  EXPECT_LT(tries, 30);
  Cursor cursor{"p1", {}};
  // A message whose publication failed may be there all the same.
  std::string all;
  while (all.find('c') == std::string::npos && ++tries < 60) all += read(bus, cursor, 1);
  EXPECT_TRUE(all.starts_with("a ") && all.ends_with("c ")) << all;
}

// Bug: one read reported that brokers were away, and the next forgot it: the crawl said that the
// engine answered again, or took links again, while it was away.
TEST(KafkaBus, ReadsFailForAsLongAsBrokersAreAway) {
  KafkaEngine engine;
  KafkaBus bus(engine.address(), 3000);
  publish(bus, "p1", {"a"});
  Cursor cursor{"p1", {}};
  EXPECT_EQ(read(bus, cursor, 1), "a ");
  std::vector<Message> messages;
  engine.set_up(false);
  int tries = 0;
  while (bus.read({&cursor, 1}, 1, 100, messages).ok() && ++tries < 600) {
  }
  ASSERT_LT(tries, 600);
  for (int again = 0; again < 5; ++again) {
    const Status done = bus.read({&cursor, 1}, 1, 0, messages);
    ASSERT_FALSE(done.ok()) << again;
    EXPECT_TRUE(done.message().starts_with("kafka 127.0.0.1:")) << done.message();
  }
  // Brokers that are back have nothing to give, and answer all the same.
  engine.set_up(true);
  for (tries = 0; !bus.read({&cursor, 1}, 1, 100, messages).ok() && tries < 600; ++tries) {
  }
  ASSERT_LT(tries, 600);
  EXPECT_TRUE(messages.empty());
  EXPECT_EQ(cursor.place.id, "0");
}

// Bug: where brokers went away, or another one became the group's, while a reader asked for its
// place, the reader read nothing any more, without an error: the crawl stood still until somebody
// began it anew.
TEST(KafkaBus, WhoIsNotToldItsPlaceAsksAgain) {
  for (const rd_kafka_resp_err_t error :
       {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
        RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__TRANSPORT}) {
    KafkaEngine engine;
    KafkaBus bus(engine.address());
    publish(bus, "p1", {"a"});
    engine.refuse_place(error);
    Cursor cursor{"p1", {}};
    std::vector<Message> messages;
    for (int tries = 0; messages.empty() && tries < 100; ++tries)
      (void)bus.read({&cursor, 1}, 1, 200, messages);
    EXPECT_EQ(messages.size(), 1U) << rd_kafka_err2name(error);
  }
}

TEST(KafkaBus, AllIsPassedOverByOneCommit) {
  KafkaEngine engine;
  {
    KafkaBus bus(engine.address());
    std::vector<bus::Bus::Trim> all;
    for (const char* const stream : {"p1", "p2", "p3"}) {
      publish(bus, stream, {"a", "b"});
      Cursor cursor{stream, {}};
      EXPECT_EQ(read(bus, cursor, 1), "a ");
      all.push_back({stream, stream == std::string("p2") ? bus::Place() : cursor.place, {}});
    }
    std::vector<bool> trimmed;
    ASSERT_TRUE(bus.trim_each(all, trimmed).ok());
    EXPECT_EQ(trimmed, std::vector<bool>(3, true));
    ASSERT_TRUE(bus.trim_each({}, trimmed).ok());
    EXPECT_TRUE(trimmed.empty());
  }
  KafkaBus bus(engine.address());
  Cursor first{"p1", {}}, second{"p2", {}}, third{"p3", {}};
  EXPECT_EQ(read(bus, first, 1), "b ");
  EXPECT_EQ(read(bus, second, 2), "a b ");
  EXPECT_EQ(read(bus, third, 1), "b ");
}

TEST(Address, HasBrokersAndNoPassword) {
  const Result<Address> address =
      parse_address("kafka://b1,b2:9093?security.protocol=ssl&ssl.ca.location=%2Fca.pem", "t");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->brokers, "b1:9092,b2:9093");
  EXPECT_EQ(address->words.size(), 2U);
  for (const char* const bad :
       {"", "kafka://", "redis://h", "kafka://h/topic", "kafka://h:0", "kafka://:secret@h",
        "kafka://me:secret@h", "kafka://h?acks=0", "kafka://h?ssl.ca.location="}) {
    const Result<Address> none = parse_address(bad, "t");
    ASSERT_FALSE(none.ok()) << bad;
    EXPECT_EQ(none.message().find("secret"), std::string::npos);
  }
  // A setting that librdkafka refuses is named, and its value is not.
  KafkaBus bus({"127.0.0.1:1", "t", {{"security.protocol", "secret"}}});
  const Result<int> brokers = bus.brokers();
  ASSERT_FALSE(brokers.ok());
  EXPECT_EQ(brokers.message(),
            "kafka 127.0.0.1:1: does not take what is said for security.protocol");
}

}  // namespace
}  // namespace spinneret::kafka
