// SPDX-License-Identifier: Apache-2.0
// url-filter: crawl policy over URL lines. What a policy means is lib/policy; see man url-filter and
// man spinneret-policy.
#include "base/ascii.h"
#include "base/clock.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "cli/tool.h"
#include "io/record.h"
#include "policy/builder.h"
#include "policy/judge.h"
#include "policy/lint.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {0, "policy", "FILE", "rules, as in man spinneret-policy"},
    {'e', "rule", "LINE", "one rule: -e 'deny-path ^/private/'"},
    {0, "include", "RE", "pass only URLs that match RE (or another)"},
    {0, "exclude", "RE", "refuse URLs that match RE"},
    {0, "same-origin", nullptr, "scheme, host and port of a seed"},
    {0, "same-host", nullptr, "host of a seed"},
    {0, "same-domain", nullptr, "registrable domain of a seed"},
    {0, "under-seed", nullptr, "the directory of a seed or below"},
    {0, "seed", "URL", "what scope is measured by (via=, if none)"},
    {0, "seeds", "FILE", "seeds, one a line"},
    {0, "allow-scheme", "LIST", "http,https"},
    {0, "allow-domain", "LIST", "domains with all below: example.com,ru"},
    {0, "deny-domain", "LIST", "the same, refused"},
    {0, "deny-extension", "LIST", "gif,jpg,zip"},
    {0, "deny-list", "FILE", "hosts, URLs and prefixes (http://h/a/*)"},
    {0, "max-depth", "N", "links from a seed (the field depth)"},
    {0, "max-url-length", "N", "bytes of a URL"},
    {0, "traps", nullptr, "refuse endless calendars, loops, sessions"},
    {0, "action", "ACTION", "what is refused: reject (drop) or mark"},
    {0, "results", nullptr, "judge settled records by type and URL"},
    {'v', "invert", nullptr, "pass what is refused, and only that"},
    {0, "explain", nullptr, "pass all, with verdict, policy, rule, why"},
    {0, "count", nullptr, "print hits of each rule instead of URLs"},
    {0, "check", nullptr, "look for mistakes in the policy; read no URLs"},
    {0, "diff", "FILE", "print URLs that policy FILE judges otherwise"},
    {0, "verbose", nullptr, "say on stderr what is refused, and why"},
    {0, "now", "TIME", "today, for calendars: 2026-11-20 or seconds"},
};
constexpr cli::ToolSpec kTool{"url-filter", "crawl policy: which URLs may be crawled, and why not",
                              "[OPTION]... [URL|FILE]...", kOptions};

using policy::Judge;
using policy::Policy;
using policy::PolicyBuilder;
using policy::Verdict;
enum class Action { kByRule, kReject, kMark };

struct Filter {
  cli::Tool& tool;
  const Policy& policy;
  Judge judge;
  Action action = Action::kByRule;
  bool invert = tool.options().has("invert");
  bool explain = tool.options().has("explain");
  bool verbose = tool.options().has("verbose");
  bool results = tool.options().has("results");
  Url url = {};
  UrlError why = {};
  Record record = {};
};

// The policy of these files and of all other options, which have the last word.
void add_rules(const cli::Options& options, const std::vector<std::string>& files,
               PolicyBuilder& builder) {
  for (const std::string& file : files) builder.add_file(file);
  builder.add_options(options.in_order());
}

std::int64_t now_ms(const cli::Options& options) {
  if (!options.has("now")) return system_clock().unix_ms();
  const auto time = policy::parse_day_ms(options.get("now"));
  if (!time) options.usage_error("--now takes a day such as 2026-11-20, or seconds since 1970");
  return *time;
}

bool report(cli::Tool& tool, const std::vector<policy::Problem>& problems) {
  for (const policy::Problem& problem : problems) tool.trouble(problem.to_string());
  return !problems.empty();
}

policy::Facts facts_of(const Filter& filter, std::string_view line) {
  policy::Facts facts;
  if (line.size() == record_url(line).size()) return facts;  // a bare URL
  if (filter.policy.needs_depth) facts.depth = find_raw_field(line, "depth").value_or("");
  if (filter.policy.needs_via) facts.via = find_raw_field(line, "via").value_or("");
  if (filter.policy.needs_type) facts.type = find_raw_field(line, "type").value_or("");
  return facts;
}

