// SPDX-License-Identifier: Apache-2.0
#include "bus/pg_bus.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "bus/generation.h"
#include "pg/connection.h"

namespace spinneret::bus {
namespace {

// $1 crawl, $2 streams, $3 messages, $4 budget. Returns for each message whether it was appended.
// Once a message was not, those after it in the same stream are not either. An empty stream takes
// its first message however large it is, even where its row says that it is not empty, because
// somebody removed its messages by hand.
constexpr std::string_view kAppend = R"(
WITH item AS (
  SELECT ord, stream, bytes, ord = min(ord) OVER (PARTITION BY stream) AS is_first,
    sum(octet_length(bytes) + 1) OVER (PARTITION BY stream ORDER BY ord)::bigint AS through
  FROM unnest($2::text[], $3::bytea[]) WITH ORDINALITY AS i (stream, bytes, ord)),
alone AS (
  SELECT stream, max(through) FILTER (WHERE through <= $4::bigint OR is_first) AS through FROM item GROUP BY stream),
room AS (
  INSERT INTO spinneret.room AS r (crawl, stream, generation, first, was, last)
  SELECT $1::text, stream, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 0, 0, through FROM alone ORDER BY stream
  ON CONFLICT (crawl, stream) DO UPDATE SET was = r.last, (first, last) = (
    SELECT CASE WHEN anew THEN r.last ELSE r.first END, r.last + CASE WHEN anew THEN excluded.last ELSE fits END
    FROM (SELECT fits, r.last = r.first OR (fits = 0 AND NOT EXISTS (
        SELECT FROM spinneret.message m WHERE m.crawl = r.crawl AND m.stream = r.stream AND m.generation = r.generation)) AS anew
      FROM (SELECT coalesce(max(i.through), 0) AS fits FROM item i
        WHERE i.stream = excluded.stream AND i.through <= $4::bigint - (r.last - r.first)) AS f) AS g)
  RETURNING stream, generation, was, last),
put AS (
  INSERT INTO spinneret.message (crawl, stream, generation, place, bytes)
  SELECT $1::text, stream, generation, was + through, bytes FROM item JOIN room USING (stream) WHERE was + through <= last)
SELECT was + through <= last FROM item JOIN room USING (stream) ORDER BY ord)";

// $1 crawl, $2 streams, $3 generations and $4 places of the cursors, $5 limit.
constexpr std::string_view kRead = R"(
SELECT c.ord - 1, r.generation, m.place, m.bytes
FROM unnest($2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS c (stream, generation, place, ord)
JOIN spinneret.room r ON r.crawl = $1::text AND r.stream = c.stream
CROSS JOIN LATERAL (
  SELECT place, bytes FROM spinneret.message
  WHERE crawl = $1::text AND stream = c.stream AND generation = r.generation
    AND place > CASE WHEN c.generation = r.generation AND c.place <= r.last THEN c.place ELSE 0 END
  ORDER BY place LIMIT $5::bigint) AS m
ORDER BY c.ord, m.place)";

// $1 crawl, $2 stream, $3 generation, $4 place, $5 lease, $6 its owner, or '' for no fence.
constexpr std::string_view kTrim = R"(
WITH fence AS (
  SELECT FROM spinneret.lease WHERE crawl = $1::text AND name = $5::text AND node || ' ' || epoch = $6::text
    AND until > clock_timestamp() FOR SHARE),
allowed AS (SELECT $6::text = '' OR EXISTS (SELECT FROM fence) AS yes),
room AS (
  UPDATE spinneret.room r SET was = r.first, first = $4::bigint FROM allowed
  WHERE yes AND crawl = $1::text AND stream = $2::text AND generation = $3::bigint AND r.first < $4::bigint AND r.last >= $4::bigint
  RETURNING r.was),
gone AS (
  DELETE FROM spinneret.message m USING room
  WHERE m.crawl = $1::text AND m.stream = $2::text AND m.generation = $3::bigint AND m.place > room.was AND m.place <= $4::bigint)
SELECT yes FROM allowed)";

// How often an empty stream is looked at.
constexpr std::int64_t kLookMs = 50;

