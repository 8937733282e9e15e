// SPDX-License-Identifier: Apache-2.0
// One connection to the primary of a PostgreSQL. The first call opens it, and the first call after
// a failure opens it again, at the first host in its address that accepts writes. A call never
// waits longer than the time limit for an answer.
//
//   Connection connection(address);
//   const std::size_t statement =
//       connection.add_statement("SELECT value FROM spinneret.cell WHERE crawl = $1 ...");
//   Result<Rows> rows = connection.run(statement, Parameters().text(address.crawl));
//
// Each call is a transaction of its own. The tables (schema.h) are made where they are missing. Not
// thread-safe. In a build without libpq every call fails, and says so.
#ifndef SPINNERET_PG_CONNECTION_H_
#define SPINNERET_PG_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "pg/address.h"
#include "pg/parameters.h"

namespace spinneret::pg {

// Returns whether this build can speak to a PostgreSQL at all.
bool is_built_in();

// The result of a statement: bytes by row and column. An integer (bigint) is its eight bytes; NULL
// is empty.
struct Rows {
  std::size_t columns = 0;
  std::vector<std::string> cells;

  std::size_t size() const { return columns == 0 ? 0 : cells.size() / columns; }
  bool empty() const { return cells.empty(); }
  // Empty where the server gave fewer values than were asked for.
  const std::string& text(std::size_t row, std::size_t column) const {
    static const std::string none;
    const std::size_t at = row * columns + column;
    return at < cells.size() ? cells[at] : none;
  }
  // Moves the value out of the rows.
  std::string take_text(std::size_t row, std::size_t column) {
    const std::size_t at = row * columns + column;
    return at < cells.size() ? std::move(cells[at]) : std::string();
  }
  std::int64_t integer(std::size_t row, std::size_t column) const;
  bool truth(std::size_t row, std::size_t column) const;
};

enum class Use : std::uint8_t {
  // A commit is kept: on the disk, and by the standbys for which the server waits.
  kLeases,
  kBus,   // a commit may be forgotten
  kLook,  // make neither a table nor a version mark
};

class Connection {
 public:
  explicit Connection(Address address, Use use, std::int64_t limit_ms = 2000);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Must be called before the first run(). Returns the statement's number, for run().
  std::size_t add_statement(std::string_view sql);
  // Fails, and closes the connection, where the server does not answer, is a standby (now), or
  // refuses the statement.
  Result<Rows> run(std::size_t statement, const Parameters& parameters);
  // Runs the statement for each of `all`, in order, each in a transaction of its own; with libpq 14
  // or later by one round trip. Where one fails, so does the call, and any of the others may have
  // been done or not.
  Status run_each(std::size_t statement, std::span<const Parameters> all,
                  std::vector<Rows>& answers);
  // Runs one statement or several, separated by semicolons and without parameters, once. Returns
  // the rows of the last, as text.
  Result<Rows> ask(const std::string& sql);

  const Address& address() const { return address_; }
  // The "host:port" to which the last call spoke.
  std::string peer() const { return text_of(peer_); }
  // Returns whether the last failure was the server's decision, so that asking again is useless:
  //
  // - it refuses the password or the database,
  // - it does not grant a right that is needed,
  // - it has a crawl of another version, or another program's tables in the place of ours.
  bool refused() const { return refused_; }
  // Returns whether the connection itself failed, so that nothing was decided.
  bool was_cut() const { return cut_; }
  void close();

 private:
  struct Session;
  Status open();
  Status open_at(const ServiceHost& host);
  Status greet();
  Status make_tables();
  Status check_version();
  Status failed(const std::string& state, const std::string& text);
  Status prepare(std::size_t statement);
  bool send(std::size_t statement, const Parameters& parameters);
  Result<Rows> receive(bool sent);
  Result<Rows> simple(const std::string& sql);

  Address address_;
  Use use_;
  std::int64_t limit_ms_;
  std::vector<std::string> statements_;
  ServiceHost peer_;
  std::unique_ptr<Session> session_;
  bool refused_ = false;
  bool cut_ = false;
};

}  // namespace spinneret::pg

#endif  // SPINNERET_PG_CONNECTION_H_
