// SPDX-License-Identifier: Apache-2.0
#include "cluster/frame.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "base/hash.h"
#include "base/number.h"
#include "frontier/encode.h"
#include "lease/lease.h"

namespace spinneret::cluster {
namespace {

constexpr char kMark = 'S';
constexpr char kVersion = 1;

// Returns whether a source may be used: it names rows, and is printed in records and messages, so a
// forged frame could bring a line end in it.
bool is_name(std::string_view source) {
  return !source.empty() &&
         std::all_of(source.begin(), source.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

}  // namespace

void append_frame(std::string& message, const Frame& frame) {
  std::string head;
  frontier::put_bytes(head, frame.source);
  frontier::put_varint(head, frame.destination);
  frontier::put_varint(head, frame.epoch);
  frontier::put_varint(head, frame.sequence);
  message += kMark;
  message += kVersion;
  frontier::put_varint(message, head.size() + frame.lines.size());
  const std::size_t sum = message.size();
  message.append(8, '\0');
  const std::size_t body = message.size();
  message += head;
  message += frame.lines;
  std::string digest;
  frontier::put_big_endian(digest, hash64(std::string_view(message).substr(body)), 8);
  message.replace(sum, 8, digest);
}

FrameEvent next_frame(std::string_view& message, Frame& frame) {
  if (message.empty()) return FrameEvent::kEnd;
  frontier::Decoder in{message};
  message = {};  // unless all is well
  if (in.byte() != static_cast<std::uint8_t>(kMark)) return FrameEvent::kDamaged;
  const std::uint8_t version = in.byte();
  if (version > static_cast<std::uint8_t>(kVersion)) return FrameEvent::kNewer;
  if (version != static_cast<std::uint8_t>(kVersion)) return FrameEvent::kDamaged;
  const std::uint64_t size = in.varint();
  const std::uint64_t digest = in.big_endian(8);
  if (in.bad || size > in.rest.size()) return FrameEvent::kDamaged;
  const std::string_view body = in.rest.substr(0, static_cast<std::size_t>(size));
  if (hash64(body) != digest) return FrameEvent::kDamaged;
  frontier::Decoder fields{body};
  frame.source = fields.bytes();
  const std::uint64_t destination = fields.varint();
  frame.epoch = fields.varint();
  frame.sequence = fields.varint();
  frame.lines = fields.rest;
  if (fields.bad || !is_name(frame.source) || frame.epoch >= lease::kEpochLimit ||
      destination > std::numeric_limits<std::uint32_t>::max()) {
    return FrameEvent::kDamaged;
  }
  frame.destination = static_cast<std::uint32_t>(destination);
  message = in.rest.substr(static_cast<std::size_t>(size));
  return FrameEvent::kFrame;
}

std::string format_ack(const Ack& ack) {
  std::string text = "1";
  for (const std::uint64_t value : {ack.source_epoch, ack.taken, ack.kept, ack.receiver_epoch}) {
    text += ' ';
    append_unsigned(text, value);
  }
  return text;
}

bool parse_ack(std::string_view text, Ack& ack) {
  if (!text.starts_with("1 ") || text.ends_with(' ')) return false;
  text.remove_prefix(2);
  for (std::uint64_t* const field :
       {&ack.source_epoch, &ack.taken, &ack.kept, &ack.receiver_epoch}) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::optional<std::uint64_t> value = parse_unsigned(word);
    if (!value || *value >= lease::kEpochLimit) return false;
    *field = *value;
    text.remove_prefix(word.size() + (word.size() < text.size() ? 1 : 0));
  }
  return text.empty() && ack.kept <= ack.taken;
}

}  // namespace spinneret::cluster
