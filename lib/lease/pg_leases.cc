// SPDX-License-Identifier: Apache-2.0
#include "lease/pg_leases.h"

#include <algorithm>
#include <map>
#include <utility>

#include "pg/connection.h"

namespace spinneret::lease {
namespace {

// $1 crawl, $2 name, $3 node, $4 floor, $5 TTL in ms. A made-up epoch ends at kEpochLimit, instead
// of in an error of the server.
constexpr std::string_view kTake = R"(
INSERT INTO spinneret.lease AS l (crawl, name, node, epoch, until)
VALUES ($1::text, $2::text, $3::text, $4::bigint + 1, clock_timestamp() + $5::bigint * interval '1 ms')
ON CONFLICT (crawl, name) DO UPDATE SET node = excluded.node,
  epoch = least(greatest(l.epoch, $4::bigint), 4503599627370495) + 1, until = excluded.until
WHERE l.until <= clock_timestamp() OR l.until > clock_timestamp() + $5::bigint * interval '2 ms'
RETURNING epoch)";

// $1 crawl, $2 names, $3 node, $4 epochs, $5 TTL in ms. Returns the names of the leases that are
// held.
constexpr std::string_view kRenew = R"(
UPDATE spinneret.lease l SET until = clock_timestamp() + $5::bigint * interval '1 ms'
FROM unnest($2::text[], $4::bigint[]) AS h (name, epoch)
WHERE l.crawl = $1::text AND l.name = h.name AND l.node = $3::text AND l.epoch = h.epoch AND l.until > clock_timestamp()
RETURNING l.name)";

// The condition that a lease is held: $1 crawl, $2 name, $3 node, $4 epoch.
#define SPINNERET_HELD                                                               \
  "crawl = $1::text AND name = $2::text AND node = $3::text AND epoch = $4::bigint " \
  "AND until > clock_timestamp()"
// Nobody else can take the lease until the statement is committed.
#define SPINNERET_FENCE \
  "WITH fence AS (SELECT FROM spinneret.lease WHERE " SPINNERET_HELD " FOR SHARE)"

// $5 floor.
constexpr std::string_view kRaise =
    "UPDATE spinneret.lease SET epoch = greatest(epoch, $5::bigint) + 1 WHERE " SPINNERET_HELD
    " RETURNING epoch";
// The row stays, to keep its epoch.
constexpr std::string_view kRelease =
    "UPDATE spinneret.lease SET until = '-infinity' WHERE " SPINNERET_HELD " RETURNING epoch";

// $5 tables, $6 fields, $7 values, $8 how long their tables are kept, in ms; 0: for ever.
constexpr std::string_view kWrite = SPINNERET_FENCE R"(
, put AS (
  INSERT INTO spinneret.cell (crawl, tab, field, value, until)
  SELECT $1::text, tab, field, value, CASE WHEN keep > 0 THEN clock_timestamp() + keep * interval '1 ms' END
  FROM unnest($5::text[], $6::text[], $7::bytea[], $8::bigint[]) AS r (tab, field, value, keep) WHERE EXISTS (SELECT FROM fence)
  ON CONFLICT (crawl, tab, field) DO UPDATE SET value = excluded.value, until = excluded.until)
SELECT 1::bigint FROM fence)";

// $5 table, $6 field, $7 value; for kSwap $8 is the value expected.
constexpr std::string_view kPutNew = SPINNERET_FENCE R"(
INSERT INTO spinneret.cell (crawl, tab, field, value) SELECT $1::text, $5::text, $6::text, $7::bytea FROM fence
ON CONFLICT DO NOTHING RETURNING 1::bigint)";
constexpr std::string_view kSwap = SPINNERET_FENCE R"(
UPDATE spinneret.cell c SET value = $7::bytea FROM fence
WHERE c.crawl = $1::text AND c.tab = $5::text AND c.field = $6::text AND c.value = $8::bytea RETURNING 1::bigint)";

// $1 crawl, $2 table, $3 field, $4 value.
constexpr std::string_view kClaim = R"(
INSERT INTO spinneret.cell AS c (crawl, tab, field, value) VALUES ($1::text, $2::text, $3::text, $4::bytea)
ON CONFLICT (crawl, tab, field) DO UPDATE SET value = c.value RETURNING value)";

// $1 crawl, $2 tables. A table whose rows have all expired counts as empty.
constexpr std::string_view kRead = R"(
SELECT tab, field, value FROM (
  SELECT tab, field, value, bool_and(coalesce(until <= clock_timestamp(), false)) OVER (PARTITION BY tab) AS gone
  FROM spinneret.cell WHERE crawl = $1::text AND tab = ANY ($2::text[])) AS c
WHERE NOT gone)";

// $1 crawl, $2 table, $3 field. Deletes expired tables, too, since nobody else does.
constexpr std::string_view kErase = R"(
DELETE FROM spinneret.cell WHERE crawl = $1::text AND (tab = $2::text AND field = $3::text
  OR tab IN (SELECT tab FROM spinneret.cell WHERE crawl = $1::text GROUP BY tab HAVING bool_and(coalesce(until <= clock_timestamp(), false)))))";

