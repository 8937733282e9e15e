// SPDX-License-Identifier: Apache-2.0
#include "cluster/quota.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"
#include "cluster/standing.h"

namespace spinneret::cluster {
namespace {

constexpr std::string_view kField = "pages";
// Attempts to change the row while others change it, too.
constexpr int kTries = 4;
// Looks without a change after an engine that forgot the row was told it: in the meantime whoever
// knows a later row tells that.
constexpr int kQuietLooks = 3;

std::uint64_t above(std::uint64_t number, std::uint64_t floor) {
  return number - std::min(number, floor);
}

}  // namespace

// --- the row -------------------------------------------------------------------------------------

std::string Quota::Row::text() const {
  std::string out;
  append_unsigned(out, version);
  for (const std::uint64_t number : {told, left}) {
    out += ' ';
    append_unsigned(out, number);
  }
  for (const auto& [partition, part] : parts) {
    out += ' ';
    append_unsigned(out, partition);
    for (const std::uint64_t number : {part.epoch, part.most}) {
      out += ':';
      append_unsigned(out, number);
    }
  }
  return out;
}

bool Quota::parse(std::string_view text, Row& out) {
  const auto version = parse_unsigned(cut(text, ' ')), told = parse_unsigned(cut(text, ' ')),
             left = parse_unsigned(cut(text, ' '));
  if (!version || !told || !left) return false;
  Row row{*version, *told, *left};
  while (!text.empty()) {
    std::string_view word = cut(text, ' ');
    const auto partition = parse_unsigned(cut(word, ':')), epoch = parse_unsigned(cut(word, ':')),
               most = parse_unsigned(word);
    if (!partition || *partition > UINT32_MAX || !epoch || !most) return false;
    row.parts[static_cast<std::uint32_t>(*partition)] = {*epoch, *most};
  }
  out = std::move(row);
  return true;
}

// Enters each partition with what it has, from earlier runs or from its last owner. (Where the row
// grants less than its pages, the difference comes off `left`.)
bool Quota::Row::enter(const Own& own) {
  bool changed = false;
  for (const auto& [partition, asked] : own) {
    const auto [at, is_new] = parts.emplace(partition, Part{asked.epoch, asked.pages});
    Part& part = at->second;
    if (!is_new && part.epoch >= asked.epoch) continue;
    if (part.most < asked.pages)
      left = above(left, asked.pages - std::exchange(part.most, asked.pages));
    part.epoch = asked.epoch;
    changed = true;
  }
  return changed;
}

// Takes back tickets that lie idle, where no others are left.
bool Quota::Row::take_back(const Own& own) {
  if (left != 0) return false;
  for (const auto& [partition, asked] : own) {
    Part& part = parts.at(partition);
    if (asked.wants || part.epoch != asked.epoch || part.most <= asked.out()) continue;
    left += part.most - asked.out();
    part.most = asked.out();
  }
  return left != 0;
}

// Gives a partition its share of half the tickets left at a time: so large numbers take few looks,
// and the last ones go where they are wanted.
bool Quota::Row::give(std::uint32_t machines, const Own& own) {
  const auto lacks = [this](const auto& each) {
    const Part& part = parts.at(each.first);
    return each.second.wants && part.epoch == each.second.epoch && part.most <= each.second.out();
  };
  const auto lacking = static_cast<std::uint64_t>(std::count_if(own.begin(), own.end(), lacks));
  if (lacking == 0 || left == 0) return false;
  const std::uint64_t each_gets =
      std::max<std::uint64_t>(left / (2 * lacking * std::max(machines, 1U)), 1);
  for (const auto& each : own) {
    if (!lacks(each)) continue;
    const std::uint64_t given = std::min(left, each_gets);
    parts.at(each.first).most = each.second.out() + given;
    left -= given;
  }
  return true;
}

// --- the machine ---------------------------------------------------------------------------------

Status Quota::look(lease::Leases& leases, const lease::Lease& slot, std::uint32_t machines,
                   const Own& own) {
  bool done = false;
  for (int tries = 0; tries < kTries && !done; ++tries) {
    if (Status tried = exchange(leases, slot, machines, own, done); !tried.ok()) return tried;
  }
  return judge(leases, own);
}

Status Quota::exchange(lease::Leases& leases, const lease::Lease& slot, std::uint32_t machines,
                       const Own& own, bool& done) {
  const Result<lease::Rows> rows = leases.read(kQuotaTable);
  if (!rows.ok()) return rows.error();
  const auto at = rows->find(kField);
  const std::optional<std::string> stands =
      at == rows->end() ? std::nullopt : std::optional(at->second);
  Row row;
  const bool is_known = stands && parse(*stands, row);
  const bool is_old = is_known ? row.version < row_.version : row_.version != 0;
  if (is_old) {
    row = row_;
    row.told = row.version;
    quiet_looks_ = kQuietLooks;
  } else if (is_known) {
    if (row.told != row_.told) quiet_looks_ = kQuietLooks;
    row_ = row;
    if (quiet_looks_ != 0) return done = true, --quiet_looks_, Status();
  } else {
    // A machine without partitions does not create the row: those that know the earlier row come
    // first.
    if (own.empty()) return done = true, Status();
    // An epoch is above any version there ever was.
    row = {slot.epoch, 0, limit_};
  }
  if (!is_old) {
    const bool entered = row.enter(own), taken_back = row.take_back(own);
    const bool given = row.give(machines, own);
    if (!entered && !taken_back && !given) return done = true, Status();
    ++row.version;
  }
  const Result<bool> set = leases.compare_and_set(slot, kQuotaTable, kField, stands, row.text());
  if (!set.ok()) return set.error();
  done = *set;
  if (done) row_ = std::move(row);
  return {};
}

// Judges whether all is asked for. A partition's count of pages only grows, so what all have
// reported still holds.
Status Quota::judge(lease::Leases& leases, const Own& own) {
  reached_ = false;
  if (row_.version == 0 || row_.left != 0) return {};
  const Result<lease::Rows> reports = leases.read(kReportsTable);
  if (!reports.ok()) return reports.error();
  reached_ = std::all_of(row_.parts.begin(), row_.parts.end(), [&](const auto& each) {
    const auto mine = own.find(each.first);
    if (mine != own.end()) return mine->second.pages >= each.second.most;
    const auto report = reports->find(std::to_string(each.first));
    Standing standing;
    return report != reports->end() && parse_standing(report->second, standing) &&
           standing.pages >= each.second.most;
  });
  return {};
}

bool Quota::due(const Own& own) const {
  return quiet_looks_ == 0 && std::any_of(own.begin(), own.end(), [this](const auto& each) {
           const auto part = row_.parts.find(each.first);
           if (part == row_.parts.end() || part->second.epoch < each.second.epoch) return true;
           return each.second.wants && row_.left != 0 && part->second.most <= each.second.out();
         });
}

std::uint64_t Quota::most(std::uint32_t partition, std::uint64_t epoch) const {
  if (!limits()) return UINT64_MAX;
  const auto part = row_.parts.find(partition);
  return part != row_.parts.end() && part->second.epoch == epoch ? part->second.most : 0;
}

}  // namespace spinneret::cluster