// FILE:LINE of the line that decided.
std::string place_of(const Filter& filter, const Verdict& verdict) {
  return verdict.line == policy::kNoLine ? std::string()
                                         : filter.policy.lines[verdict.line].place.to_string();
}

void write_explained(Filter& filter, std::string_view line, const Verdict& verdict) {
  filter.record.parse(line);
  filter.record.set("verdict", verdict.accepted ? "accept" : "refuse");
  if (verdict.line != policy::kNoLine) {
    filter.record.set("policy", place_of(filter, verdict));
    filter.record.set("rule", filter.policy.lines[verdict.line].text);
  } else {  // what is there is of an earlier verdict
    filter.record.remove("policy");
    filter.record.remove("rule");
  }
  filter.record.set("why", filter.judge.explain());
  filter.tool.writer().write(filter.record);
}

void write_accepted(Filter& filter, std::string_view line, const Verdict& verdict) {
  if (!verdict.rewritten && filter.judge.tags().empty()) {
    filter.tool.writer().write_line(line);
    return;
  }
  Record& record = filter.record;
  record.parse(line);
  if (verdict.rewritten) record.set_url(filter.judge.rewritten().href());
  // The first rule that sets a field has it, so they are set from the last one back.
  const auto& tags = filter.judge.tags();
  for (auto at = tags.rbegin(); at != tags.rend(); ++at) {
    for (const auto& [key, value] : filter.policy.lines[*at].tags) record.set(key, value);
  }
  filter.tool.writer().write(record);
}

// The record as refused by the last verdict.
void write_settled(Filter& filter, std::string_view outcome) {
  filter.record.remove("body");
  filter.record.set("policy", place_of(filter, filter.judge.verdict()));
  filter.record.set_outcome(outcome);
  filter.tool.writer().write(filter.record);
}

// With --verbose, and of a budget in any case. Not Tool::refuse: a URL that the policy refuses is no bad record,
// and --strict does not mean it.
void notice_refusal(Filter& filter, std::string_view line, const Verdict& verdict) {
  if (verdict.accepted || !(filter.verbose || verdict.newly_spent)) return;
  std::string message;
  append_excerpt(message, filter.tool.inputs().name(), 4096);
  message += ':';
  append_unsigned(message, filter.tool.inputs().line_number());
  message += ": " + filter.judge.explain();
  if (verdict.line != policy::kNoLine) message += " (" + place_of(filter, verdict) + ")";
  filter.tool.notice(message + ": " + excerpt(record_url(line)));
}

void write_refused(Filter& filter, std::string_view line, const Verdict& verdict) {
  filter.tool.note_refusal();
  const bool by_rule = verdict.line != policy::kNoLine && filter.policy.lines[verdict.line].mark;
  const bool mark = filter.action == Action::kMark || (filter.action == Action::kByRule && by_rule);
  if (!mark) return;
  filter.record.parse(line);
  write_settled(filter, "blocked-by-policy");
}

// A settled record by its media type: a fetched page, or as good as accepted.
bool accepts_result(Filter& filter, std::string_view line) {
  Record& record = filter.record;
  record.parse(line);
  const bool fetched = record.raw("outcome") == "ok" && record.raw("purpose") != "robots";
  if (!fetched || !parse(record.url(), filter.url)) return true;
  const Verdict& verdict = filter.judge.judge_type(filter.url, record.raw("type"));
  notice_refusal(filter, line, verdict);
  if (!verdict.accepted) filter.tool.note_refusal();
  return verdict.accepted;
}

// What passes untouched; robots.txt is asked for before a host's pages, whatever a policy says of them.
bool is_exempt(std::string_view line) {
  if (line.size() == record_url(line).size()) return false;
  return is_settled(line) || find_raw_field(line, "purpose") == "robots";
}

// Whether the line is a URL to be judged; passes on or reports what is not.
bool take_url(Filter& filter, std::string_view line) {
  if (is_exempt(line)) {
    // A page of a type that is not wanted is not dropped, as the scheduler waits for it.
    if (filter.results && is_settled(line) && !accepts_result(filter, line)) {
      write_settled(filter, "unsupported-type");
    } else {
      filter.tool.writer().write_line(line);
    }
    return false;
  }
  if (parse(record_url(line), filter.url, &filter.why)) return true;
  filter.tool.refuse(filter.why.message, record_url(line));
  return false;
}

