// SPDX-License-Identifier: Apache-2.0
// The four jobs of link-bus(1), and what they share.
#ifndef SPINNERET_LINK_BUS_H_
#define SPINNERET_LINK_BUS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/tool.h"
#include "engine/engine.h"
#include "lease/lease.h"
#include "pg/address.h"
#include "resp/address.h"

namespace spinneret::link_bus {

// Returns milliseconds of a clock that does not jump.
std::int64_t now_ms();
// Returns `kind` and 16 hexadecimal digits that no other node has.
std::string node_name(std::string_view kind);
// Returns the number that --partition gives; no value where it is absent.
std::optional<std::uint32_t> partition_of(const cli::Options& options);
// Checks that --partition is one of so many; 0: their number is not known.
Status check_partition(const cli::Options& options, std::uint32_t partitions);
// Returns the number of partitions: that of the option, or that with which the crawl was begun
// ("partitions=16 ..."); 0 where neither is known.
Result<std::uint32_t> partitions_of(cli::Tool& tool, lease::Leases& leases);

// Reports once when the engine goes away, and once when it is back.
class Engine {
 public:
  explicit Engine(cli::Tool& tool) : tool_(tool) {}
  bool note(const Status& status) {
    if (status.ok() && away_) tool_.notice("the engine is back");
    if (!status.ok() && !away_) tool_.notice(status.message() + ": trying again");
    away_ = !status.ok();
    return status.ok();
  }

 private:
  cli::Tool& tool_;
  bool away_ = false;
};

// Each is the tool's whole run, and returns its exit status.
int send(cli::Tool& tool, const engine::Address& address);
int receive(cli::Tool& tool, const engine::Address& address);
int tail(cli::Tool& tool, const engine::Address& address);
// Prints a line for each thing examined: "ok" or "bad", what it is, and what to do. Returns 1 where
// something is bad.
int check(cli::Tool& tool, const engine::Address& address);
int check_resp(cli::Tool& tool, const resp::Address& address);
int check_pg(cli::Tool& tool, const pg::Address& address);

}  // namespace spinneret::link_bus

#endif  // SPINNERET_LINK_BUS_H_
