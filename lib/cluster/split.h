// SPDX-License-Identifier: Apache-2.0
// Cuts a partition's state in two while nobody crawls on it: part p of P becomes parts 2p and 2p +
// 1 of 2P, to which nothing of any other part belongs (url/partition.h). So a crawl gets twice as
// many partitions, one state after the other.
//
//   Partitions halves(2 * P);
//   Url scratch;
//   const auto part_of = [&](std::string_view url) { return halves.of_text(url, scratch); };
//   split_state(*from, p, begun, part_of, {left.get(), right.get()}, halves_of);
//
// Every row of a host and of its URLs goes unchanged to the part of the host, with its delays,
// queues and what is due later. The outbox goes to the first part, its links for the partitions
// where they belong now, and numbered anew. The inbox goes to neither: it says which batches were
// taken from sources that will not exist any more; should their links come again, they are known.
// Epochs stay above all earlier ones. Each half is another state than `from`, which is only read.
//
// Cost: one walk over `from`, a byte of memory a host, batches of 10,000 rows. If this is killed,
// the halves are worthless, and `from` is unchanged.
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

// `begun` has the partitions of the crawl that have begun, whose halves will all be expected
// (begun.h). `part_of` gives the part of a URL or an origin among the halves. `into` are empty, and
// have the tables of a partition. Returns an Error where a host is of another part than p (P or the
// list of public suffixes is another one), where the state is damaged or of an older format, or
// where a store fails. Without one all is on disk.
Status split_state(frontier::Store& from, std::uint32_t partition, const Begun& begun,
                   const std::function<std::uint32_t(std::string_view url)>& part_of,
                   const std::array<frontier::Store*, 2>& into, std::array<Half, 2>& halves);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_SPLIT_H_
