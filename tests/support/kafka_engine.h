// SPDX-License-Identifier: Apache-2.0
// Brokers within the test program, for its own use: librdkafka's mock cluster. Where the build has
// no Kafka client there are none.
#ifndef SPINNERET_TESTS_SUPPORT_KAFKA_ENGINE_H_
#define SPINNERET_TESTS_SUPPORT_KAFKA_ENGINE_H_

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <cstdint>
#include <string>

#include "kafka/address.h"

namespace spinneret {

class KafkaEngine {
 public:
  KafkaEngine() {
    char trouble[512];
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    link_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, trouble, sizeof trouble);
    cluster_ = rd_kafka_mock_cluster_new(link_, 1);
  }
  ~KafkaEngine() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(link_);
  }
  KafkaEngine(const KafkaEngine&) = delete;
  KafkaEngine& operator=(const KafkaEngine&) = delete;

  kafka::Address address() const { return {rd_kafka_mock_cluster_bootstraps(cluster_), "t", {}}; }
  void set_up(bool up) {
    if (up) {
      rd_kafka_mock_broker_set_up(cluster_, 1);
    } else {
      rd_kafka_mock_broker_set_down(cluster_, 1);
    }
  }

  // Makes the next request for a consumer's offset fail with this error.
  void refuse_place(rd_kafka_resp_err_t error) {
    constexpr std::int16_t kOffsetFetch = 9;
    rd_kafka_mock_push_request_errors(cluster_, kOffsetFetch, 1, error);
  }

 private:
  rd_kafka_t* link_;
  rd_kafka_mock_cluster_t* cluster_;
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_KAFKA_ENGINE_H_
