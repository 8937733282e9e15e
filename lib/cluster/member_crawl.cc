// SPDX-License-Identifier: Apache-2.0
// What is true of a crawl as a whole, as its members tell the engine: its terms, and its end.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/number.h"
#include "cluster/member.h"
#include "cluster/member_open.h"

namespace spinneret::cluster {
namespace {

// How often the engine is told how things stand.
constexpr std::int64_t kReportMs = 1000;
// And asked which partitions have begun, until all have.
constexpr std::int64_t kBegunMs = 2000;
constexpr std::string_view kTerms = "terms", kPartitions = "partitions=";

}  // namespace

// --- the terms ------------------------------------------------------------------------------------

std::uint32_t partitions_of(const lease::Rows& crawl) {
  const auto terms = crawl.find(kTerms);
  if (terms == crawl.end()) return 0;
  std::string_view rest = terms->second;
  if (!rest.starts_with(kPartitions)) return 0;
  rest.remove_prefix(kPartitions.size());
  const auto count = parse_unsigned(cut(rest, ' '));
  return count && *count <= UINT32_MAX ? static_cast<std::uint32_t>(*count) : 0;
}

std::vector<std::string> spread_of(const lease::Rows& crawl) {
  constexpr std::string_view kSpread = "spread=", kCallers = "terms=";
  std::vector<std::string> out;
  const auto terms = crawl.find(kTerms);
  std::string_view rest = terms == crawl.end() ? std::string_view() : terms->second;
  while (!rest.empty()) {
    const std::string_view word = cut(rest, ' ');
    if (word.starts_with(kCallers)) break;  // may hold any words
    if (word.starts_with(kSpread)) out.emplace_back(word.substr(kSpread.size()));
  }
  return out;
}

Status agree(lease::Leases& leases, std::uint32_t partitions, const std::string& terms,
             bool& answered) {
  std::string ours(kPartitions);
  append_unsigned(ours, partitions);
  if (!terms.empty()) ours += ' ' + terms;
  const Result<std::string> stands = leases.claim(kCrawl, kTerms, ours);
  answered = stands.ok();
  if (!stands.ok()) return stands.error();
  if (*stands == ours) return {};
  return Error{"this crawl was begun with \"" + *stands + "\", and here it is \"" + ours +
               "\": all nodes must be called with the same options, rules and seeds; to go on with "
               "others (--recrawl, say), stop all and give another NAME at the end of --cluster"};
}

// --- the end --------------------------------------------------------------------------------------

void Member::report(const frontier::Situation& here) {
  Open& open = *open_;
  const lease::Lease held = lease();
  if (open.kept_epoch != held.epoch) return;  // the next commit has it
  open.report.epoch = held.epoch;
  open.report.idle = here.idle;
  open.report.outbox_empty = open.sender.empty();
  ++open.report.beat;
  std::uint64_t outbox = 0;
  for (const Sender::LaneStatus& lane : open.sender.lanes()) outbox += lane.waiting + lane.taken;
  const std::int64_t now = now_ms();
  open.pace.add(here.pages, now);
  open.standing = {open.report,
                   here.pages,
                   here.waiting,
                   here.in_flight,
                   outbox,
                   static_cast<std::uint64_t>(open.sender.lag_ms(now)),
                   open.pace.per_1000_s(),
                   here.given_up,
                   here.done};
  const lease::Leases::Row rows[] = {{std::string(kReportsTable),
                                      std::to_string(settings_.partition),
                                      format_standing(open.standing), 0}};
  const Result<bool> written = engines_.leases.write(held, rows);
  if (!written.ok()) note_error(written.error());
  if (written.ok() && !*written) lose("another node has the partition now");
  if (written.ok() && !std::exchange(open.unwritten, false) &&
      std::exchange(open.unwritten_told, false))
    settings_.say("the engine takes links again");
}

void Member::learn_begun(std::int64_t now) {
  Open& open = *open_;
  if (open.begun.all() || now < open.begun_ms) return;
  open.begun_ms = now + kBegunMs;
  const Result<lease::Rows> states = engines_.leases.read(kStates);
  if (!states.ok()) return note_error(states.error(), /*writing=*/false);
  const std::uint32_t before = open.begun.count();
  open.begun.add(*states);
  if (open.begun.count() != before) open.begun.keep_in(open.store);
}

frontier::Traffic Member::traffic() const {
  const Standing& last = open_->standing;
  return {last.report.epoch, last.outbox, last.lag_ms};
}

// By what all have reported, or what somebody else has found.
bool Member::judge() {
  std::vector<std::string> names;
  for (std::uint32_t p = 0; p < settings_.partitions; ++p) names.push_back(partition_name(p));
  const std::string_view tables[] = {kCrawl, kReportsTable};
  lease::Leases::View view;
  if (!engines_.leases.look({}, tables, names, view).ok()) return false;
  const lease::Rows &crawl = view.tables[0], &rows = view.tables[1];
  const std::vector<lease::Leases::Holder>& holders = view.holders;
  if (is_over(crawl, open_->worked ? lease().epoch : 0)) return true;
  if (crawl.contains(kFinished) && !engines_.leases.erase(kCrawl, kFinished).ok()) return false;
  std::uint64_t latest = 0;
  std::vector<Report> reports(settings_.partitions);
  for (std::uint32_t p = 0; p < settings_.partitions; ++p) {
    const auto row = rows.find(std::to_string(p));
    Standing standing;
    if (row != rows.end() && parse_standing(row->second, standing)) reports[p] = standing.report;
    reports[p].holder = holders[p].node.empty() ? 0 : holders[p].epoch;
    latest = std::max(latest, reports[p].holder);
  }
  if (!open_->termination.round(reports)) return false;
  return engines_.leases.claim(kCrawl, kFinished, std::to_string(latest)).ok();
}

bool Member::over(const frontier::Situation& here) {
  Open& open = *open_;
  frontier::Situation now_here = here;
  const bool idle = now_here.idle = here.idle && open.messages.empty() && !has_come();
  open.flush = open.idle = idle;
  if (!idle) ++open.report.activity;
  if (!idle && !std::exchange(open.worked, true)) {
    // What an earlier run has said is over: there is work again.
    if (const Status erased = engines_.leases.erase(kCrawl, kFinished); !erased.ok())
      note_error(erased);
  }
  const std::int64_t now = now_ms();
  if (over_ || now < open.report_ms) return over_ && idle;
  open.report_ms = now + kReportMs;
  report(now_here);
  if (!away_) learn_begun(now);
  over_ = idle && !away_ && judge();
  return over_;
}

}  // namespace spinneret::cluster
