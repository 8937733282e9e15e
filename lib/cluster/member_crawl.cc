// SPDX-License-Identifier: Apache-2.0
// The facts about a crawl as a whole that its members tell the engine: its terms, and its end.
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

// How often the engine gets a report.
constexpr std::int64_t kReportMs = 1000;
// How often it is asked which partitions have begun, until all have.
constexpr std::int64_t kBegunMs = 2000;
constexpr std::string_view kTerms = "terms", kPartitions = "partitions=";

}  // namespace

// --- the terms -----------------------------------------------------------------------------------

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

// --- the end -------------------------------------------------------------------------------------

// Makes the report that report_all() writes.
void Member::report(const frontier::Situation& here, std::int64_t now) {
  Open& open = *open_;
  const lease::Lease held = lease();
  if (open.kept_epoch != held.epoch) return;  // the next commit stores the epoch
  open.report.epoch = held.epoch;
  open.report.idle = here.idle;
  open.report.outbox_empty = open.sender.empty();
  ++open.report.beat;
  std::uint64_t outbox = 0;
  for (const Sender::LaneStatus& lane : open.sender.lanes()) outbox += lane.waiting;
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
  open.unreported = format_standing(open.standing);
}

// Writes the reports of the household by one call. It follows the over() of all its members without
// a commit between: an older report could end the crawl while links are on their way.
void Member::report_all() {
  Member* const self = this;
  std::vector<Member*> reporting;
  std::vector<lease::Leases::Writing> writings;
  for (Member* const one : household_of(self)) {
    if (one == nullptr || one->open_->unreported.empty()) continue;
    reporting.push_back(one);
    writings.push_back({one->lease(),
                        {{std::string(kReportsTable), std::to_string(one->settings_.partition),
                          std::exchange(one->open_->unreported, {}), 0}}});
  }
  std::vector<bool> written;
  if (!writings.empty()) {
    const Status done = engines_.leases.write_each(writings, written);
    note_error(done);
    if (!done.ok()) return;
  }
  for (std::size_t i = 0; i < reporting.size(); ++i) {
    Open& its = *reporting[i]->open_;
    if (!written[i]) reporting[i]->lose(kNotOurs);
    // (Leases may be in another engine than links.)
    if (!reporting[i]->away_ && !std::exchange(its.unwritten, false) &&
        std::exchange(its.unwritten_told, false))
      settings_.say("the engine takes links again");
  }
  if (!away_) learn_begun(now_ms());
  if (!away_) judge();
}

void Member::learn_begun(std::int64_t now) {
  Member* const self = this;
  std::vector<Open*> learning;
  for (Member* const one : household_of(self)) {
    if (one == nullptr || one->open_->begun.all() || now < one->open_->begun_ms) continue;
    one->open_->begun_ms = now + kBegunMs;
    learning.push_back(one->open_.get());
  }
  if (learning.empty()) return;
  const Result<lease::Rows> states = engines_.leases.read(kStates);
  if (!states.ok()) return note_error(states.error(), /*writing=*/false);
  for (Open* const its : learning) {
    const std::uint32_t before = its->begun.count();
    its->begun.add(*states);
    if (its->begun.count() != before) its->begun.keep_in(its->store);
  }
}

frontier::Traffic Member::traffic() const {
  const Standing& last = open_->standing;
  return {last.report.epoch, last.outbox, last.lag_ms};
}

// Judges the end by what all have reported, or what another machine has found. While a member of
// the household has work, nobody can find the end.
void Member::judge() {
  Member* const self = this;
  std::vector<Member*> here;
  for (Member* const one : household_of(self)) {
    if (one == nullptr) continue;
    if (!one->open_->idle) return;
    here.push_back(one);
  }
  std::vector<std::string> names;
  for (std::uint32_t p = 0; p < settings_.partitions; ++p) names.push_back(partition_name(p));
  const std::string_view tables[] = {kCrawl, kReportsTable};
  lease::Leases::View view;
  if (!engines_.leases.look({}, tables, names, view).ok()) return;
  const lease::Rows &crawl = view.tables[0], &rows = view.tables[1];
  const std::vector<lease::Leases::Holder>& holders = view.holders;
  // If one of them knows the message to be old, it is old for all. (A partition that had had no
  // work believed it and reported nothing any more, and the crawl never ended.)
  const bool all_over = std::all_of(here.begin(), here.end(), [&crawl](Member* one) {
    return one->over_ || is_over(crawl, one->open_->worked ? one->lease().epoch : 0);
  });
  for (Member* const one : here) one->over_ = all_over;
  if (all_over) return;
  if (crawl.contains(kFinished) && !engines_.leases.erase(kCrawl, kFinished).ok()) return;
  std::uint64_t latest = 0;
  std::vector<Report> reports(settings_.partitions);
  for (std::uint32_t p = 0; p < settings_.partitions; ++p) {
    const auto row = rows.find(std::to_string(p));
    Standing standing;
    if (row != rows.end() && parse_standing(row->second, standing)) reports[p] = standing.report;
    reports[p].holder = holders[p].node.empty() ? 0 : holders[p].epoch;
    latest = std::max(latest, reports[p].holder);
  }
  if (!open_->termination.round(reports)) return;
  if (!engines_.leases.claim(kCrawl, kFinished, std::to_string(latest)).ok()) return;
  for (Member* const one : here) one->over_ = true;
}

bool Member::others_work() const {
  const Member* const self = this;
  if (household_ == nullptr) return false;
  const auto& all = household_->members();
  return std::any_of(all.begin(), all.end(), [self](const Member* one) {
    return one != nullptr && one != self && one->open_->worked && !one->open_->idle;
  });
}

bool Member::over(const frontier::Situation& here) {
  Open& open = *open_;
  open.unreported.clear();  // a commit may have come since
  frontier::Situation now_here = here;
  const bool idle = now_here.idle = here.idle && open.messages.empty() && !has_come();
  open.flush = open.idle = idle;
  if (!idle) ++open.report.activity;
  if (!idle && !std::exchange(open.worked, true) && !others_work()) {
    // A message of an earlier run that all is done is void: there is work again.
    if (const Status erased = engines_.leases.erase(kCrawl, kFinished); !erased.ok())
      note_error(erased);
  }
  const std::int64_t now = now_ms();
  if (over_ || now < open.report_ms) return over_ && idle;
  // All members of a household report at the same moment.
  open.report_ms = (now / kReportMs + 1) * kReportMs;
  report(now_here, now);
  // Members of a household report in the exchange() that follows.
  if (household_ == nullptr) report_all();
  return over_ && idle;
}

}  // namespace spinneret::cluster
