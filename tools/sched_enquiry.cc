// SPDX-License-Identifier: Apache-2.0
#include "sched_enquiry.h"

#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/clock.h"
#include "cluster/audit.h"
#include "cluster/store_tables.h"
#include "frontier/frontier.h"
#include "frontier/overlay_store.h"
#include "frontier/rocks_store.h"
#include "sched_settings.h"

namespace spinneret {

using frontier::Frontier;
using frontier::Store;

namespace {

// Brings hosts' counts up to date, which a crash may have left behind.
Status tidy(Store& store, const frontier::Options& options) {
  Result<std::unique_ptr<Frontier>> opened = Frontier::open(store, system_clock(), options);
  return opened.ok() ? (*opened)->close() : Status(opened.error());
}

int run_dry_in(cli::Tool& tool, const std::string& db, const std::string& changes) {
  const frontier::Options options = frontier_options(tool.options());
  Result<std::unique_ptr<Store>> top = frontier::open_rocks_store(changes, {});
  if (!top.ok()) return tool.trouble(top.message());
  std::error_code code;
  if (!std::filesystem::exists(db, code))
    return loop::dry_run({tool, **top, system_clock(), options});
  std::string notice;
  Result<std::unique_ptr<Store>> base =
      frontier::open_rocks_store(db, {.read_only = true}, &notice);
  if (!notice.empty()) tool.notice(notice);
  if (!base.ok()) return tool.trouble(base.message());
  frontier::OverlayStore store(**base, **top);
  return loop::dry_run({tool, store, system_clock(), options});
}

}  // namespace

Action reading_action(const cli::Options& given) {
  if (given.has("list") || given.has("export")) return loop::list_urls;
  if (given.has("show")) return loop::show_urls;
  if (given.has("hosts")) return loop::list_hosts;
  if (given.has("verify") && !given.has("repair")) return loop::verify_state;
  if (given.has("report")) return loop::print_report;
  return nullptr;
}
Action writing_action(const cli::Options& given) {
  if (given.has("forget")) return loop::forget_urls;
  if (given.has("clear-errors")) return loop::clear_errors;
  if (given.has("clear-outcome")) return loop::clear_outcomes;
  if (given.has("import")) return loop::import_urls;
  if (given.has("repair")) return loop::repair_state;
  return nullptr;
}

int enquire(cli::Tool& tool, Action action, const std::string& db, bool read_only) {
  std::string notice;
  Result<std::unique_ptr<Store>> store =
      frontier::open_rocks_store(db, {.read_only = read_only}, &notice);
  // --verify reports it as a problem like others.
  const bool verifies = read_only && tool.options().has("verify");
  if (!notice.empty() && !verifies) tool.notice(notice);
  if (!store.ok()) return tool.trouble(store.message());
  const frontier::Options options = frontier_options(tool.options());
  const Status tidied = read_only ? Status() : tidy(**store, options);
  if (!tidied.ok()) return tool.trouble(tidied.message());
  loop::Enquiry enquiry{tool, **store, system_clock(), options};
  cluster::StoreTables channel(**store);
  const bool parted = (*store)->has(frontier::Table::kOutbox);
  enquiry.verify_more = [&, parted](const auto& problem) {
    if (verifies && !notice.empty()) problem(notice);
    return parted ? audit_channel(channel, problem) : Status();
  };
  if (parted) {
    enquiry.repair_more = [&] {
      return repair_channel(channel, [&] { return (*store)->commit(); });
    };
  }
  return action(enquiry);
}

int run_dry(cli::Tool& tool, const std::string& db) {
  std::string folder = std::filesystem::temp_directory_path() / "politeness-sched.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return tool.trouble("cannot create " + folder);
  const int status = run_dry_in(tool, db, folder + "/db");
  std::error_code code;
  std::filesystem::remove_all(folder, code);
  return status;
}

}  // namespace spinneret
