// SPDX-License-Identifier: Apache-2.0
#include "resp/connection.h"

#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "resp/replies.h"
#include "resp/wire.h"

namespace spinneret::resp {
namespace {

constexpr const char* kVersion = "1";

// A server's answer to one call may take so many times as long as a single wait.
constexpr std::int64_t kMostSilences = 10;
constexpr std::size_t kPiece = std::size_t{256} << 10;

std::int64_t now_ms() { return system_clock().monotonic_ns() / 1'000'000; }

// Returns whether an error concerns the server and not the command, so that another server must be
// asked.
bool is_of_server(std::string_view error) {
  for (const std::string_view word :
       {"MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "LOADING", "READONLY", "NOSCRIPT",
        "NOAUTH", "WRONGPASS", "UNBLOCKED", "BUSY "}) {
    if (error.starts_with(word)) return true;
  }
  return false;
}

// Returns whether a server says that it takes no more connections; it then closes this one.
bool has_no_room(std::string_view error) {
  return error.find("max number of clients") != std::string_view::npos;
}

// Parses "MOVED 1234 host:port". An empty host means the server that says so.
bool moved_to(std::string_view error, Host& host, const Host& from) {
  const std::size_t at = error.rfind(' '), colon = error.rfind(':');
  if (!error.starts_with("MOVED ") || colon == std::string_view::npos || colon < at) return false;
  const auto port = parse_unsigned(error.substr(colon + 1));
  if (!port || *port == 0 || *port > 65535) return false;
  host = {std::string(error.substr(at + 1, colon - at - 1)), static_cast<int>(*port)};
  if (host.name.empty() || host.name == "?") host.name = from.name;
  return true;
}

}  // namespace

struct Connection::Line {
  explicit Line(std::unique_ptr<Wire> its_wire) : wire(std::move(its_wire)) {}
  std::unique_ptr<Wire> wire;
  Replies replies;
  bool heard = false;  // the server has sent something
  // Buffer for one call of the system. Short answers touch only its first page.
  std::unique_ptr<char[]> piece = std::make_unique_for_overwrite<char[]>(kPiece);
};

bool is_built_in() { return true; }

Connection::Connection(Address address, std::int64_t limit_ms, bool joins)
    : address_(std::move(address)), limit_ms_(limit_ms), joins_(joins) {}
Connection::~Connection() = default;

void Connection::close() { line_.reset(); }

Status Connection::send(std::span<const Command> commands) {
  std::string words;
  // Where each body belongs in `words`: by an offset, since `words` moves as it grows.
  std::vector<std::pair<std::size_t, std::string_view>> bodies;
  const auto append = [&words](char kind, std::size_t number) {
    words += kind;
    append_unsigned(words, number);
    words += "\r\n";
  };
  for (const Command& command : commands) {
    append('*', command.size() + (command.body ? 1 : 0));
    for (std::size_t i = 0; i < command.size(); ++i) {
      const bool script = i == 1 && command[0] == "EVALSHA";
      const std::string& sent =
          script ? digests_[parse_unsigned(command[i]).value_or(0)] : command[i];
      append('$', sent.size());
      words += sent;
      words += "\r\n";
    }
    if (!command.body) continue;
    append('$', command.body->size());
    bodies.emplace_back(words.size(), *command.body);
    words += "\r\n";
  }
  std::vector<std::string_view> pieces;
  std::size_t from = 0;
  for (const auto& [at, body] : bodies) {
    pieces.push_back(std::string_view(words).substr(from, at - from));
    pieces.push_back(body);
    from = at;
  }
  pieces.push_back(std::string_view(words).substr(from));
  return line_->wire->write(pieces);
}

Status Connection::exchange(std::span<const Command> commands, std::vector<Reply>& replies) {
  replies.clear();
  if (const Status sent = send(commands); !sent.ok()) return Error{peer() + ": " + sent.message()};
  line_->replies.begin();
  const std::int64_t until_ms = now_ms() + kMostSilences * line_->wire->limit();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Status got = receive(replies.emplace_back(), until_ms);
    if (got.ok()) continue;
    // A server with too many connections says so instead of its first answer, and closes this one.
    if (i != 0 && replies[i - 1].is(Reply::Kind::kError)) return Error{trouble_of(replies[i - 1])};
    return got;
  }
  return {};
}

// Returns a hint where a server hung up at our first words, as a port that wants TLS does.
std::string Connection::guess() const {
  const bool hung_up = !line_->heard && line_->wire->has_ended();
  return hung_up && !address_.tls.on ? " at our first words; if it speaks TLS, name it rediss://"
                                     : "";
}

