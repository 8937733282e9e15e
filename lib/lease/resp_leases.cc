// SPDX-License-Identifier: Apache-2.0
#include "lease/resp_leases.h"

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "resp/connection.h"

namespace spinneret::lease {
namespace {

using resp::Reply;

// KEYS lease, counter; ARGV node, floor, ttl. A counter that is no number, or is at kEpochLimit, is
// another program's: a lease by the number after it could not be renewed.
constexpr std::string_view kTake = R"(
local o = redis.call('GET', KEYS[1])
if o then return {0, o, redis.call('PTTL', KEYS[1])} end
local c, f = tonumber(redis.call('GET', KEYS[2]) or '0'), tonumber(ARGV[2])
if not c or not (c < 2^52 - 1) then return redis.error_reply('FOREIGN ' .. KEYS[2]) end
if f > c then c = f end
c = string.format('%.0f', c + 1)
redis.call('SET', KEYS[2], c)
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. c, 'PX', ARGV[3])
return {1, c, 0})";

// KEYS leases; ARGV ttl, owners. Returns for each 1 held, 0 forgotten, 2 lost.
constexpr std::string_view kRenew = R"(
local r = {}
for i, k in ipairs(KEYS) do
  local o = redis.call('GET', k)
  if o == ARGV[i + 1] then redis.call('PEXPIRE', k, ARGV[1]); r[i] = 1
  elseif o then r[i] = 2
  else r[i] = 0 end
end
return r)";

// KEYS lease, counter; ARGV owner, node, floor.
constexpr std::string_view kRaise = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local c, f = tonumber(redis.call('GET', KEYS[2]) or '0'), tonumber(ARGV[3])
if not c or not (c < 2^52 - 1) then return redis.error_reply('FOREIGN ' .. KEYS[2]) end
if f > c then c = f end
c = string.format('%.0f', c + 1)
redis.call('SET', KEYS[2], c)
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. c, 'KEEPTTL')
return c)";

// KEYS lease; ARGV owner.
constexpr std::string_view kRelease = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return 1)";

// KEYS lease, then the table of each row; ARGV owner, then field, value, keep of each row.
constexpr std::string_view kWrite = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for i = 2, #KEYS do
  local at = (i - 2) * 3 + 2
  redis.call('HSET', KEYS[i], ARGV[at], ARGV[at + 1])
  if ARGV[at + 2] ~= '0' then redis.call('PEXPIRE', KEYS[i], ARGV[at + 2]) end
end
return 1)";

// KEYS lease, table; ARGV owner, field, value, and the value expected, unless the row must not
// exist.
constexpr std::string_view kSwap = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local v = redis.call('HGET', KEYS[2], ARGV[2])
if v ~= (ARGV[4] or false) then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return 1)";

// KEYS table; ARGV field, value.
constexpr std::string_view kClaim = R"(
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
return redis.call('HGET', KEYS[1], ARGV[1]))";

constexpr std::int64_t kWaitMs = 1000;

// Parses "node epoch". Returns false where the text is none.
bool parse_holder(std::string_view text, std::string& node, std::uint64_t& epoch) {
  const std::size_t space = text.rfind(' ');
  if (space == std::string_view::npos) return false;
  node = text.substr(0, space);
  const auto number = parse_unsigned(text.substr(space + 1));
  if (!number) return false;
  epoch = *number;
  return true;
}

class RespLeases : public Leases {
 public:
  RespLeases(resp::Address address, const Clock& clock, std::string node, std::int64_t ttl_ms)
      : connection_(std::move(address)),
        clock_(clock),
        node_(std::move(node)),
        ttl_ms_(ttl_ms),
        take_(connection_.add_script(kTake)),
        renew_(connection_.add_script(kRenew)),
        raise_(connection_.add_script(kRaise)),
        release_(connection_.add_script(kRelease)),
        write_(connection_.add_script(kWrite)),
        swap_(connection_.add_script(kSwap)),
        claim_(connection_.add_script(kClaim)) {}

  std::string fence_key(const Lease& lease) const override { return key("lease", lease.name); }

  std::string fence_value(const Lease& lease) const override {
    return node_ + " " + std::to_string(lease.epoch);
  }

  Result<Taken> take(std::string_view name, std::uint64_t floor) override {
    const std::string keys[] = {key("lease", name), key("epoch", name)};
    const std::string arguments[] = {node_, std::to_string(epoch_floor(floor, clock_.unix_ms())),
                                     std::to_string(ttl_ms_)};
    const Result<Reply> reply = call(take_, keys, arguments, true);
    if (!reply.ok()) return reply.error();
    Taken taken;
    if (reply->items.size() != 3) return Error{connection_.peer() + ": gave a strange answer"};
    taken.granted = reply->items[0].integer == 1;
    if (taken.granted) {
      taken.lease = {std::string(name), parse_unsigned(reply->items[1].text).value_or(0)};
    } else {
      std::uint64_t epoch = 0;
      if (!parse_holder(reply->items[1].text, taken.owner, epoch))
        taken.owner = reply->items[1].text;
      // A key that another program made may never expire: then this is negative.
      taken.remaining_ms = reply->items[2].integer;
    }
    return taken;
  }

