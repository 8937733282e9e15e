// SPDX-License-Identifier: Apache-2.0
// The tables that a crawl keeps in PostgreSQL, in the schema `spinneret`. Crawls in one database
// share them, and each has the rows with its name.
//
//   crawl    crawl, version                    the version of the crawl's rows
//   lease    crawl, name, node, epoch, until   a row stays when its lease has run out, since it
//                                              counts epochs
//   cell     crawl, tab, field, value, until   small tables; one is removed when `until` is past
//                                              in all of its rows
//   room     crawl, stream, generation,        a stream's beginning (µs), the offset up to which it
//            first, was, last                  is trimmed, and the offset of its end; `was` is the
//                                              former value of the offset that changed last
//   message  crawl, stream, generation,        place: the offset behind the message
//            place, bytes
//
// `room` and `message` are unlogged: a server that crashed, and a standby that takes over, lose
// their content. The sender still has it, and sends it again. In exchange the server writes 23 KB
// to its disk for a batch instead of 46.
#ifndef SPINNERET_PG_SCHEMA_H_
#define SPINNERET_PG_SCHEMA_H_

namespace spinneret::pg {

inline constexpr const char* kVersion = "1";
inline constexpr int kTables = 5;

// Gives one row, with the number of tables that exist; no row without the right to look into the
// schema.
extern const char* const kCountTables;
// Makes the tables that are missing; one client at a time does so.
extern const char* const kMakeTables;

}  // namespace spinneret::pg

#endif  // SPINNERET_PG_SCHEMA_H_
