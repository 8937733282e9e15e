// SPDX-License-Identifier: Apache-2.0
// The frontiers behind one pipeline. Finds out to which of them each line of the pipeline's output
// belongs.
//
// The guarantee rests on order (frontier.h): a page's links come before its record. With one
// frontier each line is handed on at once. With several, lines are held until the record after
// them tells their partition. Lines held when a pipeline dies are lost, and the page is requested
// again.
//
// Cost: none with one frontier; with several, a copy of each link, and a look-up in the public
// suffix list for each record. Not thread-safe.
#ifndef SPINNERET_LOOP_SHARES_H_
#define SPINNERET_LOOP_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "frontier/frontier.h"
#include "loop/share.h"
#include "loop/voice.h"
#include "loop/wire.h"
#include "url/parse.h"
#include "url/partition.h"
#include "url/parts_by_host.h"

namespace spinneret::loop {

class Shares {
 public:
  // What the lines have shown about the pipeline.
  struct Signs {
    bool life = false;    // it works
    bool ending = false;  // one of its stages has stopped
  };

  // All arguments are borrowed. `partitions` is set if there may be several shares.
  explicit Shares(Voice& voice, const Partitions* partitions = nullptr)
      : voice_(voice), partitions_(partitions) {
    if (partitions != nullptr) parts_.emplace(*partitions);
  }

  // Adds a share, which is borrowed.
  void add(Share& share) { all_.push_back(&share); }
  // Removes a share. Its pages of this run still count in the progress line.
  void remove(Share& share);
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  // Share::may_copy() of all shares.
  Status may_copy() const;

  std::size_t in_flight() const;
  std::uint64_t waiting() const;
  // The URL in flight; call it only if there is exactly one.
  std::string_view any_in_flight() const;

  // Shows the progress of all shares together.
  void show_progress();
  void finish_progress();

  // Begins with a new pipeline: its lines are numbered from 1.
  void begin_pipeline();
  // Takes whole lines. Keeps no view of them.
  void take_run(std::string_view run);
  void skip_line();
  Signs take_signs() { return std::exchange(signs_, {}); }
  // drop_tail() drops links that no record has followed. seal() keeps them, if nothing is in flight
  // any more.
  void drop_tail();
  void seal();
  // Handles the pipeline's death with URLs in flight. Returns whether one of them was found guilty.
  bool blame_flights(bool fresh);

 private:
  frontier::Statistics sum() const;
  void take_line(std::string_view line);
  void take_settled(std::string_view line);
  void note_late();
  // Returns the share that a URL belongs to; nullptr if it is not here.
  Share* of(std::string_view url);
  void hold(std::string_view line);
  void give_held(Share& share);
  static bool is_refused_link(std::string_view line, Outcome outcome);

  Voice& voice_;
  const Partitions* partitions_;
  std::optional<PartsByHost> parts_;
  std::vector<Share*> all_;
  frontier::Statistics gone_;  // pages, bytes and outcomes of removed shares
  Wire wire_;
  frontier::Settled settled_;
  std::uint64_t lines_ = 0;  // number of lines from the current pipeline
  // Pages that were not sent in time, and the number at which this is reported next.
  std::uint64_t late_ = 0, next_late_ = 32;
  Signs signs_;
  std::string held_;  // lines whose partition is not known yet
  std::uint64_t held_items_ = 0;
  Url url_;  // reused
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_SHARES_H_
