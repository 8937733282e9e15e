// SPDX-License-Identifier: Apache-2.0
// The durable tables of a channel (channel.h), as part of a store such as the frontier's. What is
// staged is written by the next commit of the store's owner, together with everything else that is
// staged; reads see what was committed. Keys sort as unsigned bytes.
#ifndef SPINNERET_CLUSTER_CHANNEL_STORE_H_
#define SPINNERET_CLUSTER_CHANNEL_STORE_H_

#include <cstdint>
#include <functional>
#include <string_view>

namespace spinneret::cluster {

enum class ChannelTable : std::uint8_t { kOutbox, kInbox };

class ChannelStore {
 public:
  virtual ~ChannelStore() = default;
  virtual void put(ChannelTable table, std::string_view key, std::string_view value) = 0;
  virtual void erase(ChannelTable table, std::string_view key) = 0;
  // Gives every row from the first key >= `from` on, in order, until `take` returns false.
  virtual void scan(
      ChannelTable table, std::string_view from,
      const std::function<bool(std::string_view key, std::string_view value)>& take) = 0;
};

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_CHANNEL_STORE_H_
