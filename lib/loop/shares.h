// SPDX-License-Identifier: Apache-2.0
// The frontiers behind one pipeline, and whose a line is that comes out of it.
//
// Order is the guarantee (frontier.h): a page's links come ahead of its record. With one frontier all is its own, as it comes. With
// several, what comes ahead of a record is held until that says which partition it belongs to. A pipeline that dies takes with it
// what is held: the page is asked again.
//
// Cost: with one frontier none; with several a copy of each link, and for each record a look at the public suffix list.
// Not thread-safe.
#ifndef SPINNERET_LOOP_SHARES_H_
#define SPINNERET_LOOP_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontier/frontier.h"
#include "loop/share.h"
#include "loop/voice.h"
#include "loop/wire.h"
#include "url/parse.h"
#include "url/partition.h"

namespace spinneret::loop {

class Shares {
 public:
  // What the lines have shown of the pipeline.
  struct Signs {
    bool life = false;    // it works
    bool ending = false;  // a stage of it has stopped
  };

  // Borrowed. `partitions`: of those that there may be several of.
  explicit Shares(Voice& voice, const Partitions* partitions = nullptr)
      : voice_(voice), partitions_(partitions) {}

  // Borrowed.
  void add(Share& share) { all_.push_back(&share); }
  void remove(const Share& share);
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  std::size_t in_flight() const;
  std::uint64_t waiting() const;
  // The URL of the only flight.
  std::string_view any_in_flight() const;

  // Of all together.
  void show_progress();
  void finish_progress();

  // A pipeline begins: its lines are counted anew.
  void begin_pipeline();
  // Whole lines. Views into them live no longer.
  void take_run(std::string_view run);
  void skip_line();
  Signs take_signs() { return std::exchange(signs_, {}); }
  // What came and no record sealed is forgotten; or with nothing in flight is whole as it is.
  void drop_tail();
  void seal();
  // The pipeline has died with what is in flight. Whether a URL was found guilty.
  bool blame_flights(bool fresh);

 private:
  frontier::Statistics sum() const;
  void take_line(std::string_view line);
  void take_settled(std::string_view line);
  // Whose it is by its URL; nullptr: nobody's here.
  Share* of(std::string_view url);
  void hold(std::string_view line);
  void give_held(Share& share);
  static bool is_refused_link(std::string_view line, Outcome outcome);

  Voice& voice_;
  const Partitions* partitions_;
  std::vector<Share*> all_;
  Wire wire_;
  frontier::Settled settled_;
  std::uint64_t lines_ = 0;  // that came out of this pipeline
  Signs signs_;
  std::string held_;  // lines
  std::uint64_t held_items_ = 0;
  Url url_;  // reused
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_SHARES_H_
