// SPDX-License-Identifier: Apache-2.0
// What the parts of link-bus(1) share, and its four jobs.
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

// Milliseconds of the clock that does not jump.
std::int64_t now_ms();
// `kind` and 16 hexadecimal digits that nobody else has.
std::string node_name(std::string_view kind);
// What --partition names, if it is given.
std::optional<std::uint32_t> partition_of(const cli::Options& options);
// Whether that is one of so many; 0: nobody has said how many.
Status check_partition(const cli::Options& options, std::uint32_t partitions);
// P, by the option or by what the crawl was begun with ("partitions=16 ..."); 0: neither says.
Result<std::uint32_t> partitions_of(cli::Tool& tool, lease::Leases& leases);

// Tells once when the engine goes, and once when it is back.
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

// Each is the tool's whole run, and gives its exit status.
int send(cli::Tool& tool, const engine::Address& address);
int receive(cli::Tool& tool, const engine::Address& address);
int tail(cli::Tool& tool, const engine::Address& address);
// A line for each thing looked at: "ok" or "bad", what, and what to do; 1 where something is bad.
int check(cli::Tool& tool, const engine::Address& address);
int check_resp(cli::Tool& tool, const resp::Address& address);
int check_pg(cli::Tool& tool, const pg::Address& address);

}  // namespace spinneret::link_bus

#endif  // SPINNERET_LINK_BUS_H_
