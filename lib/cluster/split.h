// SPDX-License-Identifier: Apache-2.0
// A partition's state cut in two while nobody crawls on it: part p of P becomes parts 2p and 2p + 1 of 2P, which nothing of
// any other part belongs to (url/partition.h). So a crawl gets twice as many, one state after the other.
//
//   Partitions halves(2 * P);
//   Url scratch;
//   split_state(*from, p, begun, [&](std::string_view url) { return halves.of_text(url, scratch); },
//               {left.get(), right.get()}, halves_of);
//
// Every row of a host and of its URLs goes to the part of the host, as it stands: delays, queues and what is due later with
// it. The outbox goes to the first part, its links by where they belong now, numbered anew. The inbox goes to neither: it
// says which batches were taken of sources that are no more, and their links, should they come again, are known. Epochs
// stay above all that were. Each half is another state than `from`, which is only read.
//
// Cost: one walk over `from`, a byte of memory a host, batches of 10,000 rows. Killed in between, what was written of the
// halves is worth nothing, and `from` is as it was.
#ifndef SPINNERET_CLUSTER_SPLIT_H_
#define SPINNERET_CLUSTER_SPLIT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "cluster/begun.h"
#include "frontier/store.h"

namespace spinneret::cluster {

struct Half {
  std::uint64_t hosts = 0, urls = 0;
  std::uint64_t links = 0;  // in its outbox
};

// `begun`: partitions of the crawl so far, whose halves will all be expected (begun.h). `part_of`: of a URL, or of an origin, among the halves. `into` are empty, and have the tables of a partition. An Error: a
// host is of another part than p, so P or the list of public suffixes is another one; the state is of an older format, or
// damaged; a store's own. On disk when it returns without one.
Status split_state(frontier::Store& from, std::uint32_t partition, const Begun& begun,
                   const std::function<std::uint32_t(std::string_view url)>& part_of,
                   const std::array<frontier::Store*, 2>& into, std::array<Half, 2>& halves);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_SPLIT_H_
