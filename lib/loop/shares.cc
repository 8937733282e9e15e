// SPDX-License-Identifier: Apache-2.0
#include "loop/shares.h"

#include <algorithm>

#include "base/ascii.h"
#include "io/record.h"

namespace spinneret::loop {

namespace {

// Adds what the progress line says about the run.
void add_run(frontier::Statistics& out, const frontier::Statistics& more) {
  out.pages += more.pages;
  out.bytes += more.bytes;
  for (std::size_t i = 0; i < out.outcomes.size(); ++i) out.outcomes[i] += more.outcomes[i];
}
// Adds that, and what the progress line says about the state.
void add_to(frontier::Statistics& out, const frontier::Statistics& more) {
  add_run(out, more);
  out.all += more.all;
  out.hosts += more.hosts;
  out.paused = out.paused || more.paused;
}

}  // namespace

void Shares::remove(Share& share) {
  if (std::erase(all_, &share) == 0) return;
  add_run(gone_, share.frontier().statistics());
  share.hurry();
}

Status Shares::may_copy() const {
  for (const Share* const share : all_) {
    if (const Status free = share->may_copy(); !free.ok()) return free;
  }
  return {};
}

std::size_t Shares::in_flight() const {
  std::size_t sum = 0;
  for (Share* const each : all_) sum += each->in_flight();
  return sum;
}

std::uint64_t Shares::waiting() const {
  std::uint64_t sum = 0;
  for (Share* const each : all_) sum += each->frontier().statistics().all.waiting;
  return sum;
}

std::string_view Shares::any_in_flight() const {
  for (Share* const each : all_) {
    if (each->in_flight() != 0) return each->frontier().any_in_flight();
  }
  return {};
}

frontier::Statistics Shares::sum() const {
  frontier::Statistics out = gone_;
  for (Share* const each : all_) add_to(out, each->frontier().statistics());
  return out;
}

void Shares::show_progress() {
  Progress& progress = voice_.progress();
  if (!progress.due()) return;
  if (all_.size() == 1 && gone_.pages == 0) return progress.tick(all_.front()->frontier());
  progress.show(sum(), in_flight());
}

void Shares::finish_progress() { voice_.progress().finish(sum()); }

// --- lines ---------------------------------------------------------------------------------------

void Shares::begin_pipeline() {
  lines_ = held_items_ = 0;
  held_.clear();
}

void Shares::take_run(std::string_view run) {
  const char terminator = voice_.tool().terminator();
  while (!run.empty()) {
    std::string_view line = cut(run, terminator);
    if (terminator == '\n' && line.ends_with('\r')) line.remove_suffix(1);
    take_line(line);
  }
  if (in_flight() == 0) seal();
}

void Shares::skip_line() {
  voice_.trouble("pipeline:" + std::to_string(++lines_) +
                 ": a line longer than --max-line: left out");
}

void Shares::take_line(std::string_view line) {
  ++lines_;
  if (line.empty() || all_.empty()) return;
  if (is_settled(line)) return take_settled(line);
  if (all_.size() == 1 && partitions_ == nullptr) return all_.front()->take_link(line, lines_);
  hold(line);
}

// Whether the line is a refused link, not a page: if a page of that URL is in flight, its record is
// still to come.
bool Shares::is_refused_link(std::string_view line, Outcome outcome) {
  return outcome == Outcome::kBlockedByPolicy && find_raw_field(line, "tag").has_value();
}

void Shares::take_settled(std::string_view line) {
  if (!wire_.settled(line, settled_))
    return voice_.refuse("pipeline", lines_, "unknown outcome", line);
  const bool alone = partitions_ == nullptr;
  if (settled_.outcome == Outcome::kItem) {
    if (!alone) {
      ++held_items_;
      return;
    }
    return all_.front()->take_item();
  }
  if (is_refused_link(line, settled_.outcome))
    return alone ? all_.front()->refuse_link(line) : hold(line);
  Share* const share = of(settled_.url);
  // A refused link without a tag must not release the lines held for another page, either.
  if (!alone && settled_.outcome == Outcome::kBlockedByPolicy &&
      (share == nullptr || !share->frontier().is_in_flight(settled_)))
    return hold(line);
  if (!alone && settled_.outcome != Outcome::kAborted) {
    if (share != nullptr) give_held(*share);
    held_.clear();
    held_items_ = 0;
  }
  if (share != nullptr) share->take_result(line, settled_);
  if (settled_.outcome == Outcome::kAborted) {
    if (settled_.is_late)
      note_late();
    else
      signs_.ending = true;
  }
  if (frontier::shows_life(settled_.outcome)) signs_.life = true;
}

// A few late pages do not matter. If all are late, nothing is fetched, so the user must learn the
// reason.
void Shares::note_late() {
  if (++late_ < next_late_) return;
  next_late_ *= 8;
  voice_.notice(std::to_string(late_) +
                " times by now a page was not sent, or cut, as its partition's lease was not sure, "
                "and waits again: a longer --partition-lease, or a smaller --in-flight, helps");
}

Share* Shares::of(std::string_view url) {
  if (partitions_ == nullptr) return all_.front();
  const std::uint32_t partition = parts_->of_text(url, url_);
  const auto at = std::find_if(all_.begin(), all_.end(), [partition](const Share* each) {
    return each->partition() == partition;
  });
  return at == all_.end() ? nullptr : *at;
}

void Shares::hold(std::string_view line) {
  held_ += line;
  held_ += voice_.tool().terminator();
}

void Shares::give_held(Share& share) {
  for (; held_items_ != 0; --held_items_) share.take_item();
  for (std::string_view rest = held_; !rest.empty();) {
    const std::string_view line = cut(rest, voice_.tool().terminator());
    if (is_settled(line)) {
      share.refuse_link(line);
    } else {
      share.take_link(line, lines_);
    }
  }
  held_.clear();
}

// --- all shares ----------------------------------------------------------------------------------

void Shares::drop_tail() {
  held_.clear();
  held_items_ = 0;
  for (Share* const each : all_) each->frontier().drop_tail();
}

void Shares::seal() {
  if (!all_.empty()) give_held(*all_.front());
  for (Share* const each : all_) each->frontier().seal();
}

bool Shares::blame_flights(bool fresh) {
  std::vector<frontier::Frontier*> frontiers;
  for (Share* const each : all_) frontiers.push_back(&each->frontier());
  return frontier::Frontier::blame_flights(frontiers, fresh);
}

}  // namespace spinneret::loop
