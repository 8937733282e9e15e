// SPDX-License-Identifier: Apache-2.0
#include "kafka/kafka_bus.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/number.h"

namespace spinneret::kafka {
namespace {

// How long a probe waits for brokers that were away; nothing else is done meanwhile.
constexpr int kProbeMs = 500;
// A stream that does not exist yet makes the consumer begin anew no more often than this, since
// that reads all other streams anew.
constexpr std::int64_t kPlaceMs = 1000;

std::int64_t now_ms() { return system_clock().monotonic_ns() / 1'000'000; }

// Returns the offset of the last message that was read; -1: none was.
std::int64_t offset_of(const bus::Place& place) {
  const auto number = parse_unsigned(place.id);
  return number ? static_cast<std::int64_t>(*number) : -1;
}

}  // namespace

struct KafkaBus::Client {
  explicit Client(std::string its_brokers) : brokers(std::move(its_brokers)) {}
  ~Client() {
    if (link == nullptr) return;
    if (consumes) {
      rd_kafka_consumer_close(link);
    } else {
      // The sender sends again what is not sent by now.
      rd_kafka_purge(link, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    }
    rd_kafka_destroy(link);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  static void on_error(rd_kafka_t*, int code, const char* reason, void* self) {
    if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) static_cast<Client*>(self)->away = reason;
  }
  static void on_log(const rd_kafka_t*, int, const char*, const char*) {}
  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
    auto* const client = static_cast<Client*>(self);
    --client->under_way;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
      client->refusal = rd_kafka_err2str(message->err);
  }
  // Returns whether a broker answers again. librdkafka reports once that all brokers are down, but
  // never that one is back.
  bool is_back() {
    const rd_kafka_metadata_t* all = nullptr;
    if (rd_kafka_metadata(link, 0, nullptr, &all, kProbeMs) != RD_KAFKA_RESP_ERR_NO_ERROR)
      return false;
    rd_kafka_metadata_destroy(all);
    away.clear();
    return true;
  }
  Error error(const std::string& what) const { return Error{"kafka " + brokers + ": " + what}; }

  std::string brokers;
  rd_kafka_t* link = nullptr;
  bool consumes = false;
  std::string away;     // why no broker could be reached; empty: one can
  std::string refusal;  // why a message was refused, since this was last cleared
  std::size_t under_way = 0;
};

struct KafkaBus::Reading {
  std::string stream;
  std::int64_t last = -1;  // the offset that was given last
};

bool is_built_in() { return true; }

KafkaBus::KafkaBus(Address address, std::int64_t limit_ms)
    : address_(std::move(address)), limit_ms_(limit_ms) {}
KafkaBus::~KafkaBus() = default;

Status KafkaBus::connect(std::unique_ptr<Client>& client, bool consumes) {
  if (client != nullptr) return {};
  auto made = std::make_unique<Client>(address_.brokers);
  made->consumes = consumes;
  std::array<char, 512> trouble{};
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  std::vector<std::pair<std::string, std::string>> words = {{"bootstrap.servers", address_.brokers},
                                                            {"client.id", "spinneret"},
                                                            {"reconnect.backoff.max.ms", "1000"}};
  if (consumes) {
    words.insert(words.end(), {{"group.id", "spinneret." + address_.crawl},
                               {"enable.auto.commit", "false"},
                               {"auto.offset.reset", "earliest"},
                               {"allow.auto.create.topics", "true"},
                               {"fetch.wait.max.ms", "100"}});
  } else {
    words.insert(
        words.end(),
        {{"acks", "all"}, {"linger.ms", "2"}, {"message.timeout.ms", std::to_string(limit_ms_)}});
  }
  words.insert(words.end(), address_.words.begin(), address_.words.end());
  for (const auto& [name, variable] : {std::pair{"sasl.username", "SPINNERET_KAFKA_USER"},
                                       std::pair{"sasl.password", "SPINNERET_KAFKA_PASSWORD"}}) {
    if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0')
      words.emplace_back(name, value);
  }
  for (const auto& [name, value] : words) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), trouble.data(), trouble.size()) ==
        RD_KAFKA_CONF_OK)
      continue;
    rd_kafka_conf_destroy(conf);
    // librdkafka's own message quotes the value, which may be a secret.
    return made->error("does not take what is said for " + name);
  }
  rd_kafka_conf_set_opaque(conf, made.get());
  rd_kafka_conf_set_error_cb(conf, Client::on_error);
  rd_kafka_conf_set_log_cb(conf, Client::on_log);
  if (!consumes) rd_kafka_conf_set_dr_msg_cb(conf, Client::on_delivery);
  made->link = rd_kafka_new(consumes ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER, conf, trouble.data(),
                            trouble.size());
  if (made->link == nullptr) {
    rd_kafka_conf_destroy(conf);
    return made->error(trouble.data());
  }
  if (consumes) rd_kafka_poll_set_consumer(made->link);
  client = std::move(made);
  return {};
}

