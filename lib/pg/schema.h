// SPDX-License-Identifier: Apache-2.0
// What a crawl keeps in PostgreSQL: the tables of the schema `spinneret`. Crawls in one database share them, and each
// has the rows with its name.
//
//   crawl   crawl, version                                   which version's rows these are
//   lease   crawl, name, node, epoch, until                  a row stays when its lease has run out: epochs are counted there
//   cell    crawl, tab, field, value, until                  small tables; `until`: a table goes when that of all its rows is past
//   room    crawl, stream, generation, first, was, last      of a stream: when it began (µs), offset trimmed to, offset of the
//                                                            end; `was` is what of the two changed last, as it was before
//   message crawl, stream, generation, place, bytes          place: the offset behind it
//
// `room` and `message` are unlogged: a server that crashed, and a standby that takes over, lose their content. The
// sender still has it, and sends it again. In exchange the server writes 23 KB to its disk for a batch instead of 46.
#ifndef SPINNERET_PG_SCHEMA_H_
#define SPINNERET_PG_SCHEMA_H_

namespace spinneret::pg {

inline constexpr const char* kVersion = "1";
inline constexpr int kTables = 5;

// Gives one row, with the number of tables that exist; no row without the right to look into the schema.
extern const char* const kCountTables;
// Makes the tables that are missing; one client at a time.
extern const char* const kMakeTables;

}  // namespace spinneret::pg

#endif  // SPINNERET_PG_SCHEMA_H_
