// SPDX-License-Identifier: Apache-2.0
#include "bus/resp_bus.h"

#include <span>
#include <utility>

#include "base/number.h"
#include "bus/generation.h"
#include "resp/connection.h"

namespace spinneret::bus {
namespace {

using resp::Reply;

// KEYS stream, room; ARGV budget, message. Returns 1: appended, 0: full. Keys of another program
// are left alone: one that is no stream, and a room whose values are no numbers, or leave no id for
// another message.
constexpr std::string_view kAppend = R"(
local m = redis.call('HMGET', KEYS[2], 'g', 'b', 'e')
local g, b, e, n = m[1], tonumber(m[2] or 0), tonumber(m[3] or 0), #ARGV[2] + 1
if not b or not e then return redis.error_reply('FOREIGN ' .. KEYS[2]) end
if not g then
  if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('XLEN', KEYS[1]) end
  redis.call('DEL', KEYS[1])
  local t = redis.call('TIME')
  g = t[1] .. string.format('%06d', tonumber(t[2]))
  b, e = 0, 0
  redis.call('HSET', KEYS[2], 'g', g, 'b', 0)
end
if e > b and e - b + n > tonumber(ARGV[1]) then
  if redis.call('XLEN', KEYS[1]) ~= 0 then return 0 end
  redis.call('HSET', KEYS[2], 'b', string.format('%.0f', e))
end
e = string.format('%.0f', e + n)
local a = redis.pcall('XADD', KEYS[1], g .. '-' .. e, 'm', ARGV[2])
if a.err then return a.err:find(' ID ', 1, true) and redis.error_reply('FOREIGN ' .. KEYS[2]) or a end
redis.call('HSET', KEYS[2], 'e', e)
return 1)";

// KEYS stream, room, lease; ARGV generation, offset, owner. Returns 0 where the fence did not hold.
constexpr std::string_view kTrim = R"(
if ARGV[3] ~= '' and redis.call('GET', KEYS[3]) ~= ARGV[3] then return 0 end
local m = redis.call('HMGET', KEYS[2], 'g', 'b')
if m[1] ~= ARGV[1] then return 1 end
redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[1] .. '-' .. string.format('%.0f', tonumber(ARGV[2]) + 1))
if tonumber(ARGV[2]) > (tonumber(m[2]) or 0) then redis.call('HSET', KEYS[2], 'b', ARGV[2]) end
return 1)";

class RespBus : public Bus {
 public:
  RespBus(resp::Address address, std::uint64_t budget)
      : connection_(std::move(address)),
        budget_(budget),
        append_(connection_.add_script(kAppend)),
        trim_(connection_.add_script(kTrim)) {}

  Status publish(std::span<const Item> items, std::vector<Appended>& outcomes) override {
    outcomes.clear();
    if (items.empty()) return {};
    std::vector<resp::Command> commands;
    commands.reserve(items.size());
    const std::string budget = std::to_string(budget_);
    for (const Item& item : items) {
      const std::string keys[] = {key_of(connection_.address(), "stream", item.stream),
                                  key_of(connection_.address(), "room", item.stream)};
      commands.push_back(connection_.call(append_, keys, {&budget, 1}));
      commands.back().body = item.bytes;
    }
    std::vector<Reply> replies;
    if (const Status done = connection_.run(commands, replies); !done.ok()) return done;
    for (const Reply& reply : replies) {
      if (reply.is(Reply::Kind::kError)) {
        return Error{connection_.trouble_of(reply, "to append to " + commands[outcomes.size()][3])};
      }
      outcomes.push_back(reply.integer == 1 ? Appended::kYes : Appended::kFull);
    }
    return {};
  }

