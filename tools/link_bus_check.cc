// SPDX-License-Identifier: Apache-2.0
#include "link_bus.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/excerpt.h"
#include "base/number.h"
#include "kafka/kafka_bus.h"
#include "link_bus_verdicts.h"
#include "resp/connection.h"

namespace spinneret::link_bus {
namespace {

using resp::Reply;

// Returns the value of "name:" in the text of INFO.
std::string info_value(std::string_view info, const std::string& name) {
  const std::size_t at = ("\n" + std::string(info)).find("\n" + name + ":");
  if (at == std::string::npos) return {};
  info.remove_prefix(at + name.size() + 1);
  return std::string(info.substr(0, info.find_first_of("\r\n")));
}

class Check {
 public:
  Check(cli::Tool& tool, const resp::Address& address)
      : tool_(tool),
        verdicts_(tool),
        address_(address),
        connection_(address, 2000, /*joins=*/false),
        script_(connection_.add_script("return 1")) {}

  int run() {
    std::vector<Reply> replies;
    const resp::Command first[] = {{"INFO"}, {"ROLE"}};
    if (const Status done = connection_.run(first, replies); !done.ok()) {
      return tool_.trouble(done.message());
    }
    if (replies[0].is(Reply::Kind::kError))
      return tool_.trouble(connection_.peer() + ": " + replies[0].text);
    info_ = replies[0].text;
    const std::vector<Reply>& role = replies[1].items;
    replicas_ = role.size() > 2 ? role[2].items.size() : 0;
    say(true, "primary " + connection_.peer());
    version();
    memory();
    durability();
    confirmations();
    rights();
    clock();
    latency();
    keys();
    crawl();
    return broken_.ok() ? tool_.status() : tool_.trouble(broken_.message());
  }

 private:
  void say(bool good, const std::string& what) {
    if (broken_.ok()) verdicts_.say(good, what);
  }
  // A broken connection says nothing about the engine: afterwards nothing is asked or reported.
  Status run(std::span<const resp::Command> commands, std::vector<Reply>& replies) {
    if (broken_.ok()) broken_ = connection_.run(commands, replies);
    return broken_;
  }
  Result<Reply> ask(const resp::Command& command) {
    std::vector<Reply> replies;
    if (const Status done = run({&command, 1}, replies); !done.ok()) return done.error();
    if (replies[0].is(Reply::Kind::kError)) return Error{connection_.trouble_of(replies[0])};
    return std::move(replies[0]);
  }

