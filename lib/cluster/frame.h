// SPDX-License-Identifier: Apache-2.0
// The bytes of a batch on the bus, and of its acknowledgement.
//
//   message = frame...
//   frame   = 'S' version(1) varint(size of the body) hash64(body, big-endian, 8 bytes) body
//   body    = bytes(source) varint(destination) varint(epoch) varint(sequence) lines
//   lines   = LF-terminated records to the body's end
//   ack     = "1 source-epoch taken kept receiver-epoch", in decimal: `redis-cli HGETALL` shows it
//
// A damaged frame is as good as lost, since the sender sends it again: it is dropped, with the rest
// of its message.
#ifndef SPINNERET_CLUSTER_FRAME_H_
#define SPINNERET_CLUSTER_FRAME_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::cluster {

// Views into the message, or into the data of whoever made the frame.
struct Frame {
  std::string_view source;
  std::uint32_t destination = 0;
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
  std::string_view lines;
};

enum class FrameEvent : std::uint8_t {
  kFrame,
  kEnd,
  kDamaged,  // the rest of the message is dropped
  kNewer,    // of a later version of this program; the rest is dropped
};

void append_frame(std::string& message, const Frame& frame);
// Takes a frame off the front of `message`.
FrameEvent next_frame(std::string_view& message, Frame& frame);

struct Ack {
  std::uint64_t source_epoch = 0;    // the highest that the receiver knows of this source
  std::uint64_t taken = 0;           // last sequence number that is committed
  std::uint64_t kept = 0;            // last sequence number that outlives the receiver's machine
  std::uint64_t receiver_epoch = 0;  // epoch of the receiver's lease
  friend bool operator==(const Ack&, const Ack&) = default;
};

std::string format_ack(const Ack& ack);
// Returns false where the text is no ack.
bool parse_ack(std::string_view text, Ack& ack);

}  // namespace spinneret::cluster

#endif  // SPINNERET_CLUSTER_FRAME_H_
