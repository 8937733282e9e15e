// SPDX-License-Identifier: Apache-2.0
#include "loop/enquiry.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "frontier/inspect.h"
#include "frontier/meta.h"
#include "frontier/upkeep.h"
#include "io/reader.h"
#include "io/record.h"
#include "loop/ending.h"
#include "loop/report.h"
#include "loop/seeds.h"
#include "loop/stage_ledger.h"
#include "loop/wire.h"
#include "report/page.h"
#include "report/quantity.h"
#include "report/survey.h"
#include "url/host.h"
#include "url/public_suffix.h"

namespace spinneret::loop {
namespace {

using frontier::Frontier;
using frontier::HostEntry;
using frontier::UrlRow;
using frontier::UrlState;

constexpr std::uint64_t kDryRunPages = 100;

void print(cli::Tool& tool, const std::string& line) {
  tool.out().write(line);
  tool.out().put(tool.terminator());
}

// Returns "h.test:8080" for "http://h.test:8080"; name_of() also removes the port.
std::string_view authority_of(std::string_view origin) {
  return origin.substr(origin.find("://") + 3);
}
std::string_view name_of(std::string_view origin) {
  const std::string_view name = authority_of(origin);
  const std::size_t port = name.ends_with(']') ? std::string_view::npos : name.rfind(':');
  return name.substr(0, port);
}

// Hosts named by --host, as origin or host name; suggests similar names where there are none.
class HostNames {
 public:
  explicit HostNames(std::string wanted)
      : wanted_(std::move(wanted)),
        name_(wanted_.find("://") == std::string::npos ? wanted_ : name_of(wanted_)) {}
  bool is_wanted(const std::string& origin) {
    const bool is = wanted_.empty() || origin == wanted_ || origin + "/" == wanted_ ||
                    authority_of(origin) == wanted_ || name_of(origin) == wanted_;
    found_ = found_ || is;
    if (!found_) consider(name_of(origin));
    return is;
  }
  bool found() const { return found_ || wanted_.empty(); }
  std::string complaint() const {
    const std::vector<std::string_view> like(like_.begin(), like_.end());
    return "no such host in this state: " + excerpt(wanted_) + did_you_mean(name_, like);
  }