  Status renew(std::span<const Lease> held, std::vector<Renewed>& answers) override {
    View view;
    const Status done = look(held, {}, {}, view);
    answers = std::move(view.answers);
    return done;
  }

  Status look(std::span<const Lease> held, std::span<const std::string_view> tables,
              std::span<const std::string> names, View& out) override {
    out.answers.clear();
    out.tables.clear();
    out.holders.assign(names.size(), {});
    std::vector<resp::Command> commands;
    int wanted = 0;
    if (!held.empty()) {
      const Result<int> known = majority();
      if (!known.ok()) return known.error();
      wanted = *known;
      std::vector<std::string> keys, arguments = {std::to_string(ttl_ms_)};
      for (const Lease& lease : held) {
        keys.push_back(fence_key(lease));
        arguments.push_back(fence_value(lease));
      }
      commands.push_back(connection_.call(renew_, keys, arguments));
      if (wanted > 0) commands.push_back(wait_for(wanted));
    }
    for (const std::string_view table : tables)
      commands.push_back({"HGETALL", key("table", table)});
    for (const std::string& name : names) {
      commands.push_back({"GET", key("lease", name)});
      commands.push_back({"PTTL", key("lease", name)});
    }
    if (commands.empty()) return {};
    std::vector<Reply> replies;
    if (const Status done = connection_.run(commands, replies); !done.ok()) return done;
    for (const Reply& reply : replies) {
      if (reply.is(Reply::Kind::kError)) return Error{connection_.trouble_of(reply)};
    }
    auto at = replies.begin();
    if (!held.empty()) {
      const Reply& renewed = *at++;
      if (wanted > 0) {
        if (const Status confirmed = judge_wait(*at++, wanted); !confirmed.ok()) return confirmed;
      }
      if (renewed.items.size() != held.size())
        return Error{connection_.peer() + ": gave a strange answer"};
      for (const Reply& one : renewed.items) {
        out.answers.push_back(one.integer == 1   ? Renewed::kHeld
                              : one.integer == 0 ? Renewed::kForgotten
                                                 : Renewed::kLost);
      }
    }
    for (std::size_t i = 0; i < tables.size(); ++i) out.tables.push_back(rows_of(*at++));
    for (Holder& holder : out.holders) {
      const Reply &owner = *at++, &rest = *at++;
      if (owner.is_text() && parse_holder(owner.text, holder.node, holder.epoch))
        holder.remaining_ms = rest.integer;
    }
    return {};
  }

  Result<std::optional<std::uint64_t>> raise(const Lease& lease, std::uint64_t floor) override {
    const std::string keys[] = {fence_key(lease), key("epoch", lease.name)};
    const std::string arguments[] = {
        fence_value(lease), node_,
        std::to_string(epoch_floor(std::max(floor, lease.epoch), clock_.unix_ms()))};
    const Result<Reply> reply = call(raise_, keys, arguments, true);
    if (!reply.ok()) return reply.error();
    if (!reply->is_text()) return std::optional<std::uint64_t>();
    return std::optional<std::uint64_t>(parse_unsigned(reply->text));
  }

  Result<bool> release(const Lease& lease) override {
    const std::string keys[] = {fence_key(lease)};
    const std::string arguments[] = {fence_value(lease)};
    const Result<Reply> reply = call(release_, keys, arguments, false);
    if (!reply.ok()) return reply.error();
    return reply->integer == 1;
  }

  Status write_each(std::span<const Writing> all, std::vector<bool>& written) override {
    written.clear();
    if (all.empty()) return {};
    std::vector<resp::Command> commands;
    for (const Writing& one : all) {
      std::vector<std::string> keys = {fence_key(one.lease)}, arguments = {fence_value(one.lease)};
      for (const Row& row : one.rows) {
        keys.push_back(key("table", row.table));
        arguments.insert(arguments.end(), {row.field, row.value, std::to_string(row.keep_ms)});
      }
      commands.push_back(connection_.call(write_, keys, arguments));
    }
    std::vector<Reply> replies;
    if (const Status done = connection_.run(commands, replies); !done.ok()) return done;
    for (const Reply& reply : replies) {
      if (reply.is(Reply::Kind::kError))
        return Error{connection_.trouble_of(reply, fence_key(all[written.size()].lease))};
      written.push_back(reply.integer == 1);
    }
    return {};
  }

