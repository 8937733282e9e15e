// SPDX-License-Identifier: Apache-2.0
// One connection to the primary of a Valkey or Redis engine: a single server, several with
// Sentinel, or a cluster, in which all our keys are in one slot. The first call opens the
// connection, and the first call after a failure opens it again, from the seeds, as often as
// necessary. A call never waits longer than the time limit for a single answer.
//
//   Connection connection(address);
//   const std::size_t script = connection.add_script("return redis.call('GET', KEYS[1])");
//   std::vector<Reply> replies;
//   Status done = connection.run({{"SET", key, value}, connection.call(script, {key}, {})},
//                                replies);
//
// Not thread-safe. In a build without hiredis every call fails, and says so.
#ifndef SPINNERET_RESP_CONNECTION_H_
#define SPINNERET_RESP_CONNECTION_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "resp/address.h"
#include "resp/replies.h"

namespace spinneret::resp {

// The words of a command (its name and its arguments), which it owns. `body`, if set, is one more
// argument behind them; it is long, belongs to the caller, and is sent without a copy.
struct Command : std::vector<std::string> {
  using std::vector<std::string>::vector;
  std::optional<std::string_view> body;
};

// Returns whether this build can speak to an engine at all.
bool is_built_in();

class Connection {
 public:
  // With `joins` the crawl's version mark is set where it is missing. It is checked in any case.
  explicit Connection(Address address, std::int64_t limit_ms = 2000, bool joins = true);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Must be called before the first run(). Returns the script's number, for call().
  std::size_t add_script(std::string_view lua);
  Command call(std::size_t script, std::span<const std::string> keys,
               std::span<const std::string> arguments);

  // Sends all commands at once; the replies are in the same order. Fails, and closes the
  // connection, where the engine does not answer, is not a primary (any more), or lacks a script.
  // An error of a single command is a Reply. `wait_ms` is how much longer than the limit an answer
  // may take (for commands that block).
  Status run(std::span<const Command> commands, std::vector<Reply>& replies,
             std::int64_t wait_ms = 0);
  // Does the same for one command, whose own error is a failure, too.
  Result<Reply> ask(const Command& command);

  const Address& address() const { return address_; }
  // The "host:port" to which the last call spoke.
  std::string peer() const { return text_of(peer_); }
  // Returns a sentence about a reply that is an error.
  std::string trouble_of(const Reply& error, const std::string& about = {});
  // Returns whether the last failure was the engine's decision, so that asking again is useless:
  //
  // - it refuses the password or a command,
  // - its certificate is not valid,
  // - it has a crawl of another version, or another program's key in the place of ours.
  bool refused() const { return refused_; }
  void close();

 private:
  struct Line;  // a connection to a server
  Status open();
  Status reach(const Host& host);
  Status authenticate();
  Status open_at(const Host& host, Host& moved);
  Status greet();
  Status find_by_sentinels(Host& primary);
  Status exchange(std::span<const Command> commands, std::vector<Reply>& replies);
  Status send(std::span<const Command> commands);
  std::string guess() const;
  Status receive(Reply& out, std::int64_t until_ms);

  Address address_;
  std::int64_t limit_ms_;
  bool joins_;
  std::vector<std::string> scripts_;
  std::vector<std::string> digests_;
  Host peer_;
  std::unique_ptr<Line> line_;
  bool refused_ = false;
};

// Returns the key's whole name.
std::string key_of(const Address& address, std::string_view kind, std::string_view name);

}  // namespace spinneret::resp

#endif  // SPINNERET_RESP_CONNECTION_H_