Status Connection::receive(Reply& out, std::int64_t until_ms) {
  while (true) {
    const Result<bool> whole = line_->replies.next(out);
    if (!whole.ok()) return Error{peer() + ": " + whole.message()};
    if (*whole) return {};
    const Result<std::size_t> got = line_->wire->read({line_->piece.get(), kPiece});
    if (!got.ok()) return Error{peer() + ": " + got.message() + guess()};
    line_->heard = true;
    const Status fed = line_->replies.feed({line_->piece.get(), *got});
    if (!fed.ok()) return Error{peer() + ": " + fed.message()};
    if (now_ms() > until_ms) return Error{peer() + ": does not come to an end with its answer"};
  }
}

Status Connection::reach(const Host& host) {
  peer_ = host;
  line_.reset();
  Result<std::unique_ptr<Wire>> wire = Wire::open(host, address_.tls, limit_ms_, refused_);
  if (!wire.ok()) return Error{peer() + ": " + wire.message()};
  line_ = std::make_unique<Line>(wire.take());
  return {};
}

// Sends the password, where there is one.
Status Connection::authenticate() {
  if (address_.password.empty()) return {};
  std::vector<Reply> replies;
  // Made at once: g++ 14 warns, wrongly, that appending to a command writes behind its end.
  const Command auth = address_.user.empty() ? Command{"AUTH", address_.password}
                                             : Command{"AUTH", address_.user, address_.password};
  if (const Status sent = exchange({&auth, 1}, replies); !sent.ok()) return sent;
  if (!replies[0].is(Reply::Kind::kError)) return {};
  if (has_no_room(replies[0].text)) return Error{trouble_of(replies[0])};
  refused_ = true;
  return Error{peer() + ": refuses the password: " + replies[0].text};
}

Status Connection::open_at(const Host& host, Host& moved) {
  moved.name.clear();
  if (const Status reached = reach(host); !reached.ok()) return reached;
  if (const Status let_in = authenticate(); !let_in.ok()) return let_in;
  std::vector<Reply> replies;
  const Command first[] = {{"ROLE"}, {"GET", key_of(address_, "version", "")}};
  if (const Status sent = exchange(first, replies); !sent.ok()) return sent;
  if (replies[0].is(Reply::Kind::kError)) {
    return Error{trouble_of(replies[0])};
  }
  if (replies[1].is(Reply::Kind::kError) && moved_to(replies[1].text, moved, host))
    return Error{peer() + ": another server has our slot"};
  if (replies[1].is(Reply::Kind::kError)) return Error{trouble_of(replies[1])};
  const Reply& role = replies[0];
  if (role.items.empty() || role.items[0].text != "master") {
    if (role.items.size() > 2 && role.items[2].is(Reply::Kind::kInteger)) {
      moved = {role.items[1].text, static_cast<int>(role.items[2].integer)};
    }
    return Error{peer() + ": is a replica"};
  }
  return greet();
}

// Checks the version of the stored data, and loads our scripts.
Status Connection::greet() {
  std::vector<Command> commands;
  const std::string key = key_of(address_, "version", "");
  if (joins_) commands.push_back({"SET", key, kVersion, "NX"});
  commands.push_back({"GET", key});
  for (const std::string& script : scripts_) commands.push_back({"SCRIPT", "LOAD", script});
  std::vector<Reply> replies;
  if (const Status sent = exchange(commands, replies); !sent.ok()) return sent;
  digests_.clear();
  for (std::size_t i = joins_ ? 1 : 0; i < replies.size(); ++i) {
    if (replies[i].is(Reply::Kind::kError)) return Error{trouble_of(replies[i])};
    if (commands[i][0] == "SCRIPT") digests_.push_back(replies[i].text);
  }
  const Reply& version = replies[joins_ ? 1 : 0];
  if (version.is_text() && version.text != kVersion) {
    refused_ = true;
    return Error{peer() + ": what is stored under " + address_.prefix() + " is of version \"" +
                 version.text.substr(0, 20) + "\", and this program's is " + kVersion +
                 ": use its release, or another NAME"};
  }
  return {};
}

