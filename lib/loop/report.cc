// SPDX-License-Identifier: Apache-2.0
#include "loop/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/moment.h"
#include "base/number.h"
#include "loop/wire.h"

namespace spinneret::loop {
namespace {

using frontier::UrlRow;
using frontier::UrlState;

void set_seconds(Record& out, std::string_view key, std::int64_t ms) {
  if (ms != 0) out.set(key, seconds_text(ms));
}
void set_text(Record& out, std::string_view key, std::string_view text) {
  if (!text.empty()) out.set(key, text);
}
void set_count(Record& out, std::string_view key, std::uint64_t count) {
  if (count != 0) out.set_unsigned(key, count);
}

constexpr UrlState kStates[] = {UrlState::kWaiting, UrlState::kDone, UrlState::kError,
                                UrlState::kBlocked};

std::int64_t ms_of(Record& record, std::string_view key) {
  const std::optional<double> seconds = parse_decimal(record.get(key).value_or(""));
  return seconds && *seconds < 1e12 ? std::llround(*seconds * 1000) : 0;
}
// A number that is too large becomes the largest one; if it wrapped around, it would be small.
template <typename Number = std::uint64_t>
Number count_of(Record& record, std::string_view key,
                std::uint64_t most = std::numeric_limits<Number>::max()) {
  const std::uint64_t value = parse_unsigned(record.get(key).value_or("")).value_or(0);
  return static_cast<Number>(std::min(value, most));
}

// Adds the changes, in 1/256, and the seconds before visits that found one and before those that
// found none. The field comes after a user's column of the same name, so that the last column of a
// visited URL is ours.
void add_history(Record& out, const UrlRow& row) {
  const frontier::ChangeHistory& history = row.history;
  if (row.visits == 0 || (history.empty() && !out.has("history"))) return;
  out.add("history", std::to_string(history.changes) + ',' + std::to_string(history.changed_s) +
                         ',' + std::to_string(history.same_s));
}

// Adds the number of pages that link to the URL, the cash that they gave it, in parts of a unit,
// and whether it has spent its own; also after a user's column of that name.
void add_votes(Record& out, const frontier::Votes& votes) {
  if (votes.empty() && !out.has("inlinks")) return;
  out.add("inlinks", std::to_string(votes.links) + ',' + std::to_string(votes.cash) + ',' +
                         (votes.spent ? '1' : '0'));
}

// Returns three numbers from the last column of that name; nothing if it is missing, or the
// user's own.
std::optional<std::array<std::uint64_t, 3>> numbers_of(const Record& record, std::string_view key) {
  std::string_view rest;
  for (const Record::Field& field : record.fields()) {
    if (field.key == key) rest = field.raw;
  }
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = parse_unsigned(i == 2 ? rest : cut(rest, ','));
    if (!value) return std::nullopt;
    numbers[i] = *value;
  }
  return numbers;
}

// Returns the change history of a URL that was visited.
std::optional<frontier::ChangeHistory> history_of(Record& record) {
  const auto numbers = numbers_of(record, "history");
  if (!numbers || count_of(record, "visits") == 0) return std::nullopt;
  for (const std::uint64_t each : *numbers) {
    if (each > UINT32_MAX) return std::nullopt;
  }
  const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>((*numbers)[i]); };
  return frontier::ChangeHistory{number(0), number(1), number(2)};
}

std::optional<frontier::Votes> votes_of(const Record& record) {
  const auto numbers = numbers_of(record, "inlinks");
  if (!numbers || (*numbers)[0] > UINT32_MAX || (*numbers)[2] > 1) return std::nullopt;
  return frontier::Votes{(*numbers)[1], static_cast<std::uint32_t>((*numbers)[0]),
                         (*numbers)[2] != 0};
}

// Removes the last column of that name from `columns`.
void erase_last(std::string& columns, const std::string& key) {
  const std::size_t at = columns.rfind('\t' + key + '=');
  columns.erase(at, columns.find('\t', at + 1) - at);
}

// Returns the priority as people see it: greater ones go first.
std::uint64_t priority_of(const UrlRow& row) {
  return frontier::kLastPriority - std::min(row.priority, frontier::kLastPriority);
}

// Returns the columns that url_record() did not write.
std::string own_fields(std::string_view line) {
  constexpr std::string_view kWritten[] = {
      "state",   "depth",         "priority", "purpose",  "via",          "added",
      "visited", "due",           "visits",   "failures", "interval",     "status",
      "etag",    "last-modified", "digest",   "error",    "last-outcome", "outcome"};
  Record record;
  record.parse(line);
  const bool has_history = history_of(record).has_value();
  const bool has_votes = votes_of(record).has_value();
  const bool is_requisite = record.raw("purpose") == "requisite";
  for (const std::string_view key : kWritten) record.remove(key);
  if (is_requisite) record.set("purpose", "requisite");
  std::string out;
  record.append_to(out);
  out.erase(0, record.url().size());
  if (has_history) erase_last(out, "history");
  if (has_votes) erase_last(out, "inlinks");
  return out;
}

