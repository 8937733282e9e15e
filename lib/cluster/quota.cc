// SPDX-License-Identifier: Apache-2.0
#include "cluster/quota.h"

#include <algorithm>
#include <string>

#include "base/number.h"
#include "cluster/standing.h"

namespace spinneret::cluster {
namespace {

std::uint64_t above(std::uint64_t number, std::uint64_t floor) {
  return number - std::min(number, floor);
}

}  // namespace

std::uint64_t Quota::count(const Own& own) const {
  std::uint64_t sum = 0;
  for (const auto& [partition, asked] : own) {
    const auto before = before_.find(partition);
    if (before != before_.end()) sum += above(asked.pages, before->second) + asked.in_flight;
  }
  return sum;
}

Status Quota::look(lease::Leases& leases, std::uint32_t machines, const Own& own) {
  known_ = false;
  const Result<lease::Rows> begun = leases.read(kPagesBefore);
  if (!begun.ok()) return begun.error();
  for (const auto& [partition, asked] : own) {
    const auto before = before_.find(partition);
    if (before == before_.end() || begun->contains(std::to_string(partition))) continue;
    const Result<std::string> told =
        leases.claim(kPagesBefore, std::to_string(partition), std::to_string(before->second));
    if (!told.ok()) return told.error();
  }
  const Result<lease::Rows> reports = leases.read(kReportsTable);
  if (!reports.ok()) return reports.error();
  std::uint64_t all = 0;
  for (const auto& [name, row] : *begun) {
    const auto partition = parse_unsigned(name), pages = parse_unsigned(row);
    if (!partition || !pages || *partition > UINT32_MAX) continue;
    const auto p = static_cast<std::uint32_t>(*partition);
    // Whoever had it first in this run knows how it began.
    if (own.contains(p)) before_[p] = *pages;
    const auto report = reports->find(name);
    Standing standing;
    if (own.contains(p) || report == reports->end() || !parse_standing(report->second, standing))
      continue;
    all += above(standing.pages, *pages) + standing.in_flight;
  }
  const std::uint64_t here = count(own);
  left_ = above(limit_, all + here);
  const std::uint64_t shares = std::max<std::uint64_t>(machines, 1);
  most_ = here + (left_ + shares - 1) / shares;
  known_ = true;
  return {};
}

std::uint64_t Quota::room(const Own& own) const {
  return !limits() ? UINT64_MAX : known_ ? above(most_, count(own)) : 0;
}

}  // namespace spinneret::cluster
