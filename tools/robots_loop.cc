// SPDX-License-Identifier: Apache-2.0
// robots-check --gate, in the loop of spinneret(7): settles URLs that may not be fetched.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "body/reader.h"
#include "robots/store.h"
#include "robots_context.h"

namespace spinneret {
namespace {

// The fields that a gate sets. A record may have passed one before.
constexpr std::string_view kSaid[] = {
    "robots",        "robots-rule",    "robots-line",
    "robots-reason", "robots-license", "robots-disallow-ai-training",
    "content-usage", "content-signal", "crawl-delay",
    "retry-after",   "needs"};

// Whether the line may have such a field. In most lines no field begins with one of these letters:
// looking at each costs less than comparing keys.
bool has_said(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  while ((at = static_cast<const char*>(
              std::memchr(at, '\t', static_cast<std::size_t>(end - at)))) != nullptr) {
    ++at;
    if (at == end) return false;
    if (*at != 'r' && *at != 'c' && *at != 'n') continue;
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    for (const std::string_view key : kSaid) {
      if (rest.starts_with(key) && rest.substr(key.size()).starts_with('=')) return true;
    }
  }
  return false;
}

class Gate {
 public:
  explicit Gate(RobotsContext& context) : context_(context), store_(context.cache, context.rules) {
    const std::string list = context.tool.options().get("refuse");
    std::string_view rest = list;
    while (!rest.empty()) refused_.push_back(to_lower_copy(trim(cut(rest, ','))));
    // A label that no file can have would refuse nothing, silently.
    for (std::string& label : refused_) {
      if (label == "ai-train") label = "train-ai";  // Content-Signal's word for it
      const robots::PreferenceList one = robots::parse_preferences(label + "=n");
      if (one.items.size() != 1 || !one.bad.empty()) {
        context.tool.options().usage_error("--refuse takes labels such as train-ai,search, not " +
                                           excerpt(label));
      }
    }
  }

  void take(std::string_view line) {
    RecordWriter& writer = context_.tool.writer();
    if (is_settled(line) || find_raw_field(line, "purpose") == "robots")
      return writer.write_line(line);
    const std::string_view url = record_url(line);
    if (!parse(url, context_.url, &context_.why))
      return context_.tool.refuse_record(context_.why.message, line);
    // Only http and https have a robots.txt; fetch refuses the rest.
    if (!context_.url.is_http()) return pass_plain(line);
    const std::int64_t now = context_.now();
    const robots::HostRules* const rules = store_.find(robots::robots_authority(context_.url), now);
    if (rules == nullptr) return ask_for_rules(line);
    path_ = context_.path_of(url);
    const robots::HostRules::Answer answer = rules->ask(0, path_);
    if (!answer.allowed) return block(line, answer, *rules, rules->expires() - now);
    if (rules->state() != robots::RobotsState::kRules) return pass(line, {}, *rules, answer);
    const robots::Timetable& timetable = rules->rules(0).timetable();
    const std::int64_t closed_ms = timetable.closed_ms_at(now * 1000);
    if (closed_ms > 0) return block(line, {false, nullptr, "visit-time"}, *rules, closed_ms / 1000);
    if (refuse(line, *rules)) return;
    pass(line, timetable.delay_ms_at(now * 1000), *rules, answer);
  }

 private:
  // Most lines have none of these fields, and need not be parsed to get one.
  void pass_plain(std::string_view line) {
    RecordWriter& writer = context_.tool.writer();
    if (writer.plain() && !has_said(line)) {
      writer.sink().write(line);
      writer.sink().write("\trobots=allow");
      return writer.sink().put(writer.terminator());
    }
    begin(line);
    context_.record.set("robots", "allow");
    writer.write(context_.record);
  }

  void pass(std::string_view line, std::optional<std::int64_t> delay_ms,
            const robots::HostRules& rules, const robots::HostRules::Answer& answer) {
    const bool states = states_preferences(rules);
    if (!delay_ms && !context_.explain && !states) return pass_plain(line);
    begin(line);
    if (states) add_preferences(context_.record, rules, path_);
    if (delay_ms) context_.record.set("crawl-delay", seconds_text(*delay_ms));
    context_.record.set("robots", "allow");
    if (context_.explain) {
      context_.add_rule("robots", "", rules, 0, answer);
      context_.record.set("robots-reason", without_controls(answer.reason));
    }
    context_.tool.writer().write(context_.record);
  }

