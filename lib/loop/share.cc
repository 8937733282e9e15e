// SPDX-License-Identifier: Apache-2.0
#include "loop/share.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "io/record.h"
#include "loop/checkpoint.h"
#include "loop/inbox.h"
#include "loop/seeds.h"
#include "report/quantity.h"

namespace spinneret::loop {

namespace {

// Each look at the inbox costs a system call.
constexpr std::int64_t kMailMs = 100;
// Results, and links of other partitions, stay uncommitted for at most this long, if there is
// enough other work; and at most this many results.
constexpr std::int64_t kPutOffMs = 100;
constexpr std::size_t kPutOffResults = 64;
constexpr std::int64_t kNoteRefusalsMs = 5000;

bool is_seed_of(frontier::Offer offered) {
  return offered == frontier::Offer::kStaged || offered == frontier::Offer::kElsewhere;
}

}  // namespace

using frontier::Frontier;

Share::Share(Voice& voice, const Clock& clock, const Belongings& belongings, ShareOptions options)
    : voice_(voice),
      clock_(clock),
      its_(belongings),
      options_(std::move(options)),
      valve_(options_.valve),
      checkpoint_ms_(clock.monotonic_ns() / 1'000'000) {
  hurry();
}

Status Share::may_copy() const {
  return options_.checkpoint_every_ms == 0 ? Status() : may_hold_checkpoint(options_.checkpoint);
}

// --- input ---------------------------------------------------------------------------------------

void Share::take_link(std::string_view line, std::uint64_t number) {
  end_.add_link();
  UrlError why;
  switch (its_.frontier.offer(wire_.candidate(line), &why)) {
    case Frontier::Offer::kNotUrl:
      return voice_.refuse("pipeline", number, why.message, record_url(line));
    case Frontier::Offer::kNotHttp:
      shown_.assign(line);
      shown_ += "\tclass=scheme\twhy=not http or https";
      return refuse_link(shown_);
    case Frontier::Offer::kElsewhere:
      return its_.neighbours->offer(its_.frontier.elsewhere(), line);
    default: return;
  }
}

// Admits links of another partition. A line that is not a link is reported with its source: sending
// it again would not help.
void Share::admit_from(std::string_view source, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = cut(lines, '\n');
    UrlError why;
    const Frontier::Offer offered = is_settled(line)
                                        ? Frontier::Offer::kNotUrl
                                        : its_.frontier.offer(wire_.candidate(line), &why);
    if (offered == Frontier::Offer::kStaged || offered == Frontier::Offer::kTooDeep) continue;
    if (offered == Frontier::Offer::kElsewhere) why.message = "is of another partition";
    if (why.message.empty()) why.message = "is not a link";
    voice_.refuse("from " + std::string(source), 0, why.message, record_url(line));
    shown_.assign(line);
    shown_ += "\tclass=url\twhy=";
    append_escaped(shown_, why.message);
    refuse_link(shown_);
  }
}

void Share::refuse_link(std::string_view line) {
  its_.rejected.add(line);
  its_.frontier.count_refused();
}

void Share::take_result(std::string_view line, const frontier::Settled& result) {
  end_.add_answer(line, result);
  const frontier::Settlement found = its_.frontier.settle(result);
  if (result.outcome == Outcome::kBlockedByPolicy && found.verdict == frontier::Verdict::kStranger)
    return refuse_link(line);
  ++uncommitted_;
  if (!frontier::is_last_word(found.verdict)) return;
  end_.add_page(line, result);
  show(line, found.row.via, frontier::was_asked(result.outcome));
}

// Shows a page's final record. `via` is added here, once, instead of being sent with the URL, which
// would make the queue and every pipe carry it.
void Share::show(std::string_view line, std::string_view via, bool as_asked) {
  // A stage of the user may return fields that were only for fetch.
  if (!as_asked || find_raw_field(line, "unheard")) {
    unasked_.clear();
    Wire::append_unasked(unasked_, line);
    line = unasked_;
  }
  if (!via.empty() && !find_raw_field(line, "via")) {
    shown_.clear();
    Wire::append_found(shown_, line, via);
    line = shown_;
  }
  voice_.show_record(line);
  if (its_.log != nullptr) its_.log->add(line, clock_.unix_ms());
}

bool Share::has_mail() const { return loop::has_mail(options_.inbox); }

