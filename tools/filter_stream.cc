// SPDX-License-Identifier: Apache-2.0
#include "filter_stream.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "base/number.h"
#include "io/escape.h"

namespace spinneret {
namespace {

RefusedAction read_action(const cli::Options& options) {
  const auto action = static_cast<RefusedAction>(options.choice("action", 0));
  if (!options.has("before-fetch")) return action;
  if (action == RefusedAction::kReject) {
    options.usage_error("--before-fetch settles what is refused: --action=reject would lose it");
  }
  return RefusedAction::kMark;
}

policy::Moment moment_of(const cli::Options& options) {
  return options.has("before-fetch") ? policy::Moment::kFetch : policy::Moment::kFound;
}

// Whether the line always passes. One for robots.txt does, since it is asked for before a host's
// pages, whatever a policy says about them.
bool is_exempt(std::string_view line) {
  if (line.size() == record_url(line).size()) return false;
  return is_settled(line) || find_raw_field(line, "purpose") == "robots";
}

// Says which columns verdicts and rules add to the rows of a table, and which ones they read.
void set_table(cli::Tool& tool, const policy::Policy& policy, RefusedAction action) {
  std::vector<std::string> added;
  std::unordered_set<std::string> known;  // a policy may set as many fields as it has lines
  const auto add = [&](const std::string& name) {
    if (known.insert(name).second) added.push_back(name);
  };
  for (std::uint32_t line = 0; line < policy.lines.size(); ++line) {
    for (const auto& tag : policy.lines.tags(line)) add(tag.first);
    if (policy.lines[line].mark) add("outcome");
  }
  if (action == RefusedAction::kMark) add("outcome");
  if (tool.options().has("explain") || !added.empty() || tool.options().has("diff")) {
    for (const char* const name : {"verdict", "policy", "rule", "why", "class"}) add(name);
  }
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const char* const name : {"depth", "redirects", "via", "type", "tag", "rel", "text", "ip"})
    inputs.emplace_back(name, name);
  tool.set_table(std::move(added), std::move(inputs));
}

}  // namespace

FilterStream::FilterStream(cli::Tool& tool, const policy::Policy& policy, std::int64_t now_ms)
    : tool_(tool),
      policy_(policy),
      before_fetch_(tool.options().has("before-fetch")),
      invert_(tool.options().has("invert")),
      explain_(tool.options().has("explain")),
      verbose_(tool.options().has("verbose")),
      adopted_only_(tool.options().has("adopted-only")),
      results_(tool.options().has("results") && !tool.options().has("diff")),
      to_check_(tool.options().has("to-check") && !invert_ && !explain_),
      action_(read_action(tool.options())),
      judge_(policy, now_ms, moment_of(tool.options())),
      keeps_booked_(tool.options().has("booked")) {
  open_scope();
  if (tool.options().has("checked")) read_checked();
  if (keeps_booked_) open_booked();
  set_table(tool, policy, action_);
}

// --- judging -------------------------------------------------------------------------------------

policy::Facts FilterStream::facts_of(std::string_view line) {
  policy::Facts facts;
  if (line.size() == record_url(line).size()) return facts;  // a bare URL
  facts.purpose = policy::purpose_of(find_raw_field(line, "purpose").value_or(""));
  if (policy_.needs_depth || before_fetch_)
    facts.depth = find_raw_field(line, "depth").value_or("");
  if (policy_.needs_depth) facts.redirects = find_raw_field(line, "redirects").value_or("");
  if (policy_.needs_via) facts.via = find_raw_field(line, "via").value_or("");
  if (policy_.needs_type) facts.type = find_raw_field(line, "type").value_or("");
  if (policy_.link_parts == 0) return facts;
  facts.tag = find_raw_field(line, "tag");
  facts.rel = find_raw_field(line, "rel");
  facts.ip = find_raw_field(line, "ip");
  if ((policy_.link_parts & policy::bit(policy::Part::kText)) == 0) return facts;
  if (const auto text = find_raw_field(line, "text")) {
    text_.clear();
    append_unescaped(text_, *text);
    facts.text = text_;
  }
  return facts;
}

