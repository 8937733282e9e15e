// SPDX-License-Identifier: Apache-2.0
#include "sched_settings.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/hash.h"
#include "base/number.h"

namespace spinneret {
namespace {

// The default of --checkpoint-every with --copies.
constexpr std::int64_t kCopiesEveryMs = 300'000;

std::uint32_t number(const cli::Options& given, const char* name, std::uint32_t otherwise,
                     std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint32_t>(given.unsigned_value(name, otherwise, low, high));
}

// Returns the end of the message about a bad --recrawl: its first word may be misspelt.
std::string meant_recrawl(std::string_view text) {
  static constexpr std::string_view kWords[] = {"adaptive", "best"};
  const std::string_view word = text.substr(0, text.find(':'));
  return word == kWords[0] || word == kWords[1] ? "" : did_you_mean(word, kWords);
}

void read_throttle(const cli::Options& given, frontier::Politeness& out) {
  if (!given.has("throttle")) return;
  const std::string text = given.get("throttle");
  const std::size_t slash = text.find('/');
  const std::string_view span =
      slash == std::string::npos ? "" : std::string_view(text).substr(slash + 1);
  const auto count = parse_unsigned(std::string_view(text).substr(0, slash));
  const auto length = parse_duration_ms(span);
  if (!count || *count == 0 || !length || *length == 0) {
    given.usage_error("--throttle takes a number and a time, such as 100/1h, not " + text);
  }
  out.throttle = *count;
  out.throttle_ms = *length;
}

frontier::Politeness politeness_of(const cli::Options& given) {
  frontier::Politeness out;
  out.delay_ms = given.duration_ms("delay", out.delay_ms);
  out.min_delay_ms = given.duration_ms("min-delay", out.min_delay_ms);
  out.crawl_delay_cap_ms = given.duration_ms("crawl-delay-cap", out.crawl_delay_cap_ms);
  out.factor_percent = static_cast<std::uint32_t>(given.decimal("delay-factor", 2, 0, 1000) * 100);
  out.per_host = number(given, "per-host", 1, 1, 1000);
  out.patience = number(given, "patience", 5, 0, 1'000'000);
  out.give_up_ms = given.duration_ms("give-up-after", 0);
  read_throttle(given, out);
  return out;
}

void read_limits(const cli::Options& given, frontier::Options& out) {
  out.max_pages = given.unsigned_value("max-pages", 0);
  out.max_total_pages = given.unsigned_value("max-total-pages", 0);
  out.max_host_pages = given.unsigned_value("max-host-pages", 0);
  out.max_bytes = given.size("max-bytes", 0);
  out.max_depth = number(given, "max-depth", UINT32_MAX, 0, UINT32_MAX);
}

}  // namespace

frontier::Options frontier_options(const cli::Options& given) {
  frontier::Options out;
  out.politeness = politeness_of(given);
  out.key = static_cast<frontier::PolitenessKey>(given.choice("politeness-key", 0));
  out.in_flight = number(given, "in-flight", 64, 1, 1'000'000);
  out.tries = number(given, "tries", 3, 1, 1000);
  out.retry_delay_ms = given.duration_ms("retry-delay", out.retry_delay_ms);
  out.lease_ms = given.duration_ms("lease", out.lease_ms);
  out.gone_tries = number(given, "forget-gone", 3, 1, 1'000'000);
  out.continuous = given.has("continuous");
  out.whole_before_ms = given.moment_ms("whole-before", 0);
  read_limits(given, out);
  if (given.has("hours")) {
    const auto hours = parse_hours(given.get("hours"));
    if (!hours) given.usage_error("--hours takes two times of the day, such as 22:00-06:00");
    out.hours = *hours;
  }
  if (given.has("recrawl")) {
    std::string why =
        "takes a time such as 4w, adaptive:1d..90d, or a budget such as "
        "best:5000/d,least=1h,most=90d";
    const std::string text = given.get("recrawl");
    const auto recrawl = frontier::parse_recrawl(text, &why);
    if (!recrawl) given.usage_error("--recrawl " + why + meant_recrawl(text));
    out.recrawl = *recrawl;
  }
  if (given.has("order")) {
    out.order = static_cast<frontier::Order>(given.choice("order", 0));
    const bool parted = given.has("partition") || given.has("partitions");
    if (parted && frontier::counts_votes(*out.order))
      given.usage_error("--order=" + given.get("order") +
                        " counts links of one scheduler, not of a crawl in partitions");
  }
  out.seed = random_seed();
  return out;
}

namespace {

// Refuses a word that is neither a URL nor a file but a command: "politeness-sched ... URL cat".
void expect_dashes(const cli::Options& given) {
  const char* const path = std::getenv("PATH");
  for (const std::string& operand : given.operands()) {
    if (cli::is_url_operand(operand) || operand.find('/') != std::string::npos ||
        access(operand.c_str(), F_OK) == 0 || path == nullptr)
      continue;
    for (std::string_view rest = path; !rest.empty();) {
      const std::string at = std::string(cut(rest, ':')) + "/" + operand;
      if (access(at.c_str(), X_OK) == 0)
        given.usage_error("the command of the pipeline follows --, as in -- " + operand);
    }
  }
}

}  // namespace

loop::DriverOptions driver_options(const cli::Options& given) {
  loop::DriverOptions out;
  if (given.command().empty()) expect_dashes(given);
  given.size("max-line", 1);
  out.quiet_ms = given.duration_ms("quiet-time", out.quiet_ms);
  out.grace_ms = given.duration_ms("grace", out.grace_ms);
  out.max_time_ms = given.duration_ms("max-time", 0);
  return out;
}

std::string pipeline_lock(const std::string& state) { return state + "/pipeline.lock"; }

std::unique_ptr<loop::Ends> ends_of(const cli::Tool& tool, const std::string& state,
                                    std::unique_ptr<loop::Pipeline> begun) {
  const cli::Options& given = tool.options();
  loop::EndsOptions options;
  options.terminator = tool.terminator();
  options.max_line = given.size("max-line", options.max_line);
  if (given.command().empty()) return loop::standard_ends(options);
  return loop::child_ends(given.command(), pipeline_lock(state), options, std::move(begun));
}

loop::ShareOptions share_options(const cli::Options& given, const std::string& state) {
  loop::ShareOptions out;
  out.checkpoint = given.get("checkpoint");
  out.continuous = given.has("continuous");
  out.inbox = state + "/inbox";
  out.valve = state + "/valve";
  out.checkpoint_every_ms = given.duration_ms("checkpoint-every", 0);
  // A time of 0 would make no copy at all.
  if (given.has("checkpoint-every") && out.checkpoint_every_ms == 0)
    given.usage_error("--checkpoint-every takes a time greater than 0, such as 10m");
  if (given.has("copies")) {
    if (!given.has("checkpoint")) out.checkpoint = state + "/checkpoint";
    if (!given.has("checkpoint-every")) out.checkpoint_every_ms = kCopiesEveryMs;
  }
  if (out.checkpoint_every_ms > 0 && out.checkpoint.empty())
    given.usage_error("--checkpoint-every goes with --checkpoint=DIR");
  return out;
}

}  // namespace spinneret
