// SPDX-License-Identifier: Apache-2.0
#include "bus/memory_bus.h"

#include <span>
#include <utility>

#include "base/number.h"

namespace spinneret::bus {

void MemoryBus::append(Stream& stream, std::string_view bytes) {
  if (chance(faults_.lose)) return;
  if (chance(faults_.delay)) {
    stream.late.emplace_back(bytes);
    return;
  }
  stream.last = ++last_;
  stream.entries.push_back({stream.last, std::string(bytes)});
  stream.bytes += bytes.size();
  if (chance(faults_.reorder)) {
    // The other entry may have been read already: then this message is lost, and the other comes
    // twice.
    const std::size_t other = random_() % stream.entries.size();
    std::swap(stream.entries[other].bytes, stream.entries.back().bytes);
  }
}

Status MemoryBus::publish(std::span<const Item> items, std::vector<Appended>& outcomes) {
  outcomes.assign(items.size(), Appended::kYes);
  if (chance(faults_.forget)) forget();
  const bool fails = chance(faults_.fail);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (fails && random_() % 2 == 0) continue;
    auto found = streams_.find(items[i].stream);
    if (found == streams_.end()) found = streams_.try_emplace(std::string(items[i].stream)).first;
    Stream& stream = found->second;
    if (stream.bytes != 0 && stream.bytes + items[i].bytes.size() > budget_) {
      outcomes[i] = Appended::kFull;
      continue;
    }
    append(stream, items[i].bytes);
    if (chance(faults_.repeat)) append(stream, items[i].bytes);
  }
  if (fails) return Error{"the bus is away"};
  return {};
}

Status MemoryBus::read(std::span<Cursor> cursors, std::size_t limit, std::int64_t,
                       std::vector<Message>& messages) {
  messages.clear();
  if (chance(faults_.forget)) forget();
  if (chance(faults_.fail)) return Error{"the bus is away"};
  for (std::size_t i = 0; i < cursors.size(); ++i) {
    const auto found = streams_.find(cursors[i].stream);
    if (found == streams_.end()) {
      cursors[i].place = {};
      continue;
    }
    Stream& stream = found->second;
    while (!stream.late.empty() && random_() % 2 == 0) {
      stream.last = ++last_;
      stream.bytes += stream.late.back().size();
      stream.entries.push_back({stream.last, std::move(stream.late.back())});
      stream.late.pop_back();
    }
    std::uint64_t place = parse_unsigned(cursors[i].place.id).value_or(0);
    if (place > stream.last) place = 0;
    std::size_t given = 0;
    for (const Entry& entry : stream.entries) {
      if (entry.number <= place || given == limit) continue;
      ++given;
      messages.push_back({i, {std::to_string(entry.number)}, entry.bytes});
      cursors[i].place = messages.back().place;
    }
  }
  return {};
}

Status MemoryBus::trim_each(std::span<const Trim> all, std::vector<bool>& trimmed) {
  trimmed.assign(all.size(), true);
  for (const Trim& one : all) {
    const auto found = streams_.find(one.stream);
    if (found == streams_.end()) continue;
    const std::uint64_t place = parse_unsigned(one.through.id).value_or(0);
    Stream& from = found->second;
    while (!from.entries.empty() && from.entries.front().number <= place) {
      from.bytes -= from.entries.front().bytes.size();
      from.entries.pop_front();
    }
  }
  return {};
}

std::uint64_t MemoryBus::unread(std::string_view stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? 0 : found->second.bytes;
}

}  // namespace spinneret::bus
