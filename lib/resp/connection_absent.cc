// SPDX-License-Identifier: Apache-2.0
// Replaces connection.cc where hiredis is missing.
#include "resp/connection.h"

namespace spinneret::resp {

struct Connection::Line {};

bool is_built_in() { return false; }
Connection::Connection(Address address, std::int64_t limit_ms, bool joins)
    : address_(std::move(address)), limit_ms_(limit_ms), joins_(joins) {}
Connection::~Connection() = default;
void Connection::close() {}
std::size_t Connection::add_script(std::string_view lua) {
  scripts_.emplace_back(lua);
  return scripts_.size() - 1;
}
Command Connection::call(std::size_t, std::span<const std::string>, std::span<const std::string>) {
  return {};
}
Status Connection::run(std::span<const Command>, std::vector<Reply>& replies, std::int64_t) {
  replies.clear();
  return Error{"this build has no engine: hiredis was not there (libhiredis-dev)"};
}
Result<Reply> Connection::ask(const Command& command) {
  std::vector<Reply> replies;
  return run({&command, 1}, replies).error();
}
std::string Connection::trouble_of(const Reply& error, const std::string& /*about*/) {
  return error.text;
}
std::string key_of(const Address& address, std::string_view kind, std::string_view name) {
  std::string key = address.prefix() + std::string(kind);
  if (!name.empty()) key += ":" + std::string(name);
  return key;
}

}  // namespace spinneret::resp
