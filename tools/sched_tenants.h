// SPDX-License-Identifier: Apache-2.0
// The partitions of a machine as they come and go behind its one pipeline: takes those of its fair
// share (sched_holding.h), hands some over, lets one that cannot go on rest, and sees that all
// together ask for no more pages than the crawl may.
//
//   Tenants tenants(estate, mailbox, voice, log);        // the driver's landlord
//   const int status = loop::Driver(...).run();
//   return tenants.leave(shares, status);
#ifndef SPINNERET_TOOLS_SCHED_TENANTS_H_
#define SPINNERET_TOOLS_SCHED_TENANTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "cluster/quota.h"
#include "cluster/rests.h"
#include "loop/driver.h"
#include "loop/shares.h"
#include "loop/voice.h"
#include "report/page_log.h"
#include "sched_added.h"
#include "sched_holding.h"
#include "sched_roster.h"

namespace spinneret {

class Tenants : public loop::Landlord {
 public:
  // Borrows all. `log` may be nullptr.
  Tenants(const Estate& estate, Mailbox& mailbox, loop::Voice& voice, report::PageLog* log,
          AddedSeeds& added);

  // The signal that ends the work here: one that came, or SIGTERM where this machine is to leave.
  int stop_signal() const;
  bool look(loop::Shares& shares) override;
  void give_up(loop::Share& share, bool lost) override;
  bool over() override { return ended_ && holdings_.empty(); }

  // To be called after the run, which ended with `status`. Returns the program's exit status.
  int leave(loop::Shares& shares, int status);

 private:
  void speak();
  void say_last_words(const loop::Share& share);
  cluster::Quota::Own asked(const loop::Shares& shares) const;
  void measure(const loop::Shares& shares, bool anew);
  void share_visits(const loop::Shares& shares);
  bool move_on(loop::Shares& shares);
  bool let_go(loop::Shares& shares, std::uint32_t p, Holding& holding);
  void balance();
  void hand_over(const std::vector<std::uint32_t>& liked, std::size_t running, std::size_t fair,
                 std::int64_t now);
  std::size_t fair_part();
  bool is_orphan(std::uint32_t p, std::int64_t now);
  bool lacks_others(const loop::Shares& shares);
  bool has_lived_long(const Holding& holding) const;
  void heed_what_goes_on();
  void count(std::uint32_t p, const Holding& holding);

  const Estate& estate_;
  Mailbox& mailbox_;
  loop::Voice& voice_;
  report::PageLog* log_;
  AddedSeeds& added_;
  std::int64_t beat_ms_;
  Roster roster_;
  std::map<std::uint32_t, std::unique_ptr<Holding>> holdings_;
  std::map<std::uint32_t, bool> given_up_;  // partitions, and whether the lease was lost
  std::map<std::uint32_t, std::int64_t> leaving_since_;
  std::map<std::uint32_t, std::int64_t> free_since_;
  std::size_t extra_ = 0;  // partitions beyond the fair share, which nobody else would take
  std::uint32_t machines_ = 0;
  int idle_looks_ = 0;  // in a row, at which the only work left was in partitions that nobody holds
  cluster::Rests rests_;
  cluster::Quota quota_;
  std::int64_t begun_ms_ = 0, look_ms_ = 0;
  bool ended_ = false, alone_ = false;
  int status_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_SCHED_TENANTS_H_