 private:
  // A few suggestions are enough, however many hosts there are.
  void consider(std::string_view name) {
    if (like_.size() == kLikeHosts || nearest_word(name_, {&name, 1}).empty()) return;
    like_.emplace_back(name);
  }
  static constexpr std::size_t kLikeHosts = 20;
  std::string wanted_, name_;
  bool found_ = false;
  std::vector<std::string> like_;
};

// Surveys a log. A missing log is empty, and so is a device, which may never end (/dev/full).
Status survey_log(const std::string& path, report::Survey& out) {
  std::error_code code;
  if (path.empty() || !std::filesystem::exists(path, code) ||
      std::filesystem::is_character_file(path, code))
    return {};
  Result<Fd> file = open_file(path, O_RDONLY);
  if (!file.ok()) return file.error();
  LineReader reader(file->get(), {});
  std::string_view line;
  while (true) {
    switch (reader.next(line)) {
      case LineReader::Event::kLine: out.add(line); break;
      case LineReader::Event::kTooLong: ++out.unreadable; break;
      case LineReader::Event::kError:
        return system_error("cannot read " + path, reader.error_code());
      case LineReader::Event::kEnd:
      case LineReader::Event::kWait: return {};
    }
  }
}

// Returns the options of this run, completed by those of the last run.
frontier::Options limited_options(const Enquiry& in, const frontier::Meta& meta) {
  frontier::Options options = in.options;
  options.order = meta.order;
  if (!in.tool.options().has("max-host-pages")) options.max_host_pages = meta.max_host_pages;
  if (!in.tool.options().has("politeness-key")) options.key = meta.lanes.value_or(options.key);
  return options;
}

// Returns how long it takes from now until the host may be visited.
std::int64_t wait_of(const frontier::HostRow& row, const frontier::Boot& boot) {
  return wait_left_ms(row, boot.number, boot.boot_ms);
}

// Adds the host's lane, and the reason why nothing is sent to it now, or "ready".
void add_standing(const HostEntry& host, const frontier::Options& options,
                  const frontier::Boot& boot, std::int64_t wall_ms, Record& out) {
  const frontier::HostRow& row = host.row;
  const std::string_view name = without_root(name_of(host.origin));
  std::string_view lane = name;
  if (options.key == frontier::PolitenessKey::kDomain) lane = registrable_domain(name);
  if (options.key == frontier::PolitenessKey::kIp && !row.ip.empty()) lane = row.ip;
  out.set("lane", lane);
  const char* reason = "ready";
  if (wait_of(row, boot) > 0) reason = "gap";
  if (row.held_until_ms > wall_ms) reason = "held";
  if (row.counts.waiting == 0) reason = "nothing waits";
  if (!why_finished(row, options.max_host_pages).empty()) reason = "finished";
  out.set("reason", reason);
}

// Returns why nothing is sent to the host for now, if the reason is not its delay.
std::string held_text(const frontier::HostRow& row, std::int64_t wall_ms) {
  if (row.held_until_ms <= wall_ms || row.counts.waiting == 0) return {};
  return "for " + seconds_text(row.held_until_ms - wall_ms) + " s: its robots.txt " +
         (row.held_reason == frontier::kVisitTime ? "asks not to be visited at this hour"
                                                  : "is unavailable (" + row.held_reason + ")");
}

// Notes whether the host's least gap was as long as required.
void add_gap(const HostEntry& host, report::Standing& out) {
  const std::int64_t spare = host.row.least_gap_ms - host.row.least_gap_owed_ms;
  if (host.row.least_gap_ms < 0) return;
  if (spare < 0) ++out.early_hosts;
  report::HostFacts& closest = out.closest;
  if (out.measured_hosts++ != 0 && spare >= closest.least_gap_ms - closest.least_gap_owed_ms)
    return;
  closest.origin = host.origin;
  closest.least_gap_ms = host.row.least_gap_ms;
  closest.least_gap_owed_ms = host.row.least_gap_owed_ms;
}

void add_host(const HostEntry& host, const frontier::Options& options, const frontier::Boot& boot,
              std::int64_t wall_ms, report::Standing& out) {
  const frontier::HostRow& row = host.row;
  const frontier::Politeness& rules = options.politeness;
  ++out.hosts;
  const std::string finish = why_finished(row, options.max_host_pages);
  if (!finish.empty())
    ++(row.finish == frontier::Finish::kNot ? out.full_hosts : out.finished_hosts);
  const std::uint64_t waiting = finish.empty() ? row.counts.waiting : 0;
  if (row.finish != frontier::Finish::kNot && out.given_up.would_take(row.counts.waiting))
    out.given_up.add(row.counts.waiting, {.origin = host.origin, .finished = finish});
  out.waiting += waiting;
  const std::int64_t delay = delay_ms(row, rules);
  double left = static_cast<double>(waiting) * static_cast<double>(delay) / rules.per_host;
  if (waiting != 0) left += static_cast<double>(wait_of(row, boot));
  if (left > static_cast<double>(out.least_left_ms)) {
    out.least_left_ms = static_cast<std::int64_t>(left);
    out.slowest_host = host.origin;
  }
  add_gap(host, out);
  const std::uint64_t weight = row.counts.pages + row.counts.waiting;
  if (!out.listed.would_take(weight)) return;
  out.listed.add(
      weight, {host.origin, row.counts.waiting, row.counts.pages, delay, row.crawl_delay_ms, finish,
               held_text(row, wall_ms), row.least_gap_ms, row.least_gap_owed_ms});
}

// How fast a host may be visited.
struct Pace {
  std::int64_t delay_ms = 0;
  std::int64_t first_ms = 0;  // from now
  std::uint32_t at_once = 1;
};
Pace pace_of(const Enquiry& in, const Frontier& frontier, std::string_view url) {
  const frontier::Politeness& rules = in.options.politeness;
  frontier::HostSlot slot = 0;
  if (!frontier.hosts().lookup(report::origin_of(url), slot))
    return {rules.delay_ms, 0, rules.per_host};
  const frontier::HostRow row = frontier.hosts().row(slot);
  return {delay_ms(row, rules), wait_of(row, boot_now(in.store, in.clock)), rules.per_host};
}

// `turn` is the number of URLs of its host that are sent before it.
void append_pace(std::string& line, const Pace& pace, std::uint64_t turn) {
  const std::int64_t after =
      pace.first_ms + pace.delay_ms * static_cast<std::int64_t>(turn / pace.at_once);
  line += "\tdelay=" + seconds_text(pace.delay_ms) + "\tafter=" + seconds_text(after);
}

Result<std::string> report_html(const Enquiry& in) {
  report::Standing standing;
  if (const Status read = read_standing(in, standing); !read.ok()) return read.error();
  standing.again = again_command(in.tool);
  if (in.log != nullptr) {
    const std::lock_guard lock(in.log->mutex);
    if (const Status read = in.log->log.read(); !read.ok()) return read.error();
    return report::page_html(in.log->log.survey(), standing, in.clock.unix_ms());
  }
  report::Survey survey;
  const Status read = survey_log(in.tool.options().get("log"), survey);
  if (!read.ok()) return read.error();
  return report::page_html(survey, standing, in.clock.unix_ms());
}

int clear(const Enquiry& in, const std::function<Result<std::uint64_t>(frontier::Upkeep&)>& which) {
  Result<frontier::Upkeep> upkeep = frontier::Upkeep::open(in.store);
  if (!upkeep.ok()) return in.tool.trouble(upkeep.message());
  const Result<std::uint64_t> cleared = which(*upkeep);
  if (!cleared.ok()) return in.tool.trouble(cleared.message());
  in.tool.notice(report::count_text(*cleared, "URL") + (*cleared == 1 ? " waits" : " wait") +
                 " again");
  return 0;
}

}  // namespace

int list_urls(const Enquiry& in) {
  // Rows of an unknown format could be misread or left out.
  if (const auto meta = read_meta(in.store); !meta.ok()) return in.tool.trouble(meta.message());
  const cli::Options& given = in.tool.options();
  const bool classic = given.choice("form", 0) == 1;
  std::optional<UrlState> state;
  if (given.has("with-state")) {
    state = static_cast<UrlState>(given.choice("with-state", 0));
  }
  const std::string wanted = given.get("host");
  HostNames seen(wanted);
  std::string url;
  std::string scratch;
  Record record;
  Status inner;
  const Status outer = for_each_host(in.store, [&](const HostEntry& host) {
    if (!seen.is_wanted(host.origin)) return true;
    if (given.has("export")) {
      host_record(host, in.options, record);
      add_pace(host.row, record);
      in.tool.writer().write(record);
    }
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
  if (!outer.ok()) return in.tool.trouble(outer.message());
  if (!inner.ok()) return in.tool.trouble(inner.message());
  if (seen.found()) return 0;
  in.tool.notice(seen.complaint());
  return 1;
}

int show_urls(const Enquiry& in) {
  const Result<frontier::Meta> meta = read_meta(in.store);
  if (!meta.ok()) return in.tool.trouble(meta.message());
  const frontier::Options options = limited_options(in, *meta);
  frontier::LoggedRows logged;
  if (const Status read = logged.read(in.store); !read.ok()) return in.tool.trouble(read.message());
  int status = 0;
  for (const std::string& text : in.tool.options().all("show")) {
    Result<std::optional<frontier::FoundUrl>> found = find_url(in.store, logged, text);
    if (!found.ok()) return in.tool.trouble(found.message());
    std::string head = "url: ";
    append_excerpt(
        head, found->has_value() ? frontier::join_url((*found)->host.origin, (*found)->rest) : text,
        4096);
    head += '\n';
    if (in.tool.options().has("judged")) head += judgement(in.tool.options().get("judged"));
    if (!found->has_value()) {
      if (in.tool.options().has("judged")) in.tool.out().write(head);
      in.tool.notice("not in this state: " + text);
      status = 1;
      continue;
    }
    in.tool.out().write(head);
    in.tool.out().write(explanation(**found, options, in.clock.unix_ms()));
  }
  return status;
}

int list_hosts(const Enquiry& in) {
  Record record;
  const Result<frontier::Meta> meta = read_meta(in.store);
  if (!meta.ok()) return in.tool.trouble(meta.message());
  const frontier::Options options = limited_options(in, *meta);
  if (!meta->lanes && !in.tool.options().has("politeness-key"))
    in.tool.notice(
        "the state does not say by which --politeness-key it was crawled: each lane is a host's, "
        "unless you give it");
  const frontier::Boot boot = boot_now(in.store, in.clock);
  const Status done = for_each_host(in.store, [&](const HostEntry& host) {
    host_record(host, options, record);
    add_standing(host, options, boot, in.clock.unix_ms(), record);
    if (!meta->partition.empty()) record.set("partition", meta->partition);
    in.tool.writer().write(record);
    return in.tool.out().ok();
  });
  return done.ok() ? 0 : in.tool.trouble(done.message());
}

namespace {

// Prints at most a hundred problems, and their number.
Result<std::uint64_t> print_problems(const Enquiry& in) {
  std::uint64_t problems = 0;
  const auto tell = [&](const std::string& problem) {
    if (++problems <= 100) print(in.tool, problem);
  };
  const Result<std::uint64_t> urls = verify(in.store, tell);
  if (!urls.ok()) return urls.error();
  const Status more = in.verify_more ? in.verify_more(tell) : Status();
  if (!more.ok()) return more.error();
  print(in.tool, std::to_string(*urls) + " URLs, " + std::to_string(problems) + " problems");
  return problems;
}

}  // namespace

int verify_state(const Enquiry& in) {
  const Result<std::uint64_t> problems = print_problems(in);
  if (!problems.ok()) return in.tool.trouble(problems.message());
  return *problems == 0 ? 0 : 1;
}

int repair_state(const Enquiry& in) {
  const Result<std::uint64_t> problems = print_problems(in);
  if (!problems.ok()) return in.tool.trouble(problems.message());
  if (*problems == 0) return 0;
  Result<frontier::Upkeep> upkeep = frontier::Upkeep::open_damaged(in.store);
  if (!upkeep.ok()) return in.tool.trouble(upkeep.message());
  Status done = upkeep->repair();
  if (done.ok() && in.repair_more) done = in.repair_more();
  if (!done.ok()) return in.tool.trouble(done.message());
  in.tool.notice("repaired; it is looked at again");
  return verify_state(in);
}

int forget_urls(const Enquiry& in) {
  Result<frontier::Upkeep> upkeep = frontier::Upkeep::open(in.store);
  if (!upkeep.ok()) return in.tool.trouble(upkeep.message());
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
      },
      [&] { return in.tool.writer().sink().flush(); });
  if (!gone.ok()) return in.tool.trouble(gone.message());
  // The status is like grep's: 1 where nothing matched.
  return *gone == 0 ? 1 : 0;
}

int clear_errors(const Enquiry& in) { return clear(in, &frontier::Upkeep::clear_errors); }

std::vector<Outcome> outcomes_of(const cli::Options& given, const std::string& option,
                                 bool* failed) {
  std::vector<std::string_view> names;
  for (const OutcomeInfo& info : all_outcomes()) names.push_back(info.name);
  std::vector<Outcome> outcomes;
  for (const std::string& list : given.all(option)) {
    for (std::string_view rest = list; !rest.empty();) {
      const std::string_view word = cut(rest, ',');
      if (failed != nullptr && word == "failed") {
        *failed = true;
        continue;
      }
      const std::optional<Outcome> outcome = parse_outcome(word);
      if (!outcome)
        given.usage_error("--" + option + " takes outcomes, such as too-large,forbidden, not " +
                          excerpt(word) + did_you_mean(word, names));
      outcomes.push_back(*outcome);
    }
  }
  return outcomes;
}

int clear_outcomes(const Enquiry& in) {
  const std::vector<Outcome> outcomes = outcomes_of(in.tool.options(), "clear-outcome");
  return clear(in, [&](frontier::Upkeep& upkeep) { return upkeep.clear_outcomes(outcomes); });
}

Status read_standing(const Enquiry& in, report::Standing& out) {
  const Result<frontier::Meta> meta = read_meta(in.store);
  if (!meta.ok()) return meta.error();
  const frontier::Options options = limited_options(in, *meta);
  const frontier::Boot boot = boot_now(in.store, in.clock);
  out.refusals = frontier::read_refusals(in.store);
  const cli::Options& given = in.tool.options();
  out.stages = read_stage_costs(given.get("state") + "/stages");
  out.all_hosts =
      std::string(in.tool.name()) + " --state=" + shell_word(given.get("state")) + " --hosts";
  out.records = in.tool.beside("records");
  if (given.has("log")) out.log = shell_word(given.get("log"));
  return for_each_host(in.store, [&](const HostEntry& host) {
    add_host(host, options, boot, in.clock.unix_ms(), out);
    return true;
  });
}

int print_report(const Enquiry& in) {
  const Result<std::string> html = report_html(in);
  if (!html.ok()) return in.tool.trouble(html.message());
  in.tool.out().write(*html);
  return 0;
}

Status write_report(const Enquiry& in, const std::string& path) {
  const Result<std::string> html = report_html(in);
  return html.ok() ? write_file_atomic(path, *html) : Status(html.error());
}

namespace {

// Gives the next URL that would be sent, however late; false if this run would send no more.
bool next_dry(Frontier& frontier, FakeClock& clock, frontier::Dispatch& out) {
  while (!frontier.next(out)) {
    if (frontier.exhausted()) return false;
    const std::int64_t wait = frontier.wait_ms();
    if (wait == INT64_MAX) return false;
    clock.advance_ms(std::max<std::int64_t>(wait, 1));
    // Includes what has become due by then.
    if (!frontier.commit().ok()) return false;
  }
  return true;
}

}  // namespace

int dry_run(const Enquiry& in) {
  // There are no delays, and everything written is discarded.
  frontier::Options options = in.options;
  options.in_flight = UINT32_MAX;
  options.politeness.per_host = UINT32_MAX;
  options.politeness.delay_ms = options.politeness.min_delay_ms = 0;
  if (options.max_pages == 0) options.max_pages = kDryRunPages;
  // A clock of our own, which is moved on where hosts must still be left alone.
  FakeClock clock(in.clock);
  Result<std::unique_ptr<Frontier>> opened = Frontier::open(in.store, clock, options);
  if (!opened.ok()) return in.tool.trouble(opened.message());
  Frontier& frontier = **opened;
  frontier.assume_rules();
  if (const Status seeded = admit_seeds(in.tool, frontier); !seeded.ok()) {
    return in.tool.trouble(seeded.message());
  }
  if (const Status done = frontier.commit(); !done.ok()) return in.tool.trouble(done.message());
  frontier::Dispatch dispatch;
  std::string line;
  std::unordered_map<std::string, std::uint64_t> turns;
  while (next_dry(frontier, clock, dispatch)) {
    line.clear();
    dispatch.unheard = false;  // only for fetch
    Wire::append(line, dispatch);
    append_pace(line, pace_of(in, frontier, dispatch.url),
                turns[std::string(report::origin_of(dispatch.url))]++);
    in.tool.writer().write_line(line);
  }
  return 0;
}

}  // namespace spinneret::loop