Status Share::take_mail(std::int64_t now_ms) {
  if (now_ms - mail_ms_ < kMailMs) return {};
  mail_ms_ = now_ms;
  if (!has_mail()) return {};
  return empty_inbox(options_.inbox, [this](std::string_view lines) -> Status {
    std::uint64_t seeds = 0;
    for (std::uint64_t number = 1; !lines.empty(); ++number) {
      const std::string_view line = cut(lines, '\n');
      if (line.empty()) continue;
      UrlError why;
      const Frontier::Offer offered = offer_seed(its_.frontier, wire_, line, &why);
      if (offered == Frontier::Offer::kElsewhere) pass_on(line);
      seeds += is_seed_of(offered) ? 1 : 0;
      // --add has checked its seeds, so this line was written by another program, or is damaged.
      if (offered == Frontier::Offer::kNotHttp) why.message = "is not http or https";
      if (!why.message.empty())
        voice_.refuse(options_.inbox, number, why.message, record_url(line));
    }
    its_.frontier.seal();
    if (Status done = commit_all(); !done.ok()) return done;
    voice_.notice(report::count_text(seeds, "seed") + " came in");
    return its_.store.sync();
  });
}

// Passes a seed on to its partition as a link, by the outbox, which the next commit writes: nothing
// is lost.
void Share::pass_on(std::string_view seed) {
  shown_.assign(seed);
  if (!find_raw_field(seed, "priority"))
    shown_ += "\tpriority=" + std::to_string(frontier::kSeedPriority);
  its_.neighbours->offer(its_.frontier.elsewhere(), shown_);
}

Status Share::take_seeds(std::string_view lines) {
  bool any = false;
  while (!lines.empty()) {
    const Frontier::Offer offered = offer_seed(its_.frontier, wire_, cut(lines, '\n'), nullptr);
    any = any || offered == Frontier::Offer::kStaged;
  }
  if (!any) return {};
  its_.frontier.seal();
  if (Status done = commit_all(); !done.ok()) return done;
  return its_.store.sync();
}

// --- durability ----------------------------------------------------------------------------------

void Share::tell_news() {
  std::string line;
  for (const Frontier::GivenUp& each : its_.frontier.take_given_up()) {
    line.clear();
    Wire::append(line, each.page);
    line += "\terror=";
    append_escaped(line, each.error);
    line += "\toutcome=";
    line += to_string(each.outcome);
    // A URL that is given up with its host is reported with that host.
    frontier::Settled refused;
    refused.outcome = each.outcome;
    if (each.outcome == Outcome::kRefusedAddress) end_.add_page(line, refused);
    show(line, each.via, /*as_asked=*/true);
  }
  for (const std::string& notice : its_.frontier.take_notices()) voice_.notice(notice);
}

// A commit for one page, or for the links of one page from another partition, costs as much as one
// for many. Until then a crash does no harm: the pages still count as in flight, and the sender
// still has the links.
std::int64_t Share::put_off_ms(std::int64_t now_ms) {
  const bool come = its_.neighbours != nullptr && its_.neighbours->has_come();
  if (uncommitted_ == 0 && !come) return INT64_MAX;
  if (put_off_since_ms_ < 0) put_off_since_ms_ = now_ms;
  if (uncommitted_ >= kPutOffResults) return 0;
  return std::max<std::int64_t>(put_off_since_ms_ + kPutOffMs - now_ms, 0);
}

Status Share::commit() {
  Status done = commit_all();
  is_whole_ = done.ok();
  return done;
}

// Stores the refusals, for observers and for the time after a kill. Each time all rules are
// written, so this is done only now and then.
void Share::note_refusals() {
  const std::int64_t now_ms = clock_.monotonic_ns() / 1'000'000;
  if (its_.rejected.total() == 0 || now_ms < refusals_ms_ + kNoteRefusalsMs) return;
  refusals_ms_ = now_ms;
  its_.frontier.note_refusals(its_.rejected.top(SIZE_MAX));
}

Status Share::commit_all() {
  put_off_since_ms_ = -1;
  uncommitted_ = 0;
  for (Status logged :
       {its_.log == nullptr ? Status() : its_.log->flush(), its_.rejected.flush()}) {
    if (!logged.ok()) return logged;
  }
  // Comes right before the commit, which must contain both the links and the note that they were
  // taken.
  if (its_.neighbours != nullptr)
    its_.neighbours->stage([this](std::string_view source, std::string_view lines) {
      admit_from(source, lines);
      its_.frontier.seal();
    });
  if (its_.frontier.pending()) {
    note_refusals();
    if (Status done = its_.frontier.commit(); !done.ok()) return done;
  }
  if (its_.neighbours != nullptr) its_.neighbours->committed();
  return {};
}