// $1 crawl, $2 names.
constexpr std::string_view kHolders = R"(
SELECT name, node, epoch, (extract(epoch FROM until - clock_timestamp()) * 1000)::bigint
FROM spinneret.lease WHERE crawl = $1::text AND name = ANY ($2::text[]) AND until > clock_timestamp())";

std::vector<std::string_view> views(std::span<const std::string> all) {
  return {all.begin(), all.end()};
}

class PgLeases : public Leases {
 public:
  PgLeases(pg::Address address, const Clock& clock, std::string node, std::int64_t ttl_ms)
      : connection_(std::move(address), pg::Use::kLeases),
        clock_(clock),
        node_(std::move(node)),
        ttl_ms_(ttl_ms),
        statements_{connection_.add_statement(kTake),   connection_.add_statement(kRenew),
                    connection_.add_statement(kRaise),  connection_.add_statement(kRelease),
                    connection_.add_statement(kWrite),  connection_.add_statement(kPutNew),
                    connection_.add_statement(kSwap),   connection_.add_statement(kClaim),
                    connection_.add_statement(kRead),   connection_.add_statement(kErase),
                    connection_.add_statement(kHolders)} {}

  std::string fence_value(const Lease& lease) const override {
    return node_ + " " + std::to_string(lease.epoch);
  }

  Result<Taken> take(std::string_view name, std::uint64_t floor) override {
    const std::uint64_t least = epoch_floor(floor, clock_.unix_ms());
    const Result<pg::Rows> rows =
        connection_.run(statements_.take, pg::Parameters()
                                              .text(connection_.address().crawl)
                                              .text(name)
                                              .text(node_)
                                              .integer(static_cast<std::int64_t>(least))
                                              .integer(ttl_ms_));
    if (!rows.ok()) return rows.error();
    Taken taken;
    taken.granted = !rows->empty();
    if (taken.granted) {
      taken.lease = {std::string(name), static_cast<std::uint64_t>(rows->integer(0, 0))};
      if (taken.lease.epoch < kEpochLimit) return taken;
      return Error{connection_.peer() + ": another program has written the epoch of " +
                   taken.lease.name + " in the table spinneret.lease: delete that row of crawl " +
                   connection_.address().crawl + ", and nothing is lost"};
    }
    std::vector<Holder> holder;
    const std::string names[] = {std::string(name)};
    if (const Status asked = holders(names, holder); !asked.ok()) return asked.error();
    taken.owner = holder[0].node;
    taken.remaining_ms = holder[0].remaining_ms;
    return taken;
  }