const policy::Verdict& FilterStream::judge(const Url& url, std::string_view line) {
  policy::Facts facts = facts_of(line);
  const bool by_via = policy_.scope.kind() != policy::ScopeKind::kAny && !policy_.scope.has_seeds();
  if (by_via) (facts.via.empty() ? unmeasured_ : measured_) = true;
  const policy::Verdict& verdict = judge_.judge(url, facts);
  if (verdict.accepted) {
    facts.elsewhere =
        sitemaps_ && facts.purpose == policy::Purpose::kSitemap && !takes_sitemap(line);
    return facts.elsewhere ? judge_.judge(url, facts) : verdict;
  }
  if (verdict.reason != policy::Reason::kOutOfScope || !adopted_) return verdict;
  if (!is_adopted(line)) return verdict;
  facts.in_scope = true;
  return judge_.judge(url, facts);
}

// Judges a settled record by its media type and address. A record that is no fetched page counts as
// accepted.
bool FilterStream::accepts_result(std::string_view line) {
  record_.parse(line);
  const bool fetched = record_.raw("outcome") == "ok" && record_.raw("purpose") != "robots";
  if (!fetched || !parse(record_.url(), url_)) return true;
  policy::Facts facts{.type = record_.raw("type")};
  if (record_.has("ip")) facts.ip = record_.raw("ip");
  const policy::Verdict& verdict = judge_.judge_result(url_, facts);
  notice_refusal(line);
  if (!verdict.accepted) tool_.note_refusal();
  return verdict.accepted;
}

// Whether the line is a URL to be judged. Passes on or reports any other line.
bool FilterStream::take_url(std::string_view line) {
  if (is_exempt(line)) {
    // A page of an unwanted type or address is not dropped, since the scheduler waits for it.
    if (results_ && is_settled(line) && !accepts_result(line)) {
      const bool by_address = judge_.refusal_class() == "address";
      write_settled(by_address ? "refused-address" : "unsupported-type");
    } else {
      tool_.writer().write_line(line);
    }
    return false;
  }
  if (parse(record_url(line), url_, &why_)) return true;
  tool_.refuse_record(why_.message, line);
  return false;
}

void FilterStream::filter_line(std::string_view line) {
  if (!take_url(line)) return;
  if (to_check_ && takes_far_to_be_checked(line)) return;
  const policy::Verdict& verdict = shares_booked_ ? judge_with_others(line) : judge(url_, line);
  if (keeps_booked_ && verdict.accepted && verdict.booked) keep_booked(line);
  if (to_check_ && takes_to_be_checked(line)) return;
  notice_refusal(line);
  if (verdict.accepted == invert_ || (explain_ && !verdict.accepted)) tool_.note_refusal();
  if (invert_ && verdict.accepted) return;
  if (explain_) {
    write_explained(line);
  } else if (invert_) {
    tool_.writer().write_line(line);
  } else if (verdict.accepted) {
    write_accepted(line);
  } else {
    write_refused(line);
  }
}

// Passes on a line that may be a row without a URL: the writer reports what is wrong with it.
void FilterStream::tell_row(std::string_view line) {
  const std::string_view row = find_raw_field(line, "@row").value_or("");
  const bool header = row.starts_with('h') && tool_.options().has("diff");
  if (header || row.starts_with('b') || row.starts_with('x')) tool_.writer().write_line(line);
}

bool FilterStream::next_candidate(std::string_view& line) {
  while (tool_.next(line)) {
    if (results_ && is_settled(line)) accepts_result(line);
    if (is_exempt(line)) {
      if (tool_.table() != nullptr) tell_row(line);
      continue;
    }
    if (parse(record_url(line), url_, &why_)) return true;
    tool_.refuse_record(why_.message, line);
  }
  return false;
}

// --- writing -------------------------------------------------------------------------------------

