// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "base/number.h"
#include "cluster/member.h"
#include "link_bus.h"
#include "link_bus_verdicts.h"
#include "pg/connection.h"
#include "pg/schema.h"

namespace spinneret::link_bus {
namespace {

// The most connections of each partition and of each machine, as counted in pg_stat_activity. (A
// process with --partition has three.)
constexpr std::uint64_t kOfPartition = 2, kOfMachine = 2, kMachines = 3;
// The number of partitions that is assumed without --partitions.
constexpr std::uint32_t kPartitions = 16;

class PgCheck {
 public:
  PgCheck(cli::Tool& tool, const pg::Address& address)
      : tool_(tool), verdicts_(tool), address_(address), connection_(address, pg::Use::kLook) {}

  int run() {
    const Result<pg::Rows> all = ask("SELECT name, setting FROM pg_catalog.pg_settings");
    if (!all.ok()) return tool_.trouble(all.message());
    for (std::size_t i = 0; i < all->size(); ++i) settings_[all->text(i, 0)] = all->text(i, 1);
    say(true, "primary " + connection_.peer());
    say(true, "PostgreSQL " + settings_["server_version"]);
    durability();
    commits();
    rights();
    clock();
    latency();
    tables();
    crawl();
    connections();
    return broken_.ok() ? tool_.status() : tool_.trouble(broken_.message());
  }

 private:
  void say(bool good, const std::string& what) {
    if (broken_.ok()) verdicts_.say(good, what);
  }
  // A cut connection says nothing about the engine: afterwards nothing is asked or reported.
  Result<pg::Rows> ask(const std::string& sql) {
    if (!broken_.ok()) return broken_.error();
    Result<pg::Rows> rows = connection_.ask(sql);
    if (!rows.ok() && connection_.was_cut()) broken_ = rows.error();
    return rows;
  }

