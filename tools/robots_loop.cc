// SPDX-License-Identifier: Apache-2.0
// robots-check in the loop of spinneret(7): --gate settles what may not be fetched, --learn stores what
// was.
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

// What a gate says of a record, which may have come through one before.
constexpr std::string_view kSaid[] = {
    "robots",        "robots-rule",    "robots-line",
    "robots-reason", "robots-license", "robots-disallow-ai-training",
    "content-usage", "content-signal", "crawl-delay",
    "retry-after",   "needs"};

// In front of most lines' fields none of these letters stands: a look at each costs less than the keys.
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

bool states_preferences(const HostRules& rules) {
  return rules.state() == RobotsState::kRules &&
         !(rules.extensions(0).empty() && rules.ungrouped().empty() && rules.licenses().empty());
}

// What the file states of the use of the path.
void add_preferences(Record& record, const HostRules& rules, std::string_view path) {
  constexpr std::pair<RobotsKey, std::string_view> kFields[] = {
      {RobotsKey::kContentUsage, "content-usage"},
      {RobotsKey::kContentSignal, "content-signal"},
      {RobotsKey::kDisallowAiTraining, "robots-disallow-ai-training"}};
  for (const auto& [key, field] : kFields) {
    const Extensions::Item* const item = rules.stated(0, key, path);
    if (item != nullptr && !item->value.empty()) record.set(field, without_controls(item->value));
  }
  for (const HostRules::License& license : rules.licenses()) {
    record.add("robots-license", without_controls(license.url));
  }
}