  Result<bool> compare_and_set(const Lease& lease, std::string_view table, std::string_view field,
                               const std::optional<std::string>& expected,
                               std::string_view value) override {
    const std::string keys[] = {fence_key(lease), key("table", table)};
    std::vector<std::string> arguments = {fence_value(lease), std::string(field),
                                          std::string(value)};
    if (expected) arguments.push_back(*expected);
    const Result<Reply> reply = call(swap_, keys, arguments, true);
    if (!reply.ok()) return reply.error();
    return reply->integer == 1;
  }

  Result<std::string> claim(std::string_view table, std::string_view field,
                            std::string_view value) override {
    const std::string keys[] = {key("table", table)};
    const std::string arguments[] = {std::string(field), std::string(value)};
    Result<Reply> reply = call(claim_, keys, arguments, true);
    if (!reply.ok()) return reply.error();
    return std::move(reply->text);
  }

  Result<Rows> read(std::string_view table) override {
    const Result<Reply> reply = connection_.ask({"HGETALL", key("table", table)});
    if (!reply.ok()) return reply.error();
    return rows_of(*reply);
  }

  Status erase(std::string_view table, std::string_view field) override {
    const Result<Reply> reply = connection_.ask({"HDEL", key("table", table), std::string(field)});
    if (!reply.ok()) return reply.error();
    return {};
  }

  Status holders(std::span<const std::string> names, std::vector<Holder>& holders) override {
    View view;
    const Status done = look({}, {}, names, view);
    holders = std::move(view.holders);
    return done;
  }

  bool refused() const override { return connection_.refused(); }

 private:
  std::string key(std::string_view kind, std::string_view name) const {
    return resp::key_of(connection_.address(), kind, name);
  }

  // Returns the number of replicas that must confirm; known after the first call that needs it.
  Result<int> majority() {
    if (majority_ >= 0) return majority_;
    const Result<Reply> role = connection_.ask({"ROLE"});
    if (!role.ok()) return role.error();
    const std::size_t now = role->items.size() > 2 ? role->items[2].items.size() : 0;
    const std::string keys[] = {key("table", "crawl")};
    const std::string arguments[] = {"replicas", std::to_string(now)};
    const Result<Reply> kept = connection_.ask(connection_.call(claim_, keys, arguments));
    if (!kept.ok()) return kept.error();
    const std::uint64_t begun = parse_unsigned(kept->text).value_or(0);
    // What counts is a majority of the replicas that the crawl was begun with; one that was away
    // then may be back.
    if ((now + 1) / 2 > (begun + 1) / 2) {
      return Error{
          connection_.peer() + ": has " + std::to_string(now) +
          " replicas, and the crawl was begun with " + std::to_string(begun) +
          ", whose majority is smaller: take the others away, or begin under another NAME"};
    }
    return majority_ = static_cast<int>((begun + 1) / 2);
  }

  // Runs one script and, with `confirmed`, waits for the replicas to confirm it.
  Result<Reply> call(std::size_t script, std::span<const std::string> keys,
                     std::span<const std::string> arguments, bool confirmed) {
    int wanted = 0;
    if (confirmed) {
      const Result<int> known = majority();
      if (!known.ok()) return known.error();
      wanted = *known;
    }
    std::vector<resp::Command> commands = {connection_.call(script, keys, arguments)};
    if (wanted > 0) commands.push_back(wait_for(wanted));
    std::vector<Reply> replies;
    if (const Status done = connection_.run(commands, replies); !done.ok()) return done.error();
    if (replies[0].is(Reply::Kind::kError))
      return Error{connection_.trouble_of(replies[0], keys.empty() ? "" : keys[0])};
    if (wanted > 0) {
      if (const Status heard = judge_wait(replies[1], wanted); !heard.ok()) return heard.error();
    }
    return std::move(replies[0]);
  }

  static resp::Command wait_for(int replicas) {
    return {"WAIT", std::to_string(replicas), std::to_string(kWaitMs)};
  }
  Status judge_wait(const Reply& reply, int wanted) {
    if (reply.integer >= wanted) return {};
    // The server may have ceased to be a primary without knowing it: the next call asks who is.
    connection_.close();
    return Error{connection_.peer() + ": only " + std::to_string(reply.integer) + " of " +
                 std::to_string(wanted) +
                 " replicas confirmed: no lease counts until they are back"};
  }

  static Rows rows_of(const Reply& reply) {
    Rows rows;
    for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2)
      rows[reply.items[i].text] = reply.items[i + 1].text;
    return rows;
  }

  resp::Connection connection_;
  const Clock& clock_;
  std::string node_;
  std::int64_t ttl_ms_;
  int majority_ = -1;
  std::size_t take_, renew_, raise_, release_, write_, swap_, claim_;
};

}  // namespace

std::unique_ptr<Leases> resp_leases(resp::Address address, const Clock& clock, std::string node,
                                    std::int64_t ttl_ms) {
  return std::make_unique<RespLeases>(std::move(address), clock, std::move(node), ttl_ms);
}

}  // namespace spinneret::lease