Status KafkaBus::publish(std::span<const bus::Item> items, std::vector<bus::Appended>& outcomes) {
  outcomes.clear();
  if (items.empty()) return {};
  if (const Status done = connect(producer_, false); !done.ok()) return done;
  Client& client = *producer_;
  client.refusal.clear();
  const std::int64_t until = now_ms() + limit_ms_ + 500;
  for (const bus::Item& item : items) {
    const std::string topic = "spinneret." + address_.crawl + "." + std::string(item.stream);
    const rd_kafka_resp_err_t sent =
        rd_kafka_producev(client.link, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(0),
                          RD_KAFKA_V_VALUE(const_cast<char*>(item.bytes.data()), item.bytes.size()),
                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (sent != RD_KAFKA_RESP_ERR_NO_ERROR) {
      client.refusal = rd_kafka_err2str(sent);
      break;
    }
    ++client.under_way;
  }
  while (client.under_way != 0 && now_ms() < until) rd_kafka_poll(client.link, 50);
  const std::string refusal = client.under_way != 0 ? "does not answer" : client.refusal;
  if (refusal.empty()) {
    client.away.clear();
    outcomes.assign(items.size(), bus::Appended::kYes);
    return {};
  }
  const Error error = client.error(refusal + (client.away.empty() ? "" : ": " + client.away));
  producer_.reset();
  return error;
}

// The consumer goes on by itself, behind the messages that it gave. It is assigned anew only where
// a cursor stands elsewhere, or where it may not know where to begin: librdkafka asks for that
// once, and never reads a partition for which it got no answer.
Status KafkaBus::assign(std::span<bus::Cursor> cursors) {
  const bool same = std::equal(cursors.begin(), cursors.end(), reading_.begin(), reading_.end(),
                               [](const bus::Cursor& cursor, const Reading& reading) {
                                 return cursor.stream == reading.stream &&
                                        offset_of(cursor.place) == reading.last;
                               });
  if (same && !(unplaced_ && now_ms() - assigned_ms_ >= kPlaceMs)) return {};
  unplaced_ = false;
  assigned_ms_ = now_ms();
  reading_.clear();
  rd_kafka_topic_partition_list_t* const list =
      rd_kafka_topic_partition_list_new(static_cast<int>(cursors.size()));
  for (const bus::Cursor& cursor : cursors) {
    reading_.push_back({cursor.stream, offset_of(cursor.place)});
    const std::string topic = "spinneret." + address_.crawl + "." + cursor.stream;
    rd_kafka_topic_partition_list_add(list, topic.c_str(), 0)->offset =
        reading_.back().last < 0 ? RD_KAFKA_OFFSET_STORED : reading_.back().last + 1;
  }
  const rd_kafka_resp_err_t assigned = rd_kafka_assign(consumer_->link, list);
  rd_kafka_topic_partition_list_destroy(list);
  if (assigned == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  reading_.clear();
  return consumer_->error(rd_kafka_err2str(assigned));
}

Status KafkaBus::read(std::span<bus::Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
                      std::vector<bus::Message>& messages) {
  messages.clear();
  if (cursors.empty()) return {};
  if (const Status done = connect(consumer_, true); !done.ok()) return done;
  if (const Status done = assign(cursors); !done.ok()) return done;
  std::map<std::string, std::size_t, std::less<>> index;
  const std::size_t head = std::string("spinneret." + address_.crawl + ".").size();
  for (std::size_t i = 0; i < cursors.size(); ++i) index[cursors[i].stream] = i;
  std::vector<std::size_t> given(cursors.size());
  const std::int64_t until = now_ms() + wait_ms;
  for (bool full = false; !full;) {
    const std::int64_t left = messages.empty() ? std::max<std::int64_t>(until - now_ms(), 0) : 0;
    const std::unique_ptr<rd_kafka_message_t, void (*)(rd_kafka_message_t*)> got(
        rd_kafka_consumer_poll(consumer_->link, static_cast<int>(left)), rd_kafka_message_destroy);
    if (got == nullptr) {
      if (left == 0 || now_ms() >= until) break;
      continue;
    }
    // A missing topic, or an offset that no longer exists, is no error: reading begins anew.
    if (got->err != RD_KAFKA_RESP_ERR_NO_ERROR || got->rkt == nullptr) {
      unplaced_ = std::any_of(reading_.begin(), reading_.end(),
                              [](const Reading& one) { return one.last < 0; });
      continue;
    }
    const auto at = index.find(std::string_view(rd_kafka_topic_name(got->rkt)).substr(head));
    if (at == index.end()) continue;
    const std::size_t i = at->second;
    reading_[i].last = got->offset;
    cursors[i].place.id = std::to_string(got->offset);
    messages.push_back(
        {i, cursors[i].place, std::string(static_cast<const char*>(got->payload), got->len)});
    full = ++given[i] == limit;
  }
  // (Messages that came before brokers went away are given first.)
  if (!messages.empty() || consumer_->away.empty() || consumer_->is_back()) return {};
  return consumer_->error(consumer_->away);
}

Status KafkaBus::trim_each(std::span<const Trim> all, std::vector<bool>& trimmed) {
  trimmed.assign(all.size(), true);
  rd_kafka_topic_partition_list_t* const list =
      rd_kafka_topic_partition_list_new(static_cast<int>(all.size()));
  const std::unique_ptr<rd_kafka_topic_partition_list_t, void (*)(rd_kafka_topic_partition_list_t*)>
      owned(list, rd_kafka_topic_partition_list_destroy);
  for (const Trim& one : all) {
    const std::int64_t last = offset_of(one.through);
    if (last < 0) continue;
    const std::string topic = "spinneret." + address_.crawl + "." + one.stream;
    rd_kafka_topic_partition_list_add(list, topic.c_str(), 0)->offset = last + 1;
  }
  if (list->cnt == 0) return {};
  if (const Status done = connect(consumer_, true); !done.ok()) return done;
  // A failed commit does no harm: messages that are not skipped come again, and are recognised.
  const rd_kafka_resp_err_t sent = rd_kafka_commit(consumer_->link, list, /*async=*/1);
  return sent == RD_KAFKA_RESP_ERR_NO_ERROR ? Status() : consumer_->error(rd_kafka_err2str(sent));
}

Result<int> KafkaBus::brokers() {
  if (const Status done = connect(producer_, false); !done.ok()) return done.error();
  const rd_kafka_metadata_t* all = nullptr;
  const rd_kafka_resp_err_t asked =
      rd_kafka_metadata(producer_->link, 0, nullptr, &all, static_cast<int>(limit_ms_));
  if (asked != RD_KAFKA_RESP_ERR_NO_ERROR)
    return producer_->error(std::string(rd_kafka_err2str(asked)) +
                            (producer_->away.empty() ? "" : ": " + producer_->away));
  const int count = all->broker_cnt;
  rd_kafka_metadata_destroy(all);
  return count;
}

}  // namespace spinneret::kafka
