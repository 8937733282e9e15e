// SPDX-License-Identifier: Apache-2.0
#include "loop/enquiry.h"

#include <fnmatch.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/file.h"
#include "frontier/inspect.h"
#include "frontier/upkeep.h"
#include "io/record.h"
#include "loop/report.h"
#include "loop/wire.h"

namespace spinneret::loop {
namespace {

using frontier::Frontier;
using frontier::HostEntry;
using frontier::UrlRow;
using frontier::UrlState;

// Seeds are committed in batches of this size.
constexpr int kSeedBatch = 10'000;
constexpr std::uint64_t kDryRunPages = 100;

constexpr std::string_view kStates[] = {"waiting", "done", "error", "blocked"};
constexpr std::string_view kForms[] = {"record", "classic"};

int trouble(cli::Tool& tool, const std::string& message) {
  tool.trouble(message);
  return 2;
}

void print(cli::Tool& tool, const std::string& line) {
  tool.out().write(line);
  tool.out().put(tool.terminator());
}

// --host: an origin, or a host name alone.
bool is_wanted_host(const std::string& origin, const std::string& wanted) {
  if (wanted.empty() || origin == wanted || origin + "/" == wanted) return true;
  std::string_view name = std::string_view(origin).substr(origin.find("://") + 3);
  if (name == wanted) return true;
  const std::size_t port = name.rfind(':');
  return port != std::string_view::npos && !name.ends_with(']') && name.substr(0, port) == wanted;
}

}  // namespace

int list_urls(const Enquiry& in) {
  const cli::Options& given = in.tool.options();
  const bool classic = given.choice("form", kForms, 0) == 1;
  std::optional<UrlState> state;
  if (given.has("with-state")) {
    state = static_cast<UrlState>(given.choice("with-state", kStates, 0));
  }
  const std::string wanted = given.get("host");
  std::string url;
  std::string scratch;
  Record record;
  Status inner;
  const Status outer = for_each_host(in.store, [&](const HostEntry& host) {
    if (!is_wanted_host(host.origin, wanted)) return true;
    inner = for_each_url(in.store, host, [&](std::string_view rest, const UrlRow& row) {
      if (state && row.state != *state) return true;
      url.clear();
      frontier::append_url(url, host.origin, rest);
      if (classic) {
        print(in.tool, classic_line(url, host.origin, row));
      } else {
        url_record(url, row, scratch, record);
        in.tool.writer().write(record);
      }
      return in.tool.out().ok();
    });
    return inner.ok() && in.tool.out().ok();
  });
  if (!outer.ok()) return trouble(in.tool, outer.message());
  return inner.ok() ? 0 : trouble(in.tool, inner.message());
}

int show_urls(const Enquiry& in) {
  int status = 0;
  for (const std::string& text : in.tool.options().all("show")) {
    Result<std::optional<frontier::FoundUrl>> found = find_url(in.store, text);
    if (!found.ok()) return trouble(in.tool, found.message());
    if (!found->has_value()) {
      in.tool.notice("not in this state: " + text);
      status = 1;
      continue;
    }
    in.tool.out().write(explanation(**found, in.options.politeness, in.clock.unix_ms()));
  }
  return status;
}

int list_hosts(const Enquiry& in) {
  Record record;
  const Status done = for_each_host(in.store, [&](const HostEntry& host) {
    host_record(host, in.options.politeness, record);
    in.tool.writer().write(record);
    return in.tool.out().ok();
  });
  return done.ok() ? 0 : trouble(in.tool, done.message());
}

int verify_state(const Enquiry& in) {
  std::uint64_t problems = 0;
  const Result<std::uint64_t> urls = verify(in.store, [&](const std::string& problem) {
    if (++problems <= 100) print(in.tool, problem);
  });
  if (!urls.ok()) return trouble(in.tool, urls.message());
  print(in.tool, std::to_string(*urls) + " URLs, " + std::to_string(problems) + " problems");
  return problems == 0 ? 0 : 1;
}

int forget_urls(const Enquiry& in) {
  Result<frontier::Upkeep> upkeep = frontier::Upkeep::open(in.store);
  if (!upkeep.ok()) return trouble(in.tool, upkeep.message());
  const std::vector<std::string> patterns = in.tool.options().all("forget");
  std::string key;
  Record record;
  const Result<std::uint64_t> gone = upkeep->forget(
      [&](std::string_view url) {
        key = url;
        for (const std::string& pattern : patterns) {
          if (fnmatch(pattern.c_str(), key.c_str(), 0) == 0) return true;
        }
        return false;
      },
      [&](std::string_view url, const UrlRow& row) {
        url_record(url, row, key, record);
        in.tool.writer().write(record);
      });
  if (!gone.ok()) return trouble(in.tool, gone.message());
  // As grep: 1 where nothing matched.
  return *gone == 0 ? 1 : 0;
}

int clear_errors(const Enquiry& in) {
  Result<frontier::Upkeep> upkeep = frontier::Upkeep::open(in.store);
  if (!upkeep.ok()) return trouble(in.tool, upkeep.message());
  const Result<std::uint64_t> cleared = upkeep->clear_errors();
  if (!cleared.ok()) return trouble(in.tool, cleared.message());
  in.tool.notice(std::to_string(*cleared) + " URLs wait again");
  return 0;
}

int import_urls(const Enquiry& in) {
  Result<frontier::Upkeep> upkeep = frontier::Upkeep::open(in.store);
  if (!upkeep.ok()) return trouble(in.tool, upkeep.message());
  std::string_view line;
  std::uint64_t taken = 0;
  while (in.tool.next(line)) {
    if (line.empty()) continue;
    const Result<bool> is_new = upkeep->import(record_url(line), row_of(line));
    if (!is_new.ok()) return trouble(in.tool, is_new.message());
    if (*is_new) {
      ++taken;
    } else {
      in.tool.refuse("is known, or no http URL", record_url(line));
    }
  }
  if (const Status done = upkeep->commit(); !done.ok()) return trouble(in.tool, done.message());
  in.tool.notice(std::to_string(taken) + " URLs taken in");
  return 0;
}

int dry_run(const Enquiry& in) {
  // Nothing waits, and nothing is written: `in.store` is a copy.
  frontier::Options options = in.options;
  options.in_flight = UINT32_MAX;
  options.politeness.per_host = UINT32_MAX;
  options.politeness.delay_ms = options.politeness.min_delay_ms = 0;
  if (options.max_pages == 0) options.max_pages = kDryRunPages;
  Result<std::unique_ptr<Frontier>> opened = Frontier::open(in.store, in.clock, options);
  if (!opened.ok()) return trouble(in.tool, opened.message());
  Frontier& frontier = **opened;
  frontier.assume_rules();
  if (const Status seeded = admit_seeds(in.tool, frontier); !seeded.ok()) {
    return trouble(in.tool, seeded.message());
  }
  if (const Status done = frontier.commit(); !done.ok()) return trouble(in.tool, done.message());
  frontier::Dispatch dispatch;
  std::string line;
  while (frontier.next(dispatch)) {
    line.clear();
    Wire::append(line, dispatch);
    in.tool.writer().write_line(line);
  }
  return 0;
}

Status write_checkpoint(frontier::Store& store, const std::string& path) {
  const std::string fresh = path + ".new";
  std::error_code code;
  std::filesystem::remove_all(fresh, code);
  if (const Status made = make_directories(fresh); !made.ok()) return made;
  if (const Status done = store.checkpoint(fresh + "/db"); !done.ok()) return done;
  std::filesystem::remove_all(path, code);
  if (!code) std::filesystem::rename(fresh, path, code);
  if (code) return Error{"cannot replace " + path + ": " + code.message()};
  return {};
}

// First in priority, unless their lines say otherwise.
Status admit_seeds(cli::Tool& tool, Frontier& frontier) {
  if (tool.options().operands().empty()) return {};
  Wire wire;
  std::string_view line;
  int staged = 0;
  while (tool.next(line)) {
    if (line.empty()) continue;
    frontier::Candidate seed = wire.candidate(line);
    if (!find_raw_field(line, "priority")) seed.priority = frontier::kSeedPriority;
    UrlError why;
    switch (frontier.offer(seed, &why)) {
      case Frontier::Offer::kStaged: break;
      case Frontier::Offer::kTooDeep: continue;
      case Frontier::Offer::kNotUrl: tool.refuse(why.message, seed.url); continue;
      case Frontier::Offer::kNotHttp: tool.refuse("is not http or https", seed.url); continue;
    }
    if (++staged % kSeedBatch != 0) continue;
    frontier.seal();
    if (const Status done = frontier.commit(); !done.ok()) return done;
  }
  frontier.seal();
  return {};
}

}  // namespace spinneret::loop