  Status renew(std::span<const Lease> held, std::vector<Renewed>& answers) override {
    answers.clear();
    if (held.empty()) return {};
    std::vector<std::string> names;
    std::vector<std::int64_t> epochs;
    for (const Lease& lease : held) {
      names.push_back(lease.name);
      epochs.push_back(static_cast<std::int64_t>(lease.epoch));
    }
    const Result<pg::Rows> rows =
        connection_.run(statements_.renew, pg::Parameters()
                                               .text(connection_.address().crawl)
                                               .texts(views(names))
                                               .text(node_)
                                               .integers(epochs)
                                               .integer(ttl_ms_));
    if (!rows.ok()) return rows.error();
    std::vector<bool> good(held.size());
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const auto at = std::find(names.begin(), names.end(), rows->text(i, 0));
      if (at != names.end()) good[static_cast<std::size_t>(at - names.begin())] = true;
    }
    // Asks whether another node has the leases that were not renewed.
    std::vector<Holder> now(held.size());
    if (rows->size() < held.size()) {
      if (const Status asked = holders(names, now); !asked.ok()) return asked;
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
      answers.push_back(good[i]               ? Renewed::kHeld
                        : now[i].node.empty() ? Renewed::kForgotten
                                              : Renewed::kLost);
    }
    return {};
  }

  Result<std::optional<std::uint64_t>> raise(const Lease& lease, std::uint64_t floor) override {
    const std::uint64_t least = epoch_floor(std::max(floor, lease.epoch), clock_.unix_ms());
    const Result<pg::Rows> rows =
        connection_.run(statements_.raise, fenced(lease).integer(static_cast<std::int64_t>(least)));
    if (!rows.ok()) return rows.error();
    if (rows->empty()) return std::optional<std::uint64_t>();
    return std::optional(static_cast<std::uint64_t>(rows->integer(0, 0)));
  }

  Result<bool> release(const Lease& lease) override {
    return changes(statements_.release, fenced(lease));
  }

  Status write_each(std::span<const Writing> all, std::vector<bool>& written) override {
    written.clear();
    std::vector<pg::Parameters> each;
    for (const Writing& one : all) each.push_back(writing(one));
    std::vector<pg::Rows> answers;
    if (Status done = connection_.run_each(statements_.write, each, answers); !done.ok())
      return done;
    for (const pg::Rows& rows : answers) written.push_back(!rows.empty());
    return {};
  }

  Result<bool> compare_and_set(const Lease& lease, std::string_view table, std::string_view field,
                               const std::optional<std::string>& expected,
                               std::string_view value) override {
    pg::Parameters parameters = fenced(lease);
    parameters.text(table).text(field).bytes(value);
    if (!expected) return changes(statements_.put_new, parameters);
    return changes(statements_.swap, parameters.bytes(*expected));
  }

  Result<std::string> claim(std::string_view table, std::string_view field,
                            std::string_view value) override {
    Result<pg::Rows> rows = connection_.run(
        statements_.claim,
        pg::Parameters().text(connection_.address().crawl).text(table).text(field).bytes(value));
    if (!rows.ok()) return rows.error();
    if (rows->empty()) return Error{connection_.peer() + ": gave a strange answer"};
    return rows->take_text(0, 0);
  }

  Result<Rows> read(std::string_view table) override {
    std::vector<Rows> all;
    if (Status done = read_all({&table, 1}, all); !done.ok()) return done.error();
    // cppcheck takes the element of a vector for a local variable.
    // cppcheck-suppress returnStdMoveLocal
    return std::move(all.front());
  }

  Status look(std::span<const Lease> held, std::span<const std::string_view> tables,
              std::span<const std::string> names, View& out) override {
    if (Status done = renew(held, out.answers); !done.ok()) return done;
    if (Status done = read_all(tables, out.tables); !done.ok()) return done;
    return holders(names, out.holders);
  }

  Status erase(std::string_view table, std::string_view field) override {
    const Result<pg::Rows> rows =
        connection_.run(statements_.erase,
                        pg::Parameters().text(connection_.address().crawl).text(table).text(field));
    return rows.ok() ? Status() : rows.error();
  }

  Status holders(std::span<const std::string> names, std::vector<Holder>& holders) override {
    holders.assign(names.size(), {});
    if (names.empty()) return {};
    const Result<pg::Rows> rows =
        connection_.run(statements_.holders,
                        pg::Parameters().text(connection_.address().crawl).texts(views(names)));
    if (!rows.ok()) return rows.error();
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const Holder holder{rows->text(i, 1), static_cast<std::uint64_t>(rows->integer(i, 2)),
                          rows->integer(i, 3)};
      for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k] == rows->text(i, 0)) holders[k] = holder;
      }
    }
    return {};
  }

  bool refused() const override { return connection_.refused(); }
  std::string fence_key(const Lease& lease) const override { return lease.name; }

 private:
  // Returns $1 to $4: the crawl, and the lease that must be held.
  pg::Parameters fenced(const Lease& lease) const {
    return pg::Parameters()
        .text(connection_.address().crawl)
        .text(lease.name)
        .text(node_)
        .integer(static_cast<std::int64_t>(lease.epoch));
  }

  pg::Parameters writing(const Writing& one) const {
    // A statement may write a row only once: the last value of each wins.
    std::map<std::pair<std::string_view, std::string_view>, const Row*> last;
    for (const Row& row : one.rows) last[{row.table, row.field}] = &row;
    std::vector<std::string_view> tables, fields, values;
    std::vector<std::int64_t> keeps;
    for (const auto& [place, row] : last) {
      tables.push_back(place.first);
      fields.push_back(place.second);
      values.push_back(row->value);
      keeps.push_back(row->keep_ms);
    }
    return fenced(one.lease).texts(tables).texts(fields).byte_strings(values).integers(keeps);
  }

  // Reads the tables, in order, by one statement.
  Status read_all(std::span<const std::string_view> tables, std::vector<Rows>& out) {
    out.assign(tables.size(), {});
    if (tables.empty()) return {};
    Result<pg::Rows> rows = connection_.run(
        statements_.read, pg::Parameters().text(connection_.address().crawl).texts(tables));
    if (!rows.ok()) return rows.error();
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const auto at = std::find(tables.begin(), tables.end(), rows->text(i, 0));
      if (at == tables.end()) continue;
      Rows& table = out[static_cast<std::size_t>(at - tables.begin())];
      table[rows->take_text(i, 1)] = rows->take_text(i, 2);
    }
    return {};
  }

  // Returns whether the statement gave a row.
  Result<bool> changes(std::size_t statement, const pg::Parameters& parameters) {
    const Result<pg::Rows> rows = connection_.run(statement, parameters);
    if (!rows.ok()) return rows.error();
    return !rows->empty();
  }

  struct Statements {
    std::size_t take, renew, raise, release, write, put_new, swap, claim, read, erase, holders;
  };

  pg::Connection connection_;
  const Clock& clock_;
  std::string node_;
  std::int64_t ttl_ms_;
  Statements statements_;
};

}  // namespace

std::unique_ptr<Leases> pg_leases(pg::Address address, const Clock& clock, std::string node,
                                  std::int64_t ttl_ms) {
  return std::make_unique<PgLeases>(std::move(address), clock, std::move(node), ttl_ms);
}

}  // namespace spinneret::lease
