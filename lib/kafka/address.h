// SPDX-License-Identifier: Apache-2.0
// The address of a crawl's Kafka: kafka://host[:port][,host[:port]...][?WORD=VALUE[&...]]
//
// The words are librdkafka's own: security.protocol, sasl.mechanisms, ssl.ca.location,
// ssl.certificate.location, ssl.key.location. A user and its password are in SPINNERET_KAFKA_USER
// and SPINNERET_KAFKA_PASSWORD, never in the address.
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
  std::string crawl;    // has the topics spinneret.CRAWL.STREAM
  std::vector<std::pair<std::string, std::string>> words;
};

// `crawl` becomes part of the topics' names. An Error says what is missing or not allowed in the
// address, and can be shown to the user as it is.
Result<Address> parse_address(std::string_view url, const std::string& crawl);

}  // namespace spinneret::kafka

#endif  // SPINNERET_KAFKA_ADDRESS_H_