void line(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out += key;
  out += ": ";
  append_excerpt(out, value, 4096);
  out += '\n';
}

std::string when(std::int64_t wall_ms) { return wall_ms == 0 ? "" : utc_text(wall_ms / 1000); }

// Formats cash in units, to a thousandth.
std::string cash_text(std::uint64_t cash) {
  return seconds_text(static_cast<std::int64_t>(cash / (frontier::kUnitCash / 1024) * 1000 / 1024));
}

std::string order_text(const frontier::Options& options) {
  const frontier::Order order = options.order.value_or(frontier::Order::kPriority);
  if (order == frontier::Order::kPriority) return "in the order in which they came";
  return "by --order=" + std::string(to_string(order));
}

// Returns what must happen before the URL is sent.
std::string why_it_waits(const frontier::FoundUrl& found, const frontier::Options& options,
                         std::int64_t wall_ms) {
  const frontier::HostRow& host = found.host.row;
  if (host.finish != frontier::Finish::kNot) {
    return "its host was given up in the last run: " + why_finished(host) +
           "; the next one asks it again";
  }
  if (const std::string full = why_finished(host, options.max_host_pages); !full.empty())
    return "its host is finished: " + full;
  if (found.row.due_ms > wall_ms) {
    return "its last try failed (" + std::string(to_string(found.row.outcome)) +
           "); it is tried again at " + utc_text(found.row.due_ms / 1000);
  }
  if (host.held_until_ms > wall_ms) {
    return "its host is held until " + utc_text(host.held_until_ms / 1000) + ": its robots.txt " +
           (host.held_reason == frontier::kVisitTime ? "asks not to be visited at this hour"
                                                     : "is unavailable (" + host.held_reason + ")");
  }
  const std::int64_t closed = wait_for(options.hours, wall_ms, utc_offset_ms(wall_ms));
  if (closed > 0)
    return "nothing goes out before the --hours begin, at " + utc_text((wall_ms + closed) / 1000);
  const std::int64_t left = std::min(host.next_wall_ms - wall_ms, host.wait_ms);
  std::string out;
  if (left > 0) out = "its host may be asked again in " + seconds_text(left) + " s; ";
  const std::uint64_t others =
      host.counts.waiting - std::min<std::uint64_t>(host.counts.waiting, 1);
  return out + (others == 0 ? "it is the next of its host"
                            : std::to_string(others) +
                                  " more wait at its host, which go out by priority and then " +
                                  order_text(options));
}

}  // namespace

void url_record(std::string_view url, const UrlRow& row, std::string& scratch, Record& out) {
  scratch = url;
  scratch += row.extra;
  out.parse(scratch);
  out.set("state", to_string(row.state));
  out.set_unsigned("depth", frontier::links_of(row.depth));
  out.set_unsigned("priority", priority_of(row));
  if (row.is_sitemap) out.set("purpose", "sitemap");
  set_text(out, "purpose", purpose_of_depth(row.depth));
  set_text(out, "via", row.via);
  set_seconds(out, "added", row.added_ms);
  set_seconds(out, "visited", row.last_ms);
  const bool by_worth = row.visit_class != 0 && row.state != UrlState::kWaiting;
  if (!by_worth) set_seconds(out, "due", row.due_ms);
  set_count(out, "visits", row.visits);
  set_count(out, "failures", row.failures);
  set_seconds(out, "interval", row.interval_ms);
  add_history(out, row);
  add_votes(out, row.votes);
  set_count(out, "status", row.status);
  set_text(out, "etag", row.etag);
  set_text(out, "last-modified", row.last_modified);
  set_text(out, "digest", row.digest);
  set_text(out, "error", row.error);
  // A waiting URL is not settled, though its last try had an outcome.
  if (row.visits == 0) return;
  if (row.state == UrlState::kWaiting) {
    out.set("last-outcome", to_string(row.outcome));
  } else {
    out.set_outcome(to_string(row.outcome));
  }
}

