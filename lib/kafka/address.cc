// SPDX-License-Identifier: Apache-2.0
#include "kafka/address.h"

#include <algorithm>
#include <array>

#include "base/service_url.h"

namespace spinneret::kafka {
namespace {

constexpr int kPort = 9092;
constexpr std::array<std::string_view, 5> kWords = {"security.protocol", "sasl.mechanisms",
                                                    "ssl.ca.location", "ssl.certificate.location",
                                                    "ssl.key.location"};

}  // namespace

Result<Address> parse_address(std::string_view text, const std::string& crawl) {
  ServiceUrl url;
  if (!parse_service_url(text, kPort, url) || url.scheme != "kafka" || !url.path.empty())
    return Error{"Kafka is named as kafka://host[:port][,host...]"};
  if (!url.user.empty() || !url.password.empty()) {
    return Error{
        "a user of Kafka's and its password go into SPINNERET_KAFKA_USER and "
        "SPINNERET_KAFKA_PASSWORD"};
  }
  for (const auto& [name, value] : url.words) {
    if (std::find(kWords.begin(), kWords.end(), name) == kWords.end() || value.empty()) {
      return Error{
          "Kafka's address takes after its ? security.protocol, sasl.mechanisms, ssl.ca.location, "
          "ssl.certificate.location, ssl.key.location"};
    }
  }
  Address address{{}, crawl, std::move(url.words)};
  for (const ServiceHost& host : url.hosts)
    address.brokers += (address.brokers.empty() ? "" : ",") + text_of(host);
  return address;
}

}  // namespace spinneret::kafka
