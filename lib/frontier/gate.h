// SPDX-License-Identifier: Apache-2.0
// Where a host stands with its robots.txt, as the stage that keeps the rules tells it by what comes back of the host's
// pages: they pass, they ask for rules, or there are none to be had for a while. The state itself is in Host::rules.
//
//             need()                     send()
//   kUntried --------------> kWanted --------------> kFlying
//      ^ |                     ^  ^     recalled()      |
//      | | pass()              |  `---------------------|
//      | v                     | hold(), of one that    |
//      | kHad                  | is silent              | landed(): whoever learns rules has them by now, and the
//      `-----------------------+------------------------'           page asks again
//
// While rules are wanted they go out before anything else of the host; untried, one page goes ahead of all others. Asked for
// three times and still needed, or of a refused address: the page fails by it. No rules to be had for so many times as a URL
// has tries: nothing more is asked of the host.
//
// Borrowed: the hosts. Not thread-safe. Cost: O(1), and a string for each host whose rules are wanted.
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
  // `tries`: how often a host may have no rules to be had.
  Gate(HostTable& hosts, std::uint32_t tries) : hosts_(hosts), tries_(tries) {}

  // Hosts are taken to have had their rules: none is probed with one URL first.
  void assume_rules() { first_ = Rules::kHad; }
  Rules stage_of(const Host& host) const {
    return host.rules == Rules::kUntried ? first_ : host.rules;
  }

  // Of a host whose rules are wanted: their URL. send() as it goes out, recalled() where it did not arrive.
  const std::string& url_of(HostSlot slot) const { return urls_.at(slot); }
  void send(HostSlot slot) { hosts_.host(slot).rules = Rules::kFlying; }
  void recalled(HostSlot slot) { hosts_.host(slot).rules = Rules::kWanted; }
  // It has come back, whatever with. `silent`: without any answer. `refused`: its address may not be asked; why.
  void landed(HostSlot slot, bool silent, std::optional<std::string_view> refused);

  // A page has passed the gate.
  void pass(HostSlot slot);

  // A page needs `url` first. Nothing: it waits for that. Else it has failed, and why.
  struct Failed {
    Outcome outcome = Outcome::kAborted;
    std::string why;
  };
  std::optional<Failed> need(HostSlot slot, std::string_view url);

  // A page may not be fetched yet, although no rule forbids it: there are no rules to be had (RFC 9309, section 2.3.1.4), or
  // the host does not want to be visited at this hour.
  enum class Hold : std::uint8_t {
    kAlready,  // it is held, or was given up
    kDown,     // the host is silent: its patience decides, by growing gaps
    kHeld,     // it is to be left alone for as long as the gate says
    kNoRules,  // that was so too often
  };
  Hold hold(HostSlot slot, std::string_view reason, std::int64_t mono_ms);
  // Leaves the host alone for so long, and notes why in its row, for people.
  void keep_back(HostSlot slot, const Moment& now, std::int64_t ms, std::string_view reason);
  // What the gate said of a host that is given up for it.
  void note_reason(HostSlot slot, std::string_view reason);

  // A sentence for the user, of a host that is left alone for so long: of the first ones that are worth it.
  std::optional<std::string> tell(const Host& host, const std::string& why, std::int64_t ms);
  static std::string why_held(const HostRow& row, std::string_view reason);

 private:
  HostTable& hosts_;
  std::uint32_t tries_;
  Rules first_ = Rules::kUntried;
  std::unordered_map<HostSlot, std::string> urls_;  // of hosts whose rules are wanted
  std::unordered_map<HostSlot, std::string>
      refused_;  // of hosts whose robots.txt has a refused address: why
  std::uint32_t told_ = 0;
  Url url_;  // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_GATE_H_
