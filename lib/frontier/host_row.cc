// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_row.h"

#include <algorithm>

#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

HostCounts& HostCounts::operator+=(const HostCounts& other) {
  waiting += other.waiting;
  done += other.done;
  error += other.error;
  blocked += other.blocked;
  pages += other.pages;
  visits += other.visits;
  bytes += other.bytes;
  return *this;
}

std::uint64_t& HostCounts::of(UrlState state) {
  switch (state) {
    case UrlState::kWaiting: return waiting;
    case UrlState::kDone: return done;
    case UrlState::kError: return error;
    case UrlState::kBlocked: return blocked;
  }
  return error;
}

std::int64_t wait_left_ms(const HostRow& row, std::uint64_t boot, std::int64_t boot_ms) {
  const std::int64_t wait = std::max<std::int64_t>(row.wait_ms, 0);
  if (row.boot == 0 || row.boot != boot) return wait;
  return std::clamp<std::int64_t>(row.next_boot_ms - boot_ms, 0, wait);
}

std::string why_finished(const HostRow& row, std::uint64_t max_pages) {
  const bool is_full = max_pages != 0 && row.counts.waiting != 0 && row.counts.pages >= max_pages;
  switch (row.finish) {
    case Finish::kNot: return is_full ? "it has had its --max-host-pages" : "";
    case Finish::kPatience:
      return row.failures == 1
                 ? "it has not answered: " + std::string(to_string(row.failure))
                 : "it has not answered " + std::to_string(row.failures) +
                       " times in a row, the last " + std::string(to_string(row.failure));
    case Finish::kNoRules: return "its robots.txt is unavailable (" + row.held_reason + ")";
  }
  return "";
}

bool note_gap(HostRow& row, std::int64_t gap_ms, std::int64_t owed_ms) {
  const bool is_least =
      row.least_gap_ms < 0 || gap_ms - owed_ms < row.least_gap_ms - row.least_gap_owed_ms;
  if (is_least) {
    row.least_gap_ms = gap_ms;
    row.least_gap_owed_ms = owed_ms;
  }
  return is_least;
}

void encode_host_row(std::string& out, const HostRow& row) {
  out.clear();
  put_varint(out, row.id);
  out += static_cast<char>(row.finish);
  put_varint(out, bits(row.next_wall_ms));
  put_varint(out, bits(row.wait_ms));
  put_varint(out, bits(row.crawl_delay_ms + 1));
  put_varint(out, bits(row.response_ms));
  put_varint(out, bits(row.backoff_ms));
  put_varint(out, row.factor_percent);
  out += row.no_easing ? '\1' : '\0';
  put_varint(out, row.calm);
  put_varint(out, row.failures);
  put_varint(out, bits(row.span_start_ms));
  put_varint(out, row.span_count);
  put_bytes(out, row.ip);
  for (const std::uint64_t count :
       {row.counts.waiting, row.counts.done, row.counts.error, row.counts.blocked, row.counts.pages,
        row.counts.visits, row.counts.bytes}) {
    put_varint(out, count);
  }
  out += static_cast<char>(row.failure);
  put_varint(out, bits(row.held_until_ms));
  put_bytes(out, row.held_reason);
  if (row.boot == 0 && row.least_gap_ms < 0) return;
  put_varint(out, row.boot);
  if (row.boot != 0) put_varint(out, bits(row.next_boot_ms));
  if (row.least_gap_ms < 0) return;
  put_varint(out, bits(row.least_gap_ms));
  put_varint(out, bits(row.least_gap_owed_ms));
}

bool decode_host_row(std::string_view bytes, HostRow& row) {
  Decoder from{bytes};
  const std::uint64_t id = from.varint();
  if (id >= kMostHosts) return false;
  row.id = static_cast<HostId>(id);
  row.finish = static_cast<Finish>(from.byte());
  row.next_wall_ms = from.milliseconds();
  row.wait_ms = from.milliseconds();
  row.crawl_delay_ms = from.milliseconds() - 1;
  row.response_ms = from.milliseconds();
  row.backoff_ms = from.milliseconds();
  row.factor_percent = static_cast<std::uint32_t>(from.varint());
  row.no_easing = from.byte() != 0;
  row.calm = static_cast<std::uint32_t>(from.varint());
  row.failures = static_cast<std::uint32_t>(from.varint());
  row.span_start_ms = from.milliseconds();
  row.span_count = from.varint();
  row.ip = from.bytes();
  for (std::uint64_t* const count :
       {&row.counts.waiting, &row.counts.done, &row.counts.error, &row.counts.blocked,
        &row.counts.pages, &row.counts.visits, &row.counts.bytes}) {
    *count = from.varint();
  }
  row.failure = static_cast<Outcome>(from.byte());
  row.held_until_ms = from.milliseconds();
  row.held_reason = from.bytes();
  // Older rows end here.
  row.boot = from.rest.empty() ? 0 : from.varint();
  row.next_boot_ms = row.boot == 0 ? 0 : from.milliseconds();
  row.least_gap_ms = from.rest.empty() ? -1 : from.milliseconds();
  row.least_gap_owed_ms = row.least_gap_ms < 0 ? 0 : from.milliseconds();
  if (static_cast<std::size_t>(row.failure) >= all_outcomes().size()) from.bad = true;
  return !from.bad && row.finish <= Finish::kNoRules;
}

}  // namespace spinneret::frontier