  void durability() {
    for (const char* const name : {"fsync", "full_page_writes"}) {
      const bool on = settings_[name] == "on";
      say(on,
          std::string(name) +
              (on ? " on"
                  : " off: a machine that fails may leave tables that cannot be read; set it on"));
    }
    const std::string& commit = settings_["synchronous_commit"];
    say(true,
        "synchronous_commit " + commit +
            (commit == "off" || commit == "local" ? ": leases set it on for themselves" : ""));
    if (settings_["default_transaction_read_only"] == "on")
      say(false, "default_transaction_read_only on: nothing can be written");
  }
  // Says what a lease costs, and whether the standbys answer for which commits wait.
  void commits() {
    const std::string& names = settings_["synchronous_standby_names"];
    say(true,
        names.empty()
            ? "no standby is waited for: after a failover leases are taken anew (nothing is lost)"
            : "commits wait for standbys: " + excerpt(names));
    verdicts_.times("commit", 5, [&] {
      const Result<pg::Rows> done =
          ask("SET synchronous_commit = on; SELECT pg_catalog.pg_logical_emit_message(true, "
              "'spinneret', '')");
      if (!done.ok())
        say(false, "a commit: " + done.message() +
                       (names.empty() ? "" : ": is a standby away that it waits for?"));
      return done.ok();
    });
  }
  // Checks that our tables exist, or may be created.
  void rights() {
    const Result<pg::Rows> rows = ask(
        "SELECT current_user, n.oid IS NOT NULL, CASE WHEN n.oid IS NULL THEN "
        "has_database_privilege(current_database(), 'CREATE') "
        "ELSE has_schema_privilege(n.oid, 'USAGE') AND (has_schema_privilege(n.oid, 'CREATE') OR "
        "(" +
        std::string(pg::kCountTables) + ") = " + std::to_string(pg::kTables) +
        ") END FROM (SELECT) AS one LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = "
        "'spinneret'");
    if (!rows.ok()) return say(false, "rights: " + rows.message());
    const bool there = rows->text(0, 1) == "t", good = rows->text(0, 2) == "t";
    const std::string who = "user " + excerpt(rows->text(0, 0));
    if (good)
      return say(
          true, who + (there ? " may use the schema spinneret" : " may make the schema spinneret"));
    say(false,
        who + (there ? " may not use the schema spinneret: GRANT ALL ON SCHEMA spinneret TO it"
                     : " may not make the schema spinneret: GRANT CREATE ON DATABASE " +
                           excerpt(address_.database) + " TO it"));
  }
  void clock() {
    const Result<pg::Rows> time =
        ask("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint");
    if (!time.ok()) return say(false, "clock: " + time.message());
    verdicts_.clocks(parse_unsigned(time->text(0, 0)).value_or(0));
  }
  void latency() {
    verdicts_.times("latency", 21, [this] {
      if (ask("SELECT 1").ok()) return true;
      say(false, "SELECT 1 fails");
      return false;
    });
  }
  // Checks that everything in the schema is ours, by name and by columns.
  void tables() {
    static constexpr std::pair<std::string_view, std::string_view> kOurs[] = {
        {"crawl", "crawl text, version text"},
        {"lease", "crawl text, name text, node text, epoch bigint, until timestamp with time zone"},
        {"cell", "crawl text, tab text, field text, value bytea, until timestamp with time zone"},
        {"room",
         "crawl text, stream text, generation bigint, first bigint, was bigint, last bigint"},
        {"message", "crawl text, stream text, generation bigint, place bigint, bytes bytea"}};
    const Result<pg::Rows> rows = ask(
        "SELECT c.relname, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', "
        "' ORDER BY a.attnum) "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND "
        "n.nspname = 'spinneret' "
        "LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT "
        "a.attisdropped "
        "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') GROUP BY c.relname ORDER BY c.relname");
    if (!rows.ok()) return say(false, "tables: " + rows.message());
    made_ = rows->size() >= pg::kTables;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const std::string name = "table spinneret." + excerpt(rows->text(i, 0));
      const auto* const ours =
          std::find_if(std::begin(kOurs), std::end(kOurs),
                       [&](const auto& one) { return one.first == rows->text(i, 0); });
      if (ours == std::end(kOurs)) {
        say(false, name + " is not ours: another program uses our schema; take another database");
      } else if (ours->second != rows->text(i, 1)) {
        say(false, name + " has " + excerpt(rows->text(i, 1)) + ", and ours has " +
                       std::string(ours->second) + ": another program made it");
        made_ = false;
      }
    }
    say(true, std::to_string(rows->size()) + " tables in the schema spinneret");
  }
  // Says which crawl has this name, so that whoever begins one sees whether it is the same.
  void crawl() {
    const std::string where = " FROM spinneret.", of = " WHERE crawl = '" + address_.crawl + "'";
    Result<pg::Rows> rows = pg::Rows();
    if (made_) {
      const Result<pg::Rows> version = ask("SELECT version" + where + "crawl" + of);
      if (version.ok() && !version->empty() && version->text(0, 0) != pg::kVersion)
        say(false, "crawl " + address_.crawl + " is of version " + excerpt(version->text(0, 0)) +
                       ", and this program's is " + pg::kVersion);
      rows = ask("SELECT field, convert_from(value, 'UTF8')" + where + "cell" + of +
                 " AND tab = 'crawl' ORDER BY field");
      if (!rows.ok()) return say(false, "crawl " + address_.crawl + ": " + rows.message());
    }
    if (rows->empty()) return say(true, "no crawl named " + address_.crawl + " is here yet");
    lease::Rows of_crawl;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      of_crawl[rows->text(i, 0)] = rows->text(i, 1);
      say(true, "crawl " + address_.crawl + ": " + excerpt(rows->text(i, 0)) + " " +
                    excerpt(rows->text(i, 1)));
    }
    partitions_ = std::max<std::uint32_t>(cluster::partitions_of(of_crawl), 1);
  }
  void connections() {
    const std::uint64_t most = parse_unsigned(settings_["max_connections"]).value_or(0),
                        kept =
                            parse_unsigned(settings_["superuser_reserved_connections"]).value_or(0),
                        needed = kOfPartition * partitions_ + kOfMachine * kMachines;
    say(most >= needed + kept, "max_connections " + std::to_string(most) + ": " +
                                   std::to_string(partitions_) + " partitions on " +
                                   std::to_string(kMachines) + " machines take " +
                                   std::to_string(needed));
  }

  cli::Tool& tool_;
  Verdicts verdicts_;
  pg::Address address_;
  pg::Connection connection_;
  std::map<std::string, std::string> settings_;
  std::uint32_t partitions_ = kPartitions;
  bool made_ = false;
  Status broken_;
};

}  // namespace

int check_pg(cli::Tool& tool, const pg::Address& address) { return PgCheck(tool, address).run(); }

}  // namespace spinneret::link_bus
