// SPDX-License-Identifier: Apache-2.0
// The bus over Kafka: a topic with one partition for each stream, spinneret.CRAWL.STREAM, in which
// a place is an offset. Kafka has no leases, so these are in another engine.
//
// A message counts as appended once all replicas in sync have it. Brokers create topics when they
// are first written to, with the brokers' settings; where brokers do not create topics, this must
// be done beforehand. **Only the topic's retention bounds a stream**, so no message is refused
// because a stream is full: messages that are too old are forgotten, as a bus may do.
//
// Trimming removes nothing (Kafka does that by time): it commits the place for the group
// spinneret.CRAWL, and a cursor at the beginning starts behind that place. There is no fence on
// this bus. A member that has lost its lease learns so when it writes its acknowledgements, which
// it does before it trims (cluster/channel.h); the messages that it has skipped are sent again.
#ifndef SPINNERET_KAFKA_KAFKA_BUS_H_
#define SPINNERET_KAFKA_KAFKA_BUS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/bus.h"
#include "kafka/address.h"

namespace spinneret::kafka {

// Returns whether this build can speak to a Kafka at all.
bool is_built_in();

class KafkaBus : public bus::Bus {
 public:
  explicit KafkaBus(Address address, std::int64_t limit_ms = 5000);
  ~KafkaBus() override;

  Status publish(std::span<const bus::Item> items, std::vector<bus::Appended>& outcomes) override;
  Status read(std::span<bus::Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
              std::vector<bus::Message>& messages) override;
  Status trim_each(std::span<const Trim> all, std::vector<bool>& trimmed) override;
  // Returns the number of brokers.
  Result<int> brokers();

 private:
  struct Client;
  struct Reading;
  Status connect(std::unique_ptr<Client>& client, bool consumes);
  Status assign(std::span<bus::Cursor> cursors);

  Address address_;
  std::int64_t limit_ms_;
  std::unique_ptr<Client> producer_, consumer_;
  std::vector<Reading> reading_;
  // The beginning of some stream in reading_ may not be known.
  bool unplaced_ = false;
  std::int64_t assigned_ms_ = 0;
};

}  // namespace spinneret::kafka

#endif  // SPINNERET_KAFKA_KAFKA_BUS_H_
