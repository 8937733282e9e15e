// SPDX-License-Identifier: Apache-2.0
// Where a crawl's Kafka is: kafka://host[:port][,host[:port]...][?WORD=VALUE[&...]]
//
// The words are librdkafka's own: security.protocol, sasl.mechanisms, ssl.ca.location, ssl.certificate.location,
// ssl.key.location. A user and its password are in SPINNERET_KAFKA_USER and SPINNERET_KAFKA_PASSWORD, never in the address.
#ifndef SPINNERET_KAFKA_ADDRESS_H_
#define SPINNERET_KAFKA_ADDRESS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace spinneret::kafka {

struct Address {
  std::string brokers;  // "b1:9092,b2:9092"
  std::string crawl;    // whose streams the topics are: spinneret.CRAWL.STREAM
  std::vector<std::pair<std::string, std::string>> words;
};

// `crawl` becomes part of the topics' names. An Error says what the address lacks or has too much: it is the caller's
// message as it stands.
Result<Address> parse_address(std::string_view url, const std::string& crawl);

}  // namespace spinneret::kafka

#endif  // SPINNERET_KAFKA_ADDRESS_H_
