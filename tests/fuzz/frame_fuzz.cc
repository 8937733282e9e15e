// SPDX-License-Identifier: Apache-2.0
// What comes over a bus: messages of frames, and acknowledgements. The bytes are taken as a
// message, as the body of a frame whose digest is right, and as an ack. Beyond "no crash":
//   - a frame lies in its message, and written again it is the same frame; the frames end where the
//     message ends;
//   - with one of its bits changed it is no frame, or one that says it is of a newer version;
//   - an ack that is valid, written again, is the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "cluster/frame.h"
#include "frontier/encode.h"

namespace {

using namespace spinneret;
using cluster::Frame;
using cluster::FrameEvent;

void require(bool holds) {
  if (!holds) std::abort();
}

bool lies_in(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void read_all(std::string_view message) {
  std::string_view rest = message;
  Frame frame, again;
  FrameEvent event = FrameEvent::kEnd;
  while ((event = cluster::next_frame(rest, frame)) == FrameEvent::kFrame) {
    require(lies_in(frame.source, message) && lies_in(frame.lines, message) &&
            lies_in(rest, message));
    std::string written;
    cluster::append_frame(written, frame);
    std::string_view left = written;
    require(cluster::next_frame(left, again) == FrameEvent::kFrame && left.empty());
    require(again.source == frame.source && again.lines == frame.lines &&
            again.destination == frame.destination && again.epoch == frame.epoch &&
            again.sequence == frame.sequence);
    const std::size_t bit = (frame.epoch * 31 + frame.lines.size()) % (written.size() * 8);
    written[bit / 8] = static_cast<char>(written[bit / 8] ^ (1 << bit % 8));
    left = written;
    require(cluster::next_frame(left, again) != FrameEvent::kFrame);
  }
  require(rest.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_all(text);
  std::string message = "S\1";
  frontier::put_varint(message, size);
  frontier::put_big_endian(message, hash64(text), 8);
  message += text;
  read_all(message);
  cluster::Ack ack, again;
  if (cluster::parse_ack(text, ack))
    require(cluster::parse_ack(cluster::format_ack(ack), again) && again == ack);
  return 0;
}
