// SPDX-License-Identifier: Apache-2.0
// Runs brokers on loopback, librdkafka's mock cluster. Their addresses go to standard output, and
// they end with standard input. Each line there is a command: "down N", "up N".
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <cstdio>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::stoi(argv[1]) : 3;
  char trouble[512];
  rd_kafka_t* const link =
      rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), trouble, sizeof trouble);
  rd_kafka_mock_cluster_t* const cluster =
      link == nullptr ? nullptr : rd_kafka_mock_cluster_new(link, count);
  if (cluster == nullptr) return 1;
  std::printf("%s\n", rd_kafka_mock_cluster_bootstraps(cluster));
  std::fflush(stdout);
  std::string word;
  int broker = 0;
  while (std::cin >> word >> broker) {
    if (word == "down") rd_kafka_mock_broker_set_down(cluster, broker);
    if (word == "up") rd_kafka_mock_broker_set_up(cluster, broker);
  }
  rd_kafka_mock_cluster_destroy(cluster);
  rd_kafka_destroy(link);
  return 0;
}