  Status read(std::span<Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
              std::vector<Message>& messages) override {
    messages.clear();
    if (cursors.empty()) return {};
    resp::Command command = {"XREAD", "COUNT", std::to_string(limit)};
    if (wait_ms > 0) command.insert(command.end(), {"BLOCK", std::to_string(wait_ms)});
    command.emplace_back("STREAMS");
    std::vector<std::string> keys;
    for (const Cursor& cursor : cursors) {
      keys.push_back(key_of(connection_.address(), "stream", cursor.stream));
      command.push_back(keys.back());
    }
    for (const Cursor& cursor : cursors)
      command.push_back(cursor.place.id.empty() ? "0" : cursor.place.id);
    std::vector<resp::Command> commands = {std::move(command)};
    // The rooms of streams that were read before are asked for by the same round trip: the engine
    // may be far away.
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < cursors.size(); ++i) {
      if (cursors[i].place.id.empty()) continue;
      commands.push_back(
          {"HMGET", key_of(connection_.address(), "room", cursors[i].stream), "g", "e"});
      asked.push_back(i);
    }
    std::vector<Reply> replies;
    if (const Status done = connection_.run(commands, replies, wait_ms); !done.ok()) return done;
    if (replies[0].is(Reply::Kind::kError)) {
      return Error{connection_.trouble_of(replies[0], "to read " + keys[0])};
    }
    for (Reply& stream : replies[0].items) {
      if (stream.items.size() != 2) continue;
      std::size_t at = 0;
      while (at < keys.size() && keys[at] != stream.items[0].text) ++at;
      if (at == keys.size()) continue;
      for (Reply& entry : stream.items[1].items) {
        if (entry.items.size() != 2) continue;
        cursors[at].place.id = entry.items[0].text;
        // An entry that another program made has other fields: it is no message, and is skipped.
        std::vector<Reply>& fields = entry.items[1].items;
        if (fields.size() != 2 || fields[0].text != "m") continue;
        messages.push_back({at, cursors[at].place, std::move(fields[1].text)});
      }
    }
    begin_anew_where_forgotten(cursors, messages, asked, std::span(replies).subspan(1));
    return {};
  }

  Status trim_each(std::span<const Trim> all, std::vector<bool>& trimmed) override {
    trimmed.assign(all.size(), true);
    std::vector<resp::Command> commands;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [stream, through, fence] = all[i];
      Generation place;
      if (!parse_generation(through.id, place)) continue;
      const std::string keys[] = {
          key_of(connection_.address(), "stream", stream),
          key_of(connection_.address(), "room", stream),
          fence.lease.empty() ? key_of(connection_.address(), "lease", stream) : fence.lease};
      const std::string arguments[] = {std::to_string(place.generation),
                                       std::to_string(place.offset), fence.owner};
      commands.push_back(connection_.call(trim_, keys, arguments));
      asked.push_back(i);
    }
    if (asked.empty()) return {};
    std::vector<Reply> replies;
    if (const Status done = connection_.run(commands, replies); !done.ok()) return done;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      if (replies[k].is(Reply::Kind::kError)) return Error{connection_.trouble_of(replies[k])};
      trimmed[asked[k]] = replies[k].integer == 1;
    }
    return {};
  }

 private:
  // Resets cursors whose stream was forgotten. `rooms` are the rooms of the streams as they were
  // after the read.
  static void begin_anew_where_forgotten(std::span<Cursor> cursors,
                                         const std::vector<Message>& messages,
                                         std::span<const std::size_t> asked,
                                         std::span<const Reply> rooms) {
    std::vector<bool> had(cursors.size());
    for (const Message& one : messages) had[one.cursor] = true;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      if (had[asked[k]]) continue;
      Generation place;
      const std::vector<Reply>& room = rooms[k].items;
      // Nothing was appended since the room was forgotten: what may be left of the stream was
      // returned.
      if (room.size() == 2 && room[0].is(Reply::Kind::kNil)) continue;
      const bool whole = room.size() == 2 && room[0].is_text() && room[1].is_text() &&
                         parse_generation(cursors[asked[k]].place.id, place);
      if (whole && parse_unsigned(room[0].text) == place.generation &&
          parse_unsigned(room[1].text).value_or(0) >= place.offset) {
        continue;
      }
      cursors[asked[k]].place = {};
    }
  }

  resp::Connection connection_;
  std::uint64_t budget_;
  std::size_t append_, trim_;
};

}  // namespace

std::unique_ptr<Bus> resp_bus(resp::Address address, std::uint64_t budget) {
  return std::make_unique<RespBus>(std::move(address), budget);
}

}  // namespace spinneret::bus