  void version() {
    const std::string valkey = info_value(info_, "valkey_version"),
                      redis = info_value(info_, "redis_version");
    const std::string& text = valkey.empty() ? redis : valkey;
    const auto major = parse_unsigned(text.substr(0, text.find('.')));
    const bool good = major && *major >= 7;
    say(good,
        (valkey.empty() ? "Redis " : "Valkey ") + text + (good ? "" : ": 7 or later is needed"));
  }
  void memory() {
    const std::string policy = info_value(info_, "maxmemory_policy"),
                      most = info_value(info_, "maxmemory");
    if (policy != "noeviction") {
      say(false, "maxmemory-policy is " + policy + ": it may evict leases; set noeviction");
    } else {
      say(true, "maxmemory-policy noeviction");
    }
    const std::uint64_t bytes = parse_unsigned(most).value_or(0);
    const bool small = bytes != 0 && bytes < (std::uint64_t{96} << 20);
    say(!small, "maxmemory " + most +
                    (bytes == 0 ? " (no bound)"
                     : small    ? ": links on their way need 64 MB"
                                : ""));
  }
  void durability() {
    const bool append_only = info_value(info_, "aof_enabled") == "1";
    say(true, append_only
                  ? "append-only file"
                  : "no append-only file: after a restart leases are taken anew (nothing is lost)");
    // A server that cannot save refuses to write.
    for (const char* const name : {"rdb_last_bgsave_status", "aof_last_write_status"}) {
      const std::string status = info_value(info_, name);
      if (!status.empty() && status != "ok")
        say(false, std::string(name) + " is " + status +
                       ": its disk is full or broken, and it will refuse to write");
    }
  }
  void confirmations() {
    const std::size_t needed = (replicas_ + 1) / 2;
    const std::string count = std::to_string(replicas_) + " replica" + (replicas_ == 1 ? "" : "s");
    if (replicas_ == 1) {
      say(false, count + ": once the primary dies nobody can confirm a lease; take 2, or none");
    } else {
      say(true, count + (replicas_ == 0 ? ": safe, and the crawl stops with the server" : ""));
    }
    std::vector<Reply> replies;
    // WAIT needs a write to confirm: this key expires by itself.
    const resp::Command question[] = {
        {"SET", resp::key_of(address_, "check", ""), "1", "PX", "1000"},
        {"WAIT", std::to_string(needed), "1000"}};
    if (!run(question, replies).ok()) return;
    for (const Reply& one : replies) {
      if (one.is(Reply::Kind::kError)) return say(false, "SET and WAIT: " + one.text);
    }
    const bool good = replies[1].integer >= static_cast<std::int64_t>(needed);
    say(good, "WAIT " + std::to_string(needed) + ": " + std::to_string(replies[1].integer) +
                  " confirmed" + (good ? "" : "; leases need as many"));
  }
  // Tries each command that a crawl uses on a key that expires by itself. The key has the wrong
  // type for most commands, but missing permissions are reported before that. (Commands in a script
  // need the same rights.)
  void rights() {
    const std::string key = resp::key_of(address_, "check", "");
    const std::vector<resp::Command> asked = {{"SET", key, "1", "PX", "1000"},
                                              connection_.call(script_, {&key, 1}, {}),
                                              {"GET", key},
                                              {"PTTL", key},
                                              {"EXISTS", key},
                                              {"HGET", key, "f"},
                                              {"HSET", key, "f", "v"},
                                              {"HSETNX", key, "f", "v"},
                                              {"HMGET", key, "f"},
                                              {"HGETALL", key},
                                              {"HDEL", key, "f"},
                                              {"XADD", key, "*", "m", "v"},
                                              {"XREAD", "COUNT", "1", "STREAMS", key, "0"},
                                              {"XLEN", key},
                                              {"XTRIM", key, "MAXLEN", "0"},
                                              {"PEXPIRE", key, "1000"},
                                              {"DEL", key}};
    std::vector<Reply> replies;
    if (!run(asked, replies).ok()) return;
    for (const Reply& one : replies) {
      if (one.is(Reply::Kind::kError) && one.text.starts_with("NOPERM")) say(false, one.text);
    }
  }
  void clock() {
    const Result<Reply> time = ask({"TIME"});
    if (!time.ok() || time->items.size() != 2)
      return say(false, "TIME: " + (time.ok() ? "strange" : time.message()));
    verdicts_.clocks(parse_unsigned(time->items[0].text).value_or(0));
  }
  void latency() {
    verdicts_.times("latency", 21, [this] {
      if (ask({"PING"}).ok()) return true;
      say(false, "PING fails");
      return false;
    });
  }
  // Checks that every key under our prefix is one of ours, by its name and its type.
  void keys() {
    static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
        {"version", "string"}, {"check", "string"}, {"lease", "string"}, {"epoch", "string"},
        {"stream", "stream"},  {"room", "hash"},    {"table", "hash"}};
    std::string place = "0", pattern;
    for (const char c : address_.prefix())
      pattern += (c == '[' || c == '?' || c == '*' ? "\\" : "") + std::string(1, c);
    std::size_t seen = 0;
    do {
      const Result<Reply> page = ask({"SCAN", place, "MATCH", pattern + "*", "COUNT", "1000"});
      if (!page.ok() || page->items.size() != 2)
        return say(false, "SCAN: " + (page.ok() ? "strange" : page.message()));
      place = page->items[0].text;
      for (const Reply& key : page->items[1].items) {
        ++seen;
        const Result<Reply> type = ask({"TYPE", key.text});
        if (!type.ok() || type->text == "none") continue;
        const std::string_view name = std::string_view(key.text).substr(address_.prefix().size());
        const std::string_view kind = name.substr(0, name.find(':'));
        const auto* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                               [&](const auto& one) { return one.first == kind; });
        if (found == std::end(kKinds)) {
          say(false, "key " + excerpt(key.text) +
                         " is not ours: another program uses our prefix; take another NAME");
        } else if (found->second != type->text) {
          say(false, "key " + excerpt(key.text) + " is a " + type->text + ", and ours is a " +
                         std::string(found->second) + ": another program made it");
        }
      }
    } while (place != "0");
    say(true, std::to_string(seen) + " keys under " + address_.prefix());
  }
  // Says which crawl has this name, so that whoever begins one sees whether it is the same.
  void crawl() {
    const Result<Reply> rows = ask({"HGETALL", resp::key_of(address_, "table", "crawl")});
    if (!rows.ok()) return;
    if (rows->items.empty()) return say(true, "no crawl named " + address_.crawl + " is here yet");
    for (std::size_t i = 0; i + 1 < rows->items.size(); i += 2) {
      say(true, "crawl " + address_.crawl + ": " + excerpt(rows->items[i].text) + " " +
                    excerpt(rows->items[i + 1].text));
    }
    const auto begun = std::find_if(rows->items.begin(), rows->items.end(),
                                    [](const Reply& one) { return one.text == "replicas"; });
    if (begun == rows->items.end() || begun + 1 == rows->items.end()) return;
    if (replicas_ > parse_unsigned((begun + 1)->text).value_or(0)) {
      say(false,
          "more replicas than the crawl was begun with, whose majority is smaller: take them away");
    }
  }

  cli::Tool& tool_;
  Verdicts verdicts_;
  resp::Address address_;
  resp::Connection connection_;
  std::size_t script_;
  std::string info_;
  std::size_t replicas_ = 0;
  Status broken_;
};

}  // namespace

int check_resp(cli::Tool& tool, const resp::Address& address) { return Check(tool, address).run(); }

int check(cli::Tool& tool, const engine::Address& address) {
  const auto* const pg = std::get_if<pg::Address>(&address.of);
  if (pg != nullptr) {
    check_pg(tool, *pg);
  } else {
    check_resp(tool, std::get<resp::Address>(address.of));
  }
  if (!address.bus) return tool.status();
  const Result<int> brokers = kafka::KafkaBus(*address.bus).brokers();
  tool.out().write(brokers.ok() ? "ok   kafka " + address.bus->brokers + ": " +
                                      std::to_string(*brokers) + " brokers\n"
                                : "bad  " + brokers.message() + "\n");
  if (!brokers.ok()) tool.raise_status(1);
  return tool.status();
}

}  // namespace spinneret::link_bus