// --- output --------------------------------------------------------------------------------------

std::string_view Share::lost() {
  if (its_.neighbours == nullptr) return {};
  its_.neighbours->exchange();
  return its_.neighbours->lost();
}

bool Share::is_free() const {
  return !leaving_ && (its_.neighbours == nullptr || its_.neighbours->may_send());
}

bool Share::wants() { return is_free() && its_.frontier.wait_ms() == 0; }

bool Share::next(frontier::Dispatch& out) {
  if (spent() || !its_.frontier.next(out)) return false;
  if (its_.neighbours != nullptr) {
    out.send_by_ms = its_.neighbours->send_by_ms();
    out.end_by_ms = its_.neighbours->end_by_ms();
    out.by_lease = by_lease_;
  }
  return true;
}

void Share::hurry() {
  if (its_.deadlines != nullptr) by_lease_ = its_.deadlines->begin(options_.partition);
}

// --- state of the run ----------------------------------------------------------------------------

// A continuous run waits for pages that fall due, and for seeds that somebody adds.
bool Share::exhausted(bool time_is_up) {
  if (time_is_up) return !its_.frontier.pending();
  const bool idle = over_ ? !its_.frontier.pending()
                          : !is_put_off() && its_.frontier.exhausted() &&
                                (!options_.continuous || its_.frontier.limit_reached());
  if (its_.neighbours == nullptr) return idle;
  // Links may arrive as long as any partition works.
  const frontier::Statistics& all = its_.frontier.statistics();
  return its_.neighbours->over(
      {.idle = idle && in_flight() == 0 && its_.frontier.tail() == 0 && !has_mail(),
       .pages = pages(),
       .waiting = all.all.waiting,
       .in_flight = in_flight(),
       .given_up = all.hosts_given_up + all.seeds_unreached,
       .done = all.all.done});
}

Status Share::tick(std::int64_t now_ms) {
  if (valve_.look(now_ms)) {
    const std::string of =
        its_.neighbours != nullptr ? "partition " + std::to_string(options_.partition) + ": " : "";
    voice_.notice(of + "requests from now on: " + valve_text(valve_.setting()));
  }
  if (Status written = measure(/*now=*/false); !written.ok()) return written;
  bool copy =
      options_.checkpoint_every_ms > 0 && now_ms - checkpoint_ms_ >= options_.checkpoint_every_ms;
  if (its_.neighbours != nullptr) copy = its_.neighbours->copy_due(copy);
  if (!copy) return {};
  checkpoint_ms_ = now_ms;
  if (Status copied = write_checkpoint(its_.store, options_.checkpoint); !copied.ok())
    return copied;
  if (its_.neighbours != nullptr) its_.neighbours->copied(options_.checkpoint);
  return {};
}

// The last results are committed like all others: with their lines in the log, and with links for
// other partitions.
Status Share::close() {
  if (!is_whole_ || !its_.store.status().ok()) return {};  // already reported
  its_.frontier.drop_tail();
  its_.frontier.note_refusals(its_.rejected.top(SIZE_MAX));
  if (Status done = commit_all(); !done.ok()) return done;
  return its_.frontier.close();
}

Status Share::write_last_metrics() { return measure(/*now=*/true); }

Status Share::measure(bool now) {
  if (its_.neighbours != nullptr) its_.metrics.note(its_.neighbours->traffic());
  return its_.metrics.tick(its_.frontier.statistics(), in_flight(), now);
}

void Share::tell_end(bool by_itself) {
  if (!voice_.tool().options().has("quiet")) {
    if (its_.rejected.total() != 0) voice_.tool().notice(refused_text(its_.rejected));
    const std::string limit =
        limit_text(its_.frontier.reached_limit(), its_.frontier.statistics().all.waiting);
    if (by_itself && !limit.empty()) voice_.tool().notice(limit);
    if (by_itself && !its_.frontier.limit_reached()) {
      for (const std::string& line : end_.explain(its_.frontier.statistics(), its_.rejected))
        voice_.tool().notice(line);
    }
  }
  for (const std::string& line : finished_lines(its_.frontier)) voice_.tool().notice(line);
}

std::string Share::last_words() const {
  return given_up_text(its_.frontier.given_up(), options_.again);
}

}  // namespace spinneret::loop