UrlRow row_of(std::string_view line) {
  Record record;
  record.parse(line);
  UrlRow row;
  const std::string_view state = record.raw("state");
  for (const UrlState each : kStates) {
    if (state == to_string(each)) row.state = each;
  }
  Wire wire;
  const frontier::Candidate candidate = wire.candidate(line);
  row.depth = candidate.depth;
  row.priority = candidate.priority;
  row.is_sitemap = candidate.is_sitemap;
  row.via = candidate.via;
  row.extra = own_fields(line);
  row.added_ms = ms_of(record, "added");
  row.last_ms = ms_of(record, "visited");
  row.visits = count_of<std::uint32_t>(record, "visits");
  row.failures = count_of<std::uint32_t>(record, "failures");
  row.interval_ms = ms_of(record, "interval");
  row.history = history_of(record).value_or(frontier::ChangeHistory{});
  row.compared_ms = row.last_ms;
  row.votes = votes_of(record).value_or(frontier::Votes{});
  row.status = count_of<std::uint16_t>(record, "status");
  row.etag = record.get("etag").value_or("");
  row.last_modified = record.get("last-modified").value_or("");
  row.digest = record.get("digest").value_or("");
  row.error = record.get("error").value_or("");
  const std::string_view outcome = record.raw(record.has("outcome") ? "outcome" : "last-outcome");
  row.outcome = parse_outcome(outcome).value_or(Outcome::kOk);
  return row;
}

void host_record(const frontier::HostEntry& host, const frontier::Options& options, Record& out) {
  const frontier::HostRow& row = host.row;
  out.reset(host.origin + "/");
  out.set_unsigned("waiting", row.counts.waiting);
  out.set_unsigned("done", row.counts.done);
  out.set_unsigned("error", row.counts.error);
  out.set_unsigned("blocked", row.counts.blocked);
  out.set_unsigned("pages", row.counts.pages);
  out.set_unsigned("visits", row.counts.visits);
  out.set_unsigned("bytes", row.counts.bytes);
  out.set("delay", seconds_text(delay_ms(row, options.politeness)));
  if (row.crawl_delay_ms >= 0) out.set("crawl-delay", seconds_text(row.crawl_delay_ms));
  set_seconds(out, "backoff", row.backoff_ms);
  set_seconds(out, "next", row.next_wall_ms);
  if (row.least_gap_ms >= 0) {
    out.set("least-gap", seconds_text(row.least_gap_ms));
    out.set("least-gap-owed", seconds_text(row.least_gap_owed_ms));
  }
  set_text(out, "ip", row.ip);
  set_count(out, "failures", row.failures);
  if (row.failures != 0) out.set("last-outcome", to_string(row.failure));
  set_seconds(out, "held", row.held_until_ms);
  set_text(out, "held-reason", row.held_reason);
  set_text(out, "finished", why_finished(row, options.max_host_pages));
}

void add_pace(const frontier::HostRow& row, Record& out) {
  set_count(out, "delay-factor-percent", row.factor_percent);
  set_count(out, "time-ms", static_cast<std::uint64_t>(row.response_ms));
  set_count(out, "calm", row.calm);
  if (row.no_easing) out.set("eases", "no");
  set_count(out, "throttled", row.span_count);
  set_seconds(out, "throttled-since", row.span_start_ms);
}