// Sets the last verdict as fields of the record, in place of an earlier one.
void FilterStream::set_verdict() {
  const policy::Verdict& verdict = judge_.verdict();
  record_.set("verdict", verdict.accepted ? "accept" : "refuse");
  if (verdict.line != policy::kNoLine) {
    record_.set("policy", policy_.lines.place(verdict.line).to_string());
    record_.set("rule", policy_.lines.text(verdict.line));
  } else {
    record_.remove("policy");
    record_.remove("rule");
  }
  record_.set("why", judge_.explain());
  if (verdict.accepted) {
    record_.remove("class");
  } else {
    record_.set("class", judge_.refusal_class());
  }
}

void FilterStream::write_explained(std::string_view line) {
  record_.parse(line);
  set_verdict();
  tool_.writer().write(record_);
}

void FilterStream::write_accepted(std::string_view line) {
  const policy::Verdict& verdict = judge_.verdict();
  bool rewritten = verdict.rewritten;
  // The redirect leads to its own page, apart from what the policy strips: rewritten, it would
  // count as known, and the target would never be fetched.
  if (verdict.rewritten && !verdict.session_stripped && find_raw_field(line, "tag") == "location" &&
      find_raw_field(line, "via") == judge_.rewritten().href_without_fragment())
    rewritten = false;
  // Types are for pages; a sitemap is of another type.
  const bool with_types = !judge_.types().empty() && !find_raw_field(line, "purpose");
  if (!rewritten && !with_types && judge_.tags().empty()) {
    tool_.writer().write_line(line);
    return;
  }
  record_.parse(line);
  if (rewritten) record_.set_url(judge_.rewritten().href());
  if (with_types) record_.set("types", judge_.types());
  // The first rule that sets a field wins, so fields are set from the last rule to the first.
  const auto& tags = judge_.tags();
  for (auto at = tags.rbegin(); at != tags.rend(); ++at) {
    for (const auto& [key, value] : policy_.lines.tags(*at)) record_.set(key, value);
  }
  tool_.writer().write(record_);
}

void FilterStream::write_refused(std::string_view line) {
  tool_.note_refusal();
  const std::uint32_t decider = judge_.verdict().line;
  const bool by_rule = decider != policy::kNoLine && policy_.lines[decider].mark;
  const bool mark =
      action_ == RefusedAction::kMark || (action_ == RefusedAction::kByRule && by_rule);
  if (!mark) return;
  record_.parse(line);
  write_settled("blocked-by-policy");
}

// Writes the record as refused by the last verdict.
void FilterStream::write_settled(std::string_view outcome) {
  record_.remove("body");
  set_verdict();
  record_.set_outcome(outcome);
  tool_.writer().write(record_);
}

// Reports a refusal with --verbose, and that of a budget in any case. Does not use Tool::refuse: a
// URL that the policy refuses is no bad record, and --strict does not apply to it.
void FilterStream::notice_refusal(std::string_view line, std::string_view file,
                                  std::uint64_t number) {
  const policy::Verdict& verdict = judge_.verdict();
  if (verdict.accepted || !(verbose_ || verdict.newly_spent)) return;
  std::string message;
  append_excerpt(message, file, 4096);
  message += ':';
  append_unsigned(message, number);
  message += ": " + judge_.explain();
  if (verdict.line != policy::kNoLine)
    message += " (" + policy_.lines.place(verdict.line).to_string() + ")";
  tool_.notice(message + ": " + excerpt(record_url(line)));
}

void FilterStream::close() {
  for (const Status& kept :
       {booked_ ? booked_->close() : Status(), adopted_ ? adopted_->close() : Status()}) {
    if (!kept.ok()) tool_.trouble(kept.message());
  }
}

void FilterStream::finish() {
  close();
  if (!unmeasured_ || measured_ || before_fetch_) return;
  tool_.notice("the scope " + std::string(policy::to_string(policy_.scope.kind())) +
               " has refused nothing: there is no seed to measure by, and no line has a field via");
}

}  // namespace spinneret
