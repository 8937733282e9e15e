// SPDX-License-Identifier: Apache-2.0
#include "cluster/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

namespace spinneret::cluster {
namespace {

TEST(Frames, SurviveTheirBytesAndNothingElse) {
  std::string message;
  const std::string lines("http://a/\tk=\0\xFF\n", 15);
  append_frame(message, {"p1", 7, 1'700'000'000'000, 3, lines});
  append_frame(message, {"s-1", 7, 1, 1, ""});
  Frame frame;
  std::string_view rest = message;
  ASSERT_EQ(next_frame(rest, frame), FrameEvent::kFrame);
  EXPECT_EQ(frame.lines, lines);
  EXPECT_EQ(frame.epoch, 1'700'000'000'000u);
  ASSERT_EQ(next_frame(rest, frame), FrameEvent::kFrame);
  EXPECT_EQ(frame.source, "s-1");
  EXPECT_EQ(next_frame(rest, frame), FrameEvent::kEnd);
  // With any byte changed, and cut at any place, a message never gives a frame that was not sent.
  for (std::size_t i = 0; i < message.size(); ++i) {
    std::string bad = message;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    rest = bad;
    FrameEvent event = next_frame(rest, frame);
    if (event == FrameEvent::kFrame) {
      EXPECT_EQ(frame.lines, lines);
      event = next_frame(rest, frame);
      EXPECT_TRUE(event == FrameEvent::kDamaged || event == FrameEvent::kNewer) << i;
    }
    const auto cut = std::make_unique<char[]>(i);  // of exact size, for the sanitizer
    std::copy_n(message.data(), i, cut.get());
    rest = {cut.get(), i};
    while (next_frame(rest, frame) == FrameEvent::kFrame) EXPECT_EQ(frame.source, "p1");
  }
  std::string newer = message;
  newer[1] = 2;
  rest = newer;
  EXPECT_EQ(next_frame(rest, frame), FrameEvent::kNewer);
}

// bug: link-bus --tail printed the source of a frame that somebody had made up with its line ends, as records of their own
TEST(Frames, OfASourceThatIsNoNameAreDamaged) {
  Frame frame;
  for (const std::string source : {"s-1\nhttp://b/", "s\t1", "s 1", "\x1B[2J", "s\x9B", "s\x7F"}) {
    std::string message;
    append_frame(message, {source, 7, 1, 1, "http://a/\n"});
    std::string_view rest = message;
    EXPECT_EQ(next_frame(rest, frame), FrameEvent::kDamaged) << source;
  }
}

TEST(Acks, AreReadBackAndRubbishIsNone) {
  Ack ack;
  EXPECT_TRUE(parse_ack(format_ack({5, 4, 3, 2}), ack));
  EXPECT_EQ(ack, (Ack{5, 4, 3, 2}));
  for (const char* bad : {"", "1", "1 ", "1 5 4 3", "1 5 4 3 2 1", "1 5 4 3 2 ", "2 5 4 3 2",
                          "1 5 3 4 2", "1 5 -4 3 2", "1 9999999999999999999 4 3 2", "1 5 4 3 x"}) {
    EXPECT_FALSE(parse_ack(bad, ack)) << bad;
  }
}

}  // namespace
}  // namespace spinneret::cluster
