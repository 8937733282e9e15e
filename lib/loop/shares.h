// SPDX-License-Identifier: Apache-2.0
// The frontiers behind one pipeline, and to which of them each line of its output belongs.
//
// The guarantee rests on order (frontier.h): a page's links come before its record. With one frontier everything is
// its own as it comes. With several, lines are held until the record behind them says to which partition they belong.
// A pipeline that dies takes the held lines with it, and the page is asked for again.
//
// Cost: none with one frontier; with several a copy of each link, and a look at the public suffix list for each
// record. Not thread-safe.
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
  // What its lines have shown about the pipeline.
  struct Signs {
    bool life = false;    // it works
    bool ending = false;  // one of its stages has stopped
  };

  // Borrowed. `partitions` is set where there may be several shares.
  explicit Shares(Voice& voice, const Partitions* partitions = nullptr)
      : voice_(voice), partitions_(partitions) {
    if (partitions != nullptr) parts_.emplace(*partitions);
  }

  // Borrowed.
  void add(Share& share) { all_.push_back(&share); }
  // What it has fetched in this run stays in what the progress line says.
  void remove(Share& share);
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  // As Share::may_copy(), of all.
  Status may_copy() const;

  std::size_t in_flight() const;
  std::uint64_t waiting() const;
  // The URL of the only flight.
  std::string_view any_in_flight() const;

  // Shows the progress of all shares together.
  void show_progress();
  void finish_progress();

  // A new pipeline begins: its lines are numbered from 1.
  void begin_pipeline();
  // Takes whole lines, and keeps no view of them.
  void take_run(std::string_view run);
  void skip_line();
  Signs take_signs() { return std::exchange(signs_, {}); }
  // Drops lines that no record has followed or, if nothing is in flight, takes them as they are.
  void drop_tail();
  void seal();
  // The pipeline died with what is in flight. Returns whether a URL was found guilty.
  bool blame_flights(bool fresh);

 private:
  frontier::Statistics sum() const;
  void take_line(std::string_view line);
  void take_settled(std::string_view line);
  void note_late();
  // The share that a URL belongs to; nullptr: none here.
  Share* of(std::string_view url);
  void hold(std::string_view line);
  void give_held(Share& share);
  static bool is_refused_link(std::string_view line, Outcome outcome);

  Voice& voice_;
  const Partitions* partitions_;
  std::optional<PartsByHost> parts_;
  std::vector<Share*> all_;
  frontier::Statistics gone_;  // pages, bytes and outcomes of those that were removed
  Wire wire_;
  frontier::Settled settled_;
  std::uint64_t lines_ = 0;  // lines that came out of the present pipeline
  std::uint64_t late_ = 0,
                next_late_ = 32;  // pages that were not sent in time; when that is said next
  Signs signs_;
  std::string held_;  // lines
  std::uint64_t held_items_ = 0;
  Url url_;  // reused
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_SHARES_H_
