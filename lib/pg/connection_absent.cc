// SPDX-License-Identifier: Apache-2.0
// Replaces connection.cc where libpq is missing.
#include <utility>

#include "pg/connection.h"

namespace spinneret::pg {

struct Connection::Session {};

bool is_built_in() { return false; }
std::int64_t Rows::integer(std::size_t row, std::size_t column) const {
  return integer_of(text(row, column));
}
bool Rows::truth(std::size_t row, std::size_t column) const {
  return text(row, column) == std::string_view("\1", 1);
}
Connection::Connection(Address address, Use use, std::int64_t limit_ms)
    : address_(std::move(address)), use_(use), limit_ms_(limit_ms) {}
Connection::~Connection() = default;
void Connection::close() {}
std::size_t Connection::add_statement(std::string_view) { return 0; }
Result<Rows> Connection::run(std::size_t, const Parameters&) {
  refused_ = true;
  return Error{"this build has no PostgreSQL: libpq was not there (libpq-dev)"};
}
Status Connection::run_each(std::size_t, std::span<const Parameters>, std::vector<Rows>&) {
  return run(0, {}).error();
}
Result<Rows> Connection::ask(const std::string&) { return run(0, {}); }

}  // namespace spinneret::pg
