// SPDX-License-Identifier: Apache-2.0
// Replaces kafka_bus.cc where librdkafka is missing.
#include <utility>

#include "kafka/kafka_bus.h"

namespace spinneret::kafka {
namespace {

const Error kAbsent{"this build has no Kafka: librdkafka was not there (librdkafka-dev)"};

}  // namespace

struct KafkaBus::Client {};
struct KafkaBus::Reading {};

bool is_built_in() { return false; }
KafkaBus::KafkaBus(Address address, std::int64_t limit_ms)
    : address_(std::move(address)), limit_ms_(limit_ms) {}
KafkaBus::~KafkaBus() = default;
Status KafkaBus::publish(std::span<const bus::Item>, std::vector<bus::Appended>&) {
  return kAbsent;
}
Status KafkaBus::read(std::span<bus::Cursor>, std::size_t, std::int64_t,
                      std::vector<bus::Message>&) {
  return kAbsent;
}
Status KafkaBus::trim_each(std::span<const Trim>, std::vector<bool>&) { return kAbsent; }
Result<int> KafkaBus::brokers() { return kAbsent; }

}  // namespace spinneret::kafka
