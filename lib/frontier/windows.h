// SPDX-License-Identifier: Apache-2.0
// Reads the fronts of the queues of those hosts whose turn comes next, in one walk over all of
// them: beginning a walk costs more than what it reads for a host.
//
//   agenda     a  f  c  b ...     about 256 hosts with empty windows, in the order of their turns
//   kQueue     a1 a2 a3 ... | b1 b2 ... | c1 ... | d1 ... | e1 ... | f1 ...     hosts by id
//               ^---------------^----------^-------------------------^    one cursor, host to host
//
// A window may hold its part of what all windows together may: 100 MB over the number of hosts.
//
// Borrows its constructor arguments. Not thread-safe.
#ifndef SPINNERET_FRONTIER_WINDOWS_H_
#define SPINNERET_FRONTIER_WINDOWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "frontier/host_table.h"
#include "frontier/lanes.h"
#include "frontier/store.h"

namespace spinneret::frontier {

class Windows {
 public:
  Windows(Store& store, HostTable& hosts, Lanes& lanes)
      : store_(store), hosts_(hosts), lanes_(lanes) {}

  // Whether the window of a host must be read before anything of it can go out.
  bool wants(const Host& host) const {
    return host.play == nullptr ||
           (host.play->queue.window_empty() && !host.play->queue.complete());
  }
  // Brings `first` into play, and the hosts that come next, and reads their windows.
  void read(HostSlot first, std::int64_t mono_ms);

 private:
  Store& store_;
  HostTable& hosts_;
  Lanes& lanes_;
  // Buffers, reused.
  std::vector<HostSlot> ahead_, asleep_;
  std::string end_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_WINDOWS_H_
