// SPDX-License-Identifier: Apache-2.0
#include "pg/schema.h"

namespace spinneret::pg {

const char* const kCountTables = R"(
SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'spinneret' AND c.relname IN ('crawl', 'lease', 'cell', 'room', 'message'))";

// IF NOT EXISTS requires the right to make a schema even where another user has made it, so the
// schema is looked for first. Messages are compressed where the server has lz4 (0.80 and 0.97 us of
// its CPU a link, against 1.27 and 1.04 measured in turn). They are soon deleted, and vacuumed
// after a number of deletions, since a share of a table with a backlog is never reached.
const char* const kMakeTables = R"(
BEGIN;
SELECT pg_advisory_xact_lock(8318821834902413);
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'spinneret') THEN CREATE SCHEMA spinneret; END IF;
END $$;
CREATE TABLE IF NOT EXISTS spinneret.crawl (crawl text PRIMARY KEY, version text NOT NULL);
CREATE TABLE IF NOT EXISTS spinneret.lease (crawl text, name text, node text NOT NULL, epoch bigint NOT NULL,
  until timestamptz NOT NULL, PRIMARY KEY (crawl, name)) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS spinneret.cell (crawl text, tab text, field text, value bytea NOT NULL, until timestamptz,
  PRIMARY KEY (crawl, tab, field)) WITH (fillfactor = 50);
CREATE UNLOGGED TABLE IF NOT EXISTS spinneret.room (crawl text, stream text, generation bigint NOT NULL, first bigint NOT NULL,
  was bigint NOT NULL, last bigint NOT NULL, PRIMARY KEY (crawl, stream)) WITH (fillfactor = 20);
CREATE UNLOGGED TABLE IF NOT EXISTS spinneret.message (crawl text, stream text, generation bigint, place bigint,
  bytes bytea NOT NULL, PRIMARY KEY (crawl, stream, generation, place))
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000);
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
    ALTER TABLE spinneret.message ALTER bytes SET COMPRESSION lz4;
  ELSE
    ALTER TABLE spinneret.message ALTER bytes SET STORAGE EXTERNAL;
  END IF;
END $$;
COMMIT)";

}  // namespace spinneret::pg
