// SPDX-License-Identifier: Apache-2.0
// What is wrong with the rows of a partition's channel (channel.h), where each of them can be read: batches that are not there, and
// such as no lane knows of. A sender waits for ever in front of the first, with all links that are behind, and never sees the second.
//
// A row of the inbox that is lost cannot be told from a source that was never heard of; nor does it need mending: what comes again
// from there is known.
#ifndef SPINNERET_CLUSTER_AUDIT_H_
#define SPINNERET_CLUSTER_AUDIT_H_

#include <functional>
#include <string>

#include "base/result.h"
#include "cluster/channel_store.h"

namespace spinneret::cluster {

// An Error: a row is damaged, or of another version.
Status audit_channel(ChannelStore& store, const std::function<void(const std::string&)>& problem);

// Mends it while nobody sends: what is left of such lanes is numbered anew behind all that they have had, in its order, so that
// nothing of it is lost whenever this breaks off; it is sent under the next epoch. `commit` makes durable what is staged.
Status repair_channel(ChannelStore& store, const std::function<Status()>& commit);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_AUDIT_H_
