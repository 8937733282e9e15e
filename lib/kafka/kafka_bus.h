// SPDX-License-Identifier: Apache-2.0
// The bus over Kafka: a topic with one partition for each stream, spinneret.CRAWL.STREAM; a place is an offset. Leases are not
// to be had there: they are in another engine.
//
// A message counts as appended once all replicas that are in sync have it. Topics are made by the brokers when they are first
// written to, with the brokers' own settings: where those make none, topics are to be made beforehand. **A stream is bounded by
// the topic's retention alone**, so no message is refused as too many: what is too old is forgotten, as a bus may.
//
// What is trimmed is not removed (Kafka does that by time): its place is committed for the group spinneret.CRAWL, and a
// cursor in front of all begins behind it. A fence cannot be looked at there; who lost its lease has been told so when it
// wrote its acknowledgements, which is done before (cluster/channel.h), and what is passed over is sent again.
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

// Whether this build can speak to a Kafka at all.
bool is_built_in();

class KafkaBus : public bus::Bus {
 public:
  explicit KafkaBus(Address address, std::int64_t limit_ms = 5000);
  ~KafkaBus() override;

  Status publish(std::span<const bus::Item> items, std::vector<bus::Appended>& outcomes) override;
  Status read(std::span<bus::Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
              std::vector<bus::Message>& messages) override;
  Result<bool> trim(std::string_view stream, const bus::Place& through,
                    const bus::Fence& fence) override;
  // How many brokers there are.
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
};

}  // namespace spinneret::kafka

#endif  // SPINNERET_KAFKA_KAFKA_BUS_H_
