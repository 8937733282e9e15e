// SPDX-License-Identifier: Apache-2.0
// Where each host stands with its robots.txt. The gate is the pipeline stage that checks rules.
// What comes back of a host's pages shows what it knows: they pass, they need rules, or rules are
// unavailable for a while. The state itself is in Host::rules.
//
//             need()                     send()
//   kUntried --------------> kWanted --------------> kFlying
//      ^ |                     ^  ^     recalled()      |
//      | | pass()              |  `---------------------|
//      | v                     | hold(), if the host    |
//      | kHad                  | is silent              | landed(): the stage that learns rules
//      `-----------------------+------------------------' has them now; the page asks again
//
// Rules that are wanted go out before anything else of the host; while they are untried, one page
// goes ahead of all others. A page fails if its rules were fetched three times and are still
// needed, or if their address is refused. If rules are unavailable as often as a URL has tries,
// nothing more is asked of the host.
//
// Borrows the hosts. Not thread-safe. Cost: O(1), and a string for each host whose rules are
// wanted.
#ifndef SPINNERET_FRONTIER_GATE_H_
#define SPINNERET_FRONTIER_GATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/outcome.h"
#include "frontier/host_table.h"
#include "url/parse.h"

namespace spinneret::frontier {

class Gate {
 public:
  // `tries`: after how many times without rules a host is given up.
  Gate(HostTable& hosts, std::uint32_t tries) : hosts_(hosts), tries_(tries) {}

  // Treats every host as one whose rules are known: none is probed with one URL first.
  void assume_rules() { first_ = Rules::kHad; }
  Rules stage_of(const Host& host) const {
    return host.rules == Rules::kUntried ? first_ : host.rules;
  }

  // The URL of rules that are wanted. Call send() as they go out, recalled() where the request did
  // not arrive.
  const std::string& url_of(HostSlot slot) const { return urls_.at(slot); }
  void send(HostSlot slot) { hosts_.host(slot).rules = Rules::kFlying; }
  void recalled(HostSlot slot) { hosts_.host(slot).rules = Rules::kWanted; }
  // Notes that the request for rules has come back. `silent`: without any answer. `refused`: why
  // its address may not be asked.
  void landed(HostSlot slot, bool silent, std::optional<std::string_view> refused);

  // Notes that a page has passed the gate.
  void pass(HostSlot slot);

  // Notes that a page needs `url` first. Returns nothing if it waits for that, else why it has
  // failed.
  struct Failed {
    Outcome outcome = Outcome::kAborted;
    std::string why;
  };
  std::optional<Failed> need(HostSlot slot, std::string_view url);

  // Notes that a page may not be fetched yet, although no rule forbids it: its rules are
  // unavailable (RFC 9309, section 2.3.1.4), or the host does not want to be visited at this hour.
  enum class Hold : std::uint8_t {
    kAlready,  // it is held already, waits for rules, or was given up
    kDown,     // it is silent: Patience decides, by growing gaps
    kHeld,     // it is left alone for as long as the gate says
    kNoRules,  // its rules were unavailable too often
  };
  Hold hold(HostSlot slot, std::string_view reason, std::int64_t mono_ms);
  // Leaves the host alone for `ms`, and notes why in its row, for people.
  void keep_back(HostSlot slot, const Moment& now, std::int64_t ms, std::string_view reason);
  // Notes in a host's row the reason of the gate for which it is given up.
  void note_reason(HostSlot slot, std::string_view reason);

  // Returns a sentence for the user about a host that is left alone for `ms`; only for the first
  // long ones.
  std::optional<std::string> tell(const Host& host, const std::string& why, std::int64_t ms);
  static std::string why_held(const HostRow& row, std::string_view reason);

 private:
  HostTable& hosts_;
  std::uint32_t tries_;
  Rules first_ = Rules::kUntried;
  std::unordered_map<HostSlot, std::string> urls_;  // URLs of the rules that are wanted
  // Why, of hosts whose robots.txt has a refused address.
  std::unordered_map<HostSlot, std::string> refused_;
  std::uint32_t told_ = 0;
  Url url_;  // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_GATE_H_