void filter_line(Filter& filter, std::string_view line) {
  if (!take_url(filter, line)) return;
  const Verdict& verdict = filter.judge.judge(filter.url, facts_of(filter, line));
  notice_refusal(filter, line, verdict);
  if (verdict.accepted == filter.invert || (filter.explain && !verdict.accepted)) {
    filter.tool.note_refusal();
  }
  if (filter.explain) {
    write_explained(filter, line, verdict);
  } else if (filter.invert) {
    if (!verdict.accepted) filter.tool.writer().write_line(line);
  } else if (verdict.accepted) {
    write_accepted(filter, line, verdict);
  } else {
    write_refused(filter, line, verdict);
  }
}

// The next candidate's line, its URL in filter.url. With --results, results on the way are judged.
bool next_candidate(Filter& filter, std::string_view& line) {
  while (filter.tool.next(line)) {
    if (filter.results && is_settled(line)) accepts_result(filter, line);
    if (is_exempt(line)) continue;
    if (parse(record_url(line), filter.url, &filter.why)) return true;
    filter.tool.refuse(filter.why.message, record_url(line));
  }
  return false;
}

int count(Filter& filter) {
  filter.judge.count_all();
  for (std::string_view line; next_candidate(filter, line);) {
    const Verdict& verdict = filter.judge.judge(filter.url, facts_of(filter, line));
    notice_refusal(filter, line, verdict);
    if (!verdict.accepted) filter.tool.note_refusal();
  }
  // As records whose first column is the rule's place, so that --json and --fields work.
  for (std::size_t i = 0; i < filter.policy.lines.size(); ++i) {
    const policy::Line& rule = filter.policy.lines[i];
    if (!rule.tests) continue;
    filter.record.reset(rule.place.to_string());
    filter.record.set_unsigned("matched", filter.judge.counts()[i].matched);
    filter.record.set_unsigned("decided", filter.judge.counts()[i].decided);
    filter.record.set("rule", rule.text);
    filter.tool.writer().write(filter.record);
  }
  return 0;
}

// Problems and remarks go to stdout: here they are what was asked for.
int check(cli::Tool& tool, const PolicyBuilder& builder, const Policy& policy) {
  const std::vector<policy::Problem> found = policy::lint(builder, policy);
  for (const policy::Problem& problem : found) {
    if (problem.is_unreadable()) {
      tool.trouble(problem.to_string());
    } else {
      tool.out().write(problem.to_string());
      tool.out().put(tool.terminator());
    }
  }
  return found.empty() ? 0 : 1;
}

int diff(Filter& before, Filter& after) {
  for (std::string_view line; next_candidate(after, line);) {
    const Verdict& old = before.judge.judge(after.url, facts_of(before, line));
    const Verdict& now = after.judge.judge(after.url, facts_of(after, line));
    if (old.accepted == now.accepted) continue;
    after.tool.note_refusal();
    // The rule that refuses explains the change, in whichever policy it stands.
    write_explained(now.accepted ? before : after, line, now.accepted ? old : now);
  }
  return 0;
}

int run(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  constexpr std::string_view kActions[] = {"by-rule", "reject", "mark"};
  PolicyBuilder builder;
  add_rules(options, options.all("policy"), builder);
  const Policy policy = builder.build();
  if (options.has("check")) return check(tool, builder, policy);
  if (report(tool, builder.problems())) return 2;
  Filter filter{tool, policy, Judge(policy, now_ms(options))};
  filter.action = static_cast<Action>(options.choice("action", kActions, 0));
  if (options.has("count")) return count(filter);
  if (options.has("diff")) {
    PolicyBuilder other;
    add_rules(options, {options.get("diff")}, other);
    const Policy second = other.build();
    if (report(tool, other.problems())) return 2;
    Filter changed{tool, second, Judge(second, now_ms(options))};
    changed.results = false;  // what is compared are candidates
    return diff(filter, changed);
  }
  for (std::string_view line; tool.next(line);) filter_line(filter, line);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
