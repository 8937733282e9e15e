// SPDX-License-Identifier: Apache-2.0
#include "cluster/standing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret::cluster {
namespace {

// Numbers in every row, and in those of this release.
constexpr std::size_t kLeastNumbers = 9, kNumbers = 13;
constexpr double kPaceMs = 10'000;

}  // namespace

std::string format_standing(const Standing& standing) {
  const Report& report = standing.report;
  const std::array<std::uint64_t, kNumbers> numbers = {report.epoch,
                                                       report.beat,
                                                       report.activity,
                                                       std::uint64_t{report.idle},
                                                       std::uint64_t{report.outbox_empty},
                                                       standing.pages,
                                                       standing.waiting,
                                                       standing.in_flight,
                                                       standing.outbox,
                                                       standing.lag_ms,
                                                       standing.pace,
                                                       standing.given_up,
                                                       standing.done};
  std::string out;
  for (const std::uint64_t number : numbers) {
    if (!out.empty()) out += ' ';
    append_unsigned(out, number);
  }
  return out;
}

bool parse_standing(std::string_view text, Standing& out) {
  std::array<std::uint64_t, kNumbers> numbers{};
  for (std::size_t i = 0; i < kNumbers && (i < kLeastNumbers || !text.empty()); ++i) {
    const auto parsed = parse_unsigned(cut(text, ' '));
    if (!parsed) return false;
    numbers[i] = *parsed;
  }
  out = {{numbers[0], 0, numbers[1], numbers[2], numbers[3] != 0, numbers[4] != 0},
         numbers[5],
         numbers[6],
         numbers[7],
         numbers[8],
         numbers[9],
         numbers[10],
         numbers[11],
         numbers[12]};
  return true;
}

bool is_over(const lease::Rows& crawl, std::uint64_t worked_epoch) {
  const auto row = crawl.find(kFinished);
  if (row == crawl.end()) return false;
  // Earlier releases write no number.
  const auto epoch = parse_unsigned(row->second);
  return epoch ? worked_epoch <= *epoch : worked_epoch == 0;
}

Result<std::uint64_t> given_up_in_all(lease::Leases& leases) {
  const Result<lease::Rows> reports = leases.read(kReportsTable);
  if (!reports.ok()) return reports.error();
  std::uint64_t sum = 0;
  for (const auto& [partition, row] : *reports) {
    Standing standing;
    if (parse_standing(row, standing)) sum += standing.given_up;
  }
  return sum;
}

PartOfPages part_of_pages(const lease::Rows& reports, std::uint32_t partition,
                          std::uint32_t partitions) {
  PartOfPages out{0, 0};
  for (std::uint32_t p = 0; p < partitions; ++p) {
    const auto row = reports.find(std::to_string(p));
    Standing standing;
    if (row == reports.end() || !parse_standing(row->second, standing)) return {1, partitions};
    out.all += standing.done;
    if (p == partition) out.own = standing.done;
  }
  return out.own == 0 ? PartOfPages{1, partitions} : out;
}

void Pace::add(std::uint64_t pages, std::int64_t now_ms) {
  const std::int64_t gap_ms = now_ms - std::exchange(at_ms_, now_ms);
  const std::uint64_t before = std::exchange(pages_, pages);
  if (gap_ms > now_ms || gap_ms <= 0 || pages < before) return;
  const auto gap = static_cast<double>(gap_ms);
  const double now = static_cast<double>(pages - before) * 1000 / gap;
  rate_ += (now - rate_) * (1 - std::exp(-gap / kPaceMs));
}

}  // namespace spinneret::cluster
