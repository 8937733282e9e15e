// SPDX-License-Identifier: Apache-2.0
// Finds faults between the rows of a partition's channel (channel.h), each of which can be read by
// itself: batches that are missing, and batches that belong to no lane. A sender waits for ever at
// a missing batch, with all links after it, and never sees a batch without a lane.
//
// A lost row of the inbox looks like a source that never sent anything. It needs no repair: links
// that come again from there are known.
#ifndef SPINNERET_CLUSTER_AUDIT_H_
#define SPINNERET_CLUSTER_AUDIT_H_

#include <functional>
#include <string>

#include "base/result.h"
#include "cluster/channel_store.h"

namespace spinneret::cluster {

// Calls `problem` for each fault. Returns an Error where a row is damaged, or of another version.
Status audit_channel(ChannelStore& store, const std::function<void(const std::string&)>& problem);

// Repairs the channel while nobody sends: the batches left in a faulty lane are numbered anew, in
// order, after all numbers that the lane had. So nothing is lost, even if this is interrupted; they
// are sent under the next epoch. `commit` makes the staged changes durable.
Status repair_channel(ChannelStore& store, const std::function<Status()>& commit);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_AUDIT_H_