class Gate {
 public:
  explicit Gate(RobotsContext& context) : context_(context), store_(context.cache, context.rules) {
    const std::string list = context.tool.options().get("refuse");
    std::string_view rest = list;
    while (!rest.empty()) refused_.push_back(to_lower_copy(trim(cut(rest, ','))));
    // A label that no file can hold would refuse nothing, in silence.
    for (const std::string& label : refused_) {
      const PreferenceList one = parse_preferences(label + "=n");
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
    // Only http has a robots.txt; what else there is, fetch refuses.
    if (!context_.url.is_http()) return pass_plain(line);
    const std::int64_t now = context_.now();
    const HostRules* const rules = store_.find(robots_authority(context_.url), now);
    if (rules == nullptr) return ask_for_rules(line);
    path_ = context_.path_of(url);
    const HostRules::Answer answer = rules->ask(0, path_);
    if (!answer.allowed) return block(line, answer, *rules, rules->expires() - now);
    if (rules->state() != RobotsState::kRules) return pass(line, {}, *rules, answer);
    const Timetable& timetable = rules->rules(0).timetable();
    const std::int64_t closed_ms = timetable.closed_ms_at(now * 1000);
    if (closed_ms > 0) return block(line, {false, nullptr, "visit-time"}, *rules, closed_ms / 1000);
    if (refuse(line, *rules)) return;
    pass(line, timetable.delay_ms_at(now * 1000), *rules, answer);
  }

 private:
  // Most lines have none of the fields said here, and need not be taken apart to get one.
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

  void pass(std::string_view line, std::optional<std::int64_t> delay_ms, const HostRules& rules,
            const HostRules::Answer& answer) {
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

  // Settles the record where its use is refused for a purpose of --refuse.
  bool refuse(std::string_view line, const HostRules& rules) {
    for (const std::string& purpose : refused_) {
      const Reservation no = rules.reserved(0, purpose, path_);
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
    context_.record.set("needs", robots_url(context_.url));
    settle(Outcome::kNeeds);
  }

  // `seconds`: for how long, where no rule decides.
  void block(std::string_view line, const HostRules::Answer& answer, const HostRules& rules,
             std::int64_t seconds) {
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

  // A status that --deny-status takes for a no: the page is settled, and does not wait for a better one. Only 429 says
  // that it is for now.
  static bool is_final(std::string_view reason) {
    return reason.size() == 3 && reason.front() == '4' && reason != "429";
  }

  // A host that cannot be reached forbids nothing: what became of its robots.txt becomes of the page.
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
  RobotsStore store_;
  std::vector<std::string> refused_;  // purposes of --refuse
  std::string_view path_;             // of the present record
};

class Learner {
 public:
  explicit Learner(RobotsContext& context) : context_(context), record_(context.record) {}

  void take(std::string_view line) {
    cli::Tool& tool = context_.tool;
    // What was aborted says nothing of its host.
    if (!is_settled(line) || find_raw_field(line, "purpose") != "robots" ||
        find_raw_field(line, "outcome") == to_string(Outcome::kAborted)) {
      return tool.writer().write_line(line);
    }
    record_.parse(line);
    const std::string url(record_.url());
    if (!parse(url, context_.url, &context_.why)) return tool.refuse(context_.why.message, url);
    RobotsReply reply;
    if (const Status read = read_reply(reply); !read.ok()) return tool.refuse(read.message(), url);
    const RobotsEntry entry = make_entry(reply);
    record_.remove("body");
    const Status stored = store_entry(context_.cache, entry);
    if (!stored.ok()) return abort(stored.message());
    if (entry.state == RobotsState::kRules) add_fields(entry);
    tool.writer().write(record_);
  }

  // The cache cannot be written.
  bool failed() const { return failed_; }

 private:
  // Were the record passed on as it is, the gate would ask for these rules again, and the page be given up for it.
  void abort(const std::string& why) {
    failed_ = true;
    context_.tool.trouble(why);
    record_.set("error", why);
    record_.set_outcome(to_string(Outcome::kAborted));
    context_.tool.writer().write(record_);
  }

  std::optional<std::int64_t> number(std::string_view key) {
    const auto text = record_.get(key);
    const auto value = text ? parse_unsigned(*text) : std::nullopt;
    if (!value || *value > INT64_MAX) return std::nullopt;
    return static_cast<std::int64_t>(*value);
  }

  // An Error: the record was torn off, or its file is gone or damaged.
  Status read_reply(RobotsReply& reply) {
    reply.status = static_cast<int>(std::min<std::int64_t>(number("status").value_or(0), 999));
    reply.outcome = parse_outcome(record_.get("outcome").value_or(""));
    reply.expires = number("expires");
    reply.retry_after = number("retry-after");
    reply.truncated = record_.get("truncated") == "true";
    const Result<std::string_view> body = bodies_.read(record_);
    if (!body.ok()) return Error{body.message()};
    // None is said of one whose size is 0; where there is no body, the reply's judge takes it as it is.
    if (!body->empty() || record_.has("body") || number("size") == 0) reply.body = *body;
    return {};
  }

  RobotsEntry make_entry(const RobotsReply& reply) {
    const std::string authority = robots_authority(context_.url);
    const std::optional<RobotsEntry> last = load_entry(context_.cache, authority);
    RobotsEntry entry =
        judge_reply(reply, context_.policy, context_.now(), last ? &*last : nullptr);
    entry.authority = authority;
    entry.source = context_.url.href_without_fragment();
    return entry;
  }

  // What the scheduler must know, and what the file states of the host as a whole.
  void add_fields(const RobotsEntry& entry) {
    HostRules::Options options = context_.rules;
    options.agents.resize(1);
    const HostRules rules(entry, options, context_.now());
    const auto delay = rules.rules(0).timetable().delay_ms_at(context_.now() * 1000);
    if (states_preferences(rules)) add_preferences(record_, rules, "/");
    if (delay) record_.set("crawl-delay", seconds_text(*delay));
  }

  RobotsContext& context_;
  Record& record_;
  BodyReader bodies_;
  bool failed_ = false;
};

}  // namespace

int gate_records(RobotsContext& context) {
  Gate gate(context);
  std::string_view line;
  while (context.tool.next(line)) gate.take(line);
  return context.tool.status();
}

int learn_records(RobotsContext& context) {
  const Status made = make_directories(context.cache);
  if (!made.ok()) return context.tool.trouble(made.message());
  Learner learner(context);
  std::string_view line;
  while (!learner.failed() && context.tool.next(line)) learner.take(line);
  return context.tool.status();
}

}  // namespace spinneret