class PgBus : public Bus {
 public:
  PgBus(pg::Address address, std::uint64_t budget)
      : connection_(std::move(address), pg::Use::kBus),
        budget_(budget),
        append_(connection_.add_statement(kAppend)),
        read_(connection_.add_statement(kRead)),
        trim_(connection_.add_statement(kTrim)) {}

  Status publish(std::span<const Item> items, std::vector<Appended>& outcomes) override {
    outcomes.clear();
    if (items.empty()) return {};
    std::vector<std::string_view> streams, messages;
    for (const Item& item : items) {
      streams.push_back(item.stream);
      messages.push_back(item.bytes);
    }
    const Result<pg::Rows> rows =
        connection_.run(append_, pg::Parameters()
                                     .text(connection_.address().crawl)
                                     .texts(streams)
                                     .byte_strings(messages)
                                     .integer(static_cast<std::int64_t>(budget_)));
    if (!rows.ok()) return rows.error();
    if (rows->size() != items.size()) return Error{connection_.peer() + ": gave a strange answer"};
    for (std::size_t i = 0; i < items.size(); ++i)
      outcomes.push_back(rows->truth(i, 0) ? Appended::kYes : Appended::kFull);
    return {};
  }

  Status read(std::span<Cursor> cursors, std::size_t limit, std::int64_t wait_ms,
              std::vector<Message>& messages) override {
    messages.clear();
    if (cursors.empty()) return {};
    const std::int64_t until = system_clock().monotonic_ns() / 1'000'000 + wait_ms;
    while (true) {
      if (const Status done = read_once(cursors, limit, messages); !done.ok()) return done;
      const std::int64_t left = until - system_clock().monotonic_ns() / 1'000'000;
      if (!messages.empty() || left <= 0) return {};
      // A signal ends the wait, so that the caller can look at it.
      if (poll(nullptr, 0, static_cast<int>(std::min(left, kLookMs))) < 0) return {};
    }
  }

  Status trim_each(std::span<const Trim> all, std::vector<bool>& trimmed) override {
    trimmed.assign(all.size(), true);
    std::vector<pg::Parameters> each;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [stream, through, fence] = all[i];
      Generation at;
      if (!parse_generation(through.id, at)) continue;
      asked.push_back(i);
      each.push_back(pg::Parameters()
                         .text(connection_.address().crawl)
                         .text(stream)
                         .integer(static_cast<std::int64_t>(at.generation))
                         .integer(static_cast<std::int64_t>(at.offset))
                         .text(fence.lease)
                         .text(fence.owner));
    }
    std::vector<pg::Rows> answers;
    if (Status done = connection_.run_each(trim_, each, answers); !done.ok()) return done;
    for (std::size_t k = 0; k < asked.size(); ++k)
      trimmed[asked[k]] = !answers[k].empty() && answers[k].truth(0, 0);
    return {};
  }

 private:
  Status read_once(std::span<Cursor> cursors, std::size_t limit, std::vector<Message>& messages) {
    std::vector<std::string_view> streams;
    std::vector<std::int64_t> generations, places;
    for (const Cursor& cursor : cursors) {
      Generation at;
      static_cast<void>(parse_generation(cursor.place.id, at));
      streams.push_back(cursor.stream);
      generations.push_back(static_cast<std::int64_t>(at.generation));
      places.push_back(static_cast<std::int64_t>(at.offset));
    }
    Result<pg::Rows> rows = connection_.run(read_, pg::Parameters()
                                                       .text(connection_.address().crawl)
                                                       .texts(streams)
                                                       .integers(generations)
                                                       .integers(places)
                                                       .integer(static_cast<std::int64_t>(limit)));
    if (!rows.ok()) return rows.error();
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const auto at = static_cast<std::size_t>(rows->integer(i, 0));
      if (at >= cursors.size()) continue;
      cursors[at].place.id =
          std::to_string(rows->integer(i, 1)) + "-" + std::to_string(rows->integer(i, 2));
      messages.push_back({at, cursors[at].place, rows->take_text(i, 3)});
    }
    return {};
  }

  pg::Connection connection_;
  std::uint64_t budget_;
  std::size_t append_, read_, trim_;
};

}  // namespace

std::unique_ptr<Bus> pg_bus(pg::Address address, std::uint64_t budget) {
  return std::make_unique<PgBus>(std::move(address), budget);
}

}  // namespace spinneret::bus