  // Settles the record where the use of the page is refused for a purpose of --refuse.
  bool refuse(std::string_view line, const robots::HostRules& rules) {
    for (const std::string& purpose : refused_) {
      const robots::Reservation no = rules.reserved(0, purpose, path_);
      if (no.line == 0) continue;
      begin(line);
      context_.record.set("robots", "allow");
      context_.record.set("robots-rule", without_controls(no.text));
      context_.record.set_unsigned("robots-line", no.line);
      context_.tool.note_refusal();
      settle(Outcome::kBlockedByRobots);
      return true;
    }
    return false;
  }

  void begin(std::string_view line) {
    context_.record.parse(line);
    for (const std::string_view key : kSaid) context_.record.remove(key);
  }

  void ask_for_rules(std::string_view line) {
    begin(line);
    context_.record.set("needs", robots::robots_url(context_.url));
    settle(Outcome::kNeeds);
  }

  // `seconds` says for how long, where no rule decides.
  void block(std::string_view line, const robots::HostRules::Answer& answer,
             const robots::HostRules& rules, std::int64_t seconds) {
    Record& record = context_.record;
    begin(line);
    record.set("robots", "disallow");
    context_.add_rule("robots", "", rules, 0, answer);
    if (answer.rule == nullptr) {
      record.set("robots-reason", without_controls(answer.reason));
      if (!is_final(answer.reason))
        record.set_unsigned("retry-after",
                            static_cast<unsigned long long>(std::max<std::int64_t>(seconds, 1)));
    }
    context_.tool.note_refusal();
    settle(answer.rule == nullptr ? outcome_without_rules(answer.reason)
                                  : Outcome::kBlockedByRobots);
  }

  // Whether a status that --deny-status takes for a no is final: the page is settled, and does not
  // wait for a better one. Only 429 is temporary.
  static bool is_final(std::string_view reason) {
    return reason.size() == 3 && reason.front() == '4' && reason != "429";
  }

  // Returns the outcome of a page without rules. A host that cannot be reached forbids nothing: the
  // page then gets the outcome of its robots.txt.
  static Outcome outcome_without_rules(std::string_view reason) {
    const std::optional<Outcome> known = parse_outcome(reason);
    const bool unreachable = known && class_of(*known) == OutcomeClass::kPersistent;
    return unreachable ? *known : Outcome::kBlockedByRobots;
  }

  void settle(Outcome outcome) {
    context_.record.set_outcome(to_string(outcome));
    context_.tool.writer().write(context_.record);
  }

  RobotsContext& context_;
  robots::RobotsStore store_;
  std::vector<std::string> refused_;  // purposes of --refuse
  std::string_view path_;             // of the present record
};

}  // namespace

bool states_preferences(const robots::HostRules& rules) {
  return rules.state() == robots::RobotsState::kRules &&
         !(rules.extensions(0).empty() && rules.ungrouped().empty() && rules.licenses().empty());
}

// Adds what the file states about the use of the path.
void add_preferences(Record& record, const robots::HostRules& rules, std::string_view path) {
  constexpr std::pair<robots::RobotsKey, std::string_view> kFields[] = {
      {robots::RobotsKey::kContentUsage, "content-usage"},
      {robots::RobotsKey::kContentSignal, "content-signal"},
      {robots::RobotsKey::kDisallowAiTraining, "robots-disallow-ai-training"}};
  for (const auto& [key, field] : kFields) {
    const robots::Extensions::Item* const item = rules.stated(0, key, path);
    if (item != nullptr && !item->value.empty()) record.set(field, without_controls(item->value));
  }
  for (const robots::HostRules::License& license : rules.licenses()) {
    record.add("robots-license", without_controls(license.url));
  }
}

int gate_records(RobotsContext& context) {
  Gate gate(context);
  std::string_view line;
  while (context.tool.next(line)) gate.take(line);
  return context.tool.status();
}

}  // namespace spinneret