Status Connection::find_by_sentinels(Host& primary) {
  std::string trouble;
  for (const Host& seed : address_.seeds) {
    if (const Status reached = reach(seed); !reached.ok()) {
      trouble = reached.message();
      continue;
    }
    std::vector<Reply> replies;
    const Command question = {"SENTINEL", "get-master-addr-by-name", address_.sentinel};
    Status sent = exchange({&question, 1}, replies);
    // Sentinels may have the servers' password, or none.
    if (sent.ok() && replies[0].text.starts_with("NOAUTH")) {
      sent = authenticate();
      if (sent.ok()) sent = exchange({&question, 1}, replies);
    }
    if (!sent.ok()) {
      trouble = sent.message();
    } else if (replies[0].is(Reply::Kind::kError)) {
      trouble = peer() + ": is not a Sentinel: " + replies[0].text;
    } else if (replies[0].items.size() != 2) {
      trouble = peer() + ": knows no primary named " + address_.sentinel;
    } else {
      const std::string &name = replies[0].items[0].text, &port = replies[0].items[1].text;
      const std::uint64_t number = parse_unsigned(port).value_or(0);
      if (number >= 1 && number <= 65'535) {
        primary = {name, static_cast<int>(number)};
        return {};
      }
      trouble = peer() + ": says that " + address_.sentinel + " is at port " + excerpt(port);
    }
  }
  return Error{trouble};
}

Status Connection::open() {
  if (!address_.sentinel.empty()) {
    Host primary, moved;
    if (const Status found = find_by_sentinels(primary); !found.ok()) return found;
    return open_at(primary, moved);
  }
  std::string trouble;
  for (const Host& seed : address_.seeds) {
    Host at = seed, moved;
    for (int hops = 0; hops < 3; ++hops) {
      const Status opened = open_at(at, moved);
      if (opened.ok()) return opened;
      trouble += (trouble.empty() ? "" : "; ") + opened.message();
      if (moved.name.empty()) break;
      at = moved;
    }
  }
  return Error{trouble};
}

std::size_t Connection::add_script(std::string_view lua) {
  scripts_.emplace_back(lua);
  return scripts_.size() - 1;
}

Command Connection::call(std::size_t script, std::span<const std::string> keys,
                         std::span<const std::string> arguments) {
  // The digest is known once a connection is open; run() puts it in the place of the number.
  Command command = {"EVALSHA", std::to_string(script), std::to_string(keys.size())};
  command.insert(command.end(), keys.begin(), keys.end());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

Status Connection::run(std::span<const Command> commands, std::vector<Reply>& replies,
                       std::int64_t wait_ms) {
  refused_ = false;
  if (line_ == nullptr) {
    if (const Status opened = open(); !opened.ok()) {
      close();
      return opened;
    }
  }
  line_->wire->set_limit(limit_ms_ + wait_ms);
  Status done = exchange(commands, replies);
  for (const Reply& reply : replies) {
    if (done.ok() && reply.is(Reply::Kind::kError) && is_of_server(reply.text))
      done = Error{trouble_of(reply)};
  }
  if (!done.ok()) close();
  return done;
}

Result<Reply> Connection::ask(const Command& command) {
  std::vector<Reply> replies;
  if (const Status done = run({&command, 1}, replies); !done.ok()) return done.error();
  if (replies[0].is(Reply::Kind::kError)) return Error{trouble_of(replies[0])};
  return std::move(replies[0]);
}

std::string Connection::trouble_of(const Reply& error, const std::string& about) {
  const std::string_view text = error.text;
  const bool foreign = text.find("WRONGTYPE") != std::string_view::npos;
  // Our scripts report a key by this word if it has the right type but not the content of a crawl.
  constexpr std::string_view kOdd = "FOREIGN ";
  const bool odd = text.starts_with(kOdd);
  refused_ = foreign || odd || text.starts_with("NOAUTH") || text.starts_with("NOPERM");
  if (odd)
    return peer() + ": another program has written the key " +
           std::string(text.substr(kOdd.size())) + ": delete that key, and nothing is lost";
  if (foreign)
    return peer() +
           ": another program's key is where ours belongs: link-bus --check names it; take another "
           "NAME" +
           (about.empty() ? "" : " (" + about + ")");
  // This error may follow any command; an older server puts it behind the message about the script.
  if (text.find("OOM command not allowed") != std::string_view::npos)
    return peer() + ": its memory is full, and it takes nothing more: raise its maxmemory";
  if (has_no_room(text))
    return peer() + ": has no room for one more connection: raise its maxclients";
  if (text.find("MISCONF") != std::string_view::npos)
    return peer() + ": cannot save to its disk, and takes nothing more: make room there";
  if (text.starts_with("READONLY")) return peer() + ": is a replica, and takes no writes";
  if (text.starts_with("NOREPLICAS"))
    return peer() + ": too few of its replicas answer, and it takes nothing more: start them";
  return peer() + ": " + error.text +
         (text.starts_with("NOAUTH") ? " (the password goes into SPINNERET_REDIS_PASSWORD)" : "") +
         (about.empty() ? "" : " (" + about + ")");
}

std::string key_of(const Address& address, std::string_view kind, std::string_view name) {
  std::string key = address.prefix() + std::string(kind);
  if (!name.empty()) key += ":" + std::string(name);
  return key;
}

}  // namespace spinneret::resp