std::optional<frontier::HostRow> host_row_of(std::string_view line, std::int64_t wall_ms) {
  if (!find_raw_field(line, "waiting") || find_raw_field(line, "state")) return std::nullopt;
  Record record;
  record.parse(line);
  frontier::HostRow row;
  row.counts.pages = count_of(record, "pages");
  row.counts.visits = count_of(record, "visits");
  row.counts.bytes = count_of(record, "bytes");
  if (record.has("crawl-delay")) row.crawl_delay_ms = ms_of(record, "crawl-delay");
  row.backoff_ms = std::min(ms_of(record, "backoff"), frontier::kMostBackoffMs);
  row.no_easing = row.backoff_ms != 0 || record.raw("eases") == "no";
  row.factor_percent = count_of<std::uint32_t>(record, "delay-factor-percent", 100'000);
  row.response_ms = count_of<std::int64_t>(record, "time-ms", 86'400'000);
  row.calm = count_of<std::uint32_t>(record, "calm");
  row.span_count = count_of(record, "throttled");
  row.span_start_ms = ms_of(record, "throttled-since");
  row.next_wall_ms = ms_of(record, "next");
  row.wait_ms = std::max<std::int64_t>(row.next_wall_ms - wall_ms, 0);
  if (record.has("least-gap")) {
    row.least_gap_ms = ms_of(record, "least-gap");
    row.least_gap_owed_ms = ms_of(record, "least-gap-owed");
  }
  row.ip = record.get("ip").value_or("");
  row.failures = count_of<std::uint32_t>(record, "failures");
  row.failure = parse_outcome(record.raw("last-outcome")).value_or(Outcome::kOk);
  if (record.has("finished") && row.failures != 0) row.finish = frontier::Finish::kPatience;
  return row;
}

std::string classic_line(std::string_view url, std::string_view realm, const UrlRow& row) {
  std::string out(url);
  // A seed file or a policy may have named the realm.
  const std::string line = out + row.extra;
  const std::string_view named = find_raw_field(line, "realm").value_or("");
  out += ' ';
  out += named.empty() ? realm : named;
  out += ' ';
  switch (row.state) {
    case UrlState::kWaiting: out += '0'; break;
    case UrlState::kError: out += '2'; break;
    case UrlState::kBlocked: out += '3'; break;
    case UrlState::kDone: out += std::to_string(row.last_ms / 1000); break;
  }
  return out;
}

// Uses the fields that --explain of url-filter and robots-check writes.
std::string judgement(std::string_view judged) {
  Record record;
  record.parse(judged);
  const auto text = [&record](std::string_view key) {
    return std::string(record.get(key).value_or(""));
  };
  const auto with = [](std::string_view before, const std::string& value, std::string_view after) {
    return value.empty() ? std::string() : std::string(before) + value + std::string(after);
  };
  std::string out;
  const bool accepted = record.raw("verdict") != "refuse";
  const std::string rule = with(" by ", text("rule"), "") + with(" (", text("policy"), ")");
  const bool far = record.raw("class") == "scope";
  if (accepted || far)
    line(out, "scope", far ? "refused: " + text("why") + rule : "in it, or a seed");
  if (!far) line(out, "policy", accepted ? "accepted" + rule : "refused: " + text("why") + rule);
  const std::string by = with(" by ", text("robots-rule"), "") +
                         with(" (line ", text("robots-line"), ")") +
                         with(" (", text("robots-reason"), ")");
  if (record.has("needs")) {
    line(out, "robots", "not known: " + text("needs") + " is asked first");
  } else if (record.has("robots")) {
    line(out, "robots", text("robots") + by);
  }
  return out;
}

std::string explanation(const frontier::FoundUrl& found, const frontier::Options& options,
                        std::int64_t wall_ms) {
  const UrlRow& row = found.row;
  const frontier::HostRow& host = found.host.row;
  std::string out;
  line(out, "state", to_string(row.state));
  if (row.state == UrlState::kWaiting) line(out, "why", why_it_waits(found, options, wall_ms));
  line(out, "depth", std::to_string(frontier::links_of(row.depth)));
  line(out, "priority", std::to_string(priority_of(row)));
  line(out, "purpose", row.is_sitemap ? "sitemap" : purpose_of_depth(row.depth));
  line(out, "via", row.via);
  std::string field;
  for (std::string_view own = row.extra; !own.empty();) {
    field.clear();
    append_unescaped(field, cut(own, '\t'));
    line(out, "field", field);
  }
  if (row.votes.links != 0) {
    line(out, "pages that link to it", std::to_string(row.votes.links));
    line(out, "cash that they gave it", cash_text(row.votes.cash));
  }
  line(out, "added", when(row.added_ms));
  if (row.visits != 0) {
    line(out, "visited", when(row.last_ms));
    line(out, "visits", std::to_string(row.visits));
    line(out, "outcome", to_string(row.outcome));
    if (row.status != 0) line(out, "status", std::to_string(row.status));
  }
  line(out, "error", row.error);
  if (row.visit_class == 0 || row.state == UrlState::kWaiting) {
    line(out, "due", when(row.due_ms));
  } else if (row.due_ms != 0) {
    const frontier::VisitClass at{static_cast<std::uint16_t>(row.visit_class - 1)};
    const auto every_ms = std::llround(1000 / frontier::rate_of_step(at.rate_step()));
    line(out, "due",
         "when it is worth most: it seems to change once in " +
             seconds_text(every_ms / 1000 * 1000) + " s");
  }
  if (row.interval_ms != 0) line(out, "interval", seconds_text(row.interval_ms) + " s");
  line(out, "etag", row.etag);
  line(out, "last-modified", row.last_modified);
  line(out, "digest", row.digest);
  line(out, "host", found.host.origin);
  line(out, "host's delay", seconds_text(delay_ms(host, options.politeness)) + " s");
  if (host.crawl_delay_ms >= 0)
    line(out, "host's Crawl-delay", seconds_text(host.crawl_delay_ms) + " s");
  line(out, "host may be asked at", when(host.next_wall_ms));
  line(out, "host's address", host.ip);
  return out;
}

}  // namespace spinneret::loop
