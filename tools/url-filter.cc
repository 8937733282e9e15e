// SPDX-License-Identifier: Apache-2.0
// url-filter: crawl policy over URL lines. What a policy means is lib/policy; see man url-filter and
// man spinneret-policy.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cli/tool.h"
#include "filter_stream.h"
#include "io/record.h"
#include "policy/builder.h"
#include "policy/calendar.h"
#include "policy/convert.h"
#include "policy/lint.h"
#include "url/partition.h"
#include "url/public_suffix.h"

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
    {0, "adopt", "FILE", "seeds' redirects extend the scope; kept in FILE"},
    {0, "adopted-only", nullptr, "what FILE of --adopt holds, and no redirects"},
    {0, "allow-scheme", "LIST", "http,https", "http,https,"},
    {0, "allow-domain", "LIST", "domains with all below: example.com,ru"},
    {0, "deny-domain", "LIST", "the same, refused"},
    {0, "deny-extension", "LIST", "gif,jpg,zip"},
    {0, "deny-list", "FILE", "hosts, URLs and prefixes (http://h/a/*)"},
    {0, "max-depth", "N", "links from a seed (the field depth)"},
    {0, "max-url-length", "N", "bytes of a URL"},
    {0, "traps", nullptr, "refuse endless calendars, loops, sessions"},
    {0, "action", "ACTION", "what is refused: reject (drop) or mark", "by-rule|reject|mark"},
    {0, "before-fetch", nullptr, "judge what is queued, right before its fetch"},
    {0, "to-check", nullptr, "what scope, depth, allow leave out: to be checked"},
    {0, "checked", "FILE", "URLs that need no check: left out of --to-check"},
    {0, "results", nullptr, "judge settled records by type and URL"},
    {'v', "invert", nullptr, "pass what is refused, and only that"},
    {0, "explain", nullptr, "pass all, with verdict, policy, rule, why"},
    {0, "why-not", "URL", "print the rules that would have to go for URL"},
    {0, "hits", nullptr, "print hits of each rule instead of URLs"},
    {0, "check", nullptr, "look for mistakes in the policy; read no URLs"},
    {0, "convert", "FORM", "write another program's list as a policy",
     "adblock|dnsmasq|surt|nutch|cidr|hosts"},
    {0, "diff", "FILE", "print URLs that policy FILE judges otherwise"},
    {0, "verbose", nullptr, "say on stderr what is refused, and why"},
    {0, "shard", "I/N", "judge only lines of part I of N, by their domain"},
    {0, "psl", "FILE", "public suffix list to use, for domains"},
    {0, "psl-digest", "HEX", "go on with no list but the one of this digest"},
    {0, "now", "TIME", "today, for calendars: 2026-11-20 or seconds"},
};
constexpr cli::ToolSpec kTool{"url-filter",
                              "crawl policy: which URLs may be crawled, and why not",
                              "[OPTION]... [URL|FILE]...",
                              kOptions,
                              "  url-filter --same-domain --seed=https://example.org/ < urls\n"
                              "  url-filter -e 'deny-path ^/private/' --explain < urls\n",
                              true};

using policy::Policy;
using policy::PolicyBuilder;
using policy::Verdict;

// The policy of these files and of all other options, which have the last word.
void add_rules(const cli::Options& options, const std::vector<std::string>& files,
               PolicyBuilder& builder) {
  for (const std::string& file : files) builder.add_file(file);
  builder.add_options(options.in_order());
}

std::int64_t now_ms(const cli::Options& options) {
  return options.has("now") ? options.moment_ms("now", 0) : system_clock().unix_ms();
}

bool report(cli::Tool& tool, const std::vector<policy::Problem>& problems) {
  for (const policy::Problem& problem : problems) tool.trouble(problem.to_string());
  return !problems.empty();
}

// A line for each rule, with how often it was met.
int count(cli::Tool& tool, const Policy& policy, FilterStream& stream) {
  stream.state().count_all();
  for (std::string_view line; stream.next_candidate(line);) {
    const Verdict& verdict = stream.judge(stream.url(), line);
    stream.notice_refusal(line);
    if (!verdict.accepted) tool.note_refusal();
  }
  // As records whose first column is the rule's place, so that --json and --fields work.
  Record record;
  for (std::uint32_t i = 0; i < policy.lines.size(); ++i) {
    if (!policy.lines[i].tests) continue;
    record.reset(policy.lines.place(i).to_string());
    record.set_unsigned("matched", stream.state().counts()[i].matched);
    record.set_unsigned("decided", stream.state().counts()[i].decided);
    record.set("rule", policy.lines.text(i));
    tool.writer().write(record);
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

// From now on as without the line, and of allow rules, none of which matches, without all of its part.
void leave_out(policy::Judge& judge, const Policy& policy, const Verdict& verdict) {
  const std::uint32_t line = verdict.line;
  const policy::Line& rule = policy.lines[line];
  const bool of_part = verdict.reason == policy::Reason::kNotAllowed;
  for (std::uint32_t i = 0; of_part && i < policy.lines.size(); ++i) {
    const policy::Line& other = policy.lines[i];
    if (other.verb == policy::Verb::kAllow && other.part == rule.part) judge.leave_out(i);
  }
  judge.leave_out(line);
}

// The rules that refuse the URL, one after the other: each by the policy without those told before. What only a policy
// built without them can tell, parameters and settings said twice, has one built.
int why_not(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  const std::string line = options.get("why-not");
  Url url;
  UrlError why;
  if (!parse(record_url(line), url, &why)) options.usage_error("--why-not: " + why.message);
  std::vector<policy::Place> gone;
  Record record;
  bool refused = false;
  for (bool again = true; again;) {
    again = false;
    PolicyBuilder builder;
    builder.keep_words();
    builder.leave_out(gone);
    add_rules(options, options.all("policy"), builder);
    const Policy policy = builder.build();
    if (gone.empty() && report(tool, builder.problems())) return 2;
    FilterStream stream(tool, policy, now_ms(options));
    while (!again && !stream.judge(url, line).accepted) {
      const Verdict verdict = stream.state().verdict();
      refused = true;
      tool.note_refusal();
      if (verdict.line == policy::kNoLine) return tool.trouble("no rule says why");
      const policy::Line& rule = policy.lines[verdict.line];
      record.reset(policy.lines.place(verdict.line).to_string());
      record.set("rule", policy.lines.text(verdict.line));
      record.set("why", stream.state().explain());
      record.set("class", stream.state().refusal_class());
      if (verdict.reason == policy::Reason::kNotAllowed) {
        const std::uint32_t near = policy::nearest_allow(policy, verdict.line, url);
        record.set("nearest", std::string(policy.lines.text(near)) + " (" +
                                  policy.lines.place(near).to_string() + ')');
      }
      tool.writer().write(record);
      leave_out(stream.state(), policy, verdict);
      again = verdict.reason == policy::Reason::kParameter ||
              (rule.verb == policy::Verb::kSetting && !builder.remarks().empty());
      for (std::uint32_t i = 0; i < policy.lines.size(); ++i) {
        if (again && stream.state().is_left_out(i)) gone.push_back(policy.lines.place(i));
      }
    }
    if (!refused) tool.notice("passes: " + stream.state().explain());
  }
  return 0;
}

// Lines of a list in, lines of a policy out. What has no like is told by its line; its number at the end.
int convert(cli::Tool& tool) {
  const auto form = static_cast<policy::ListForm>(tool.options().choice("convert", 0));
  const policy::ListConverter converter(form);
  // All operands are files: a line of a list is no operand.
  tool.set_operands(tool.options().operands(), [](std::string_view) { return false; });
  tool.out().write(converter.header());
  std::uint64_t left_out = 0;
  std::string lines;
  std::string why;
  for (std::string_view line; tool.next(line);) {
    lines.clear();
    if (!converter.add_line(line, lines, why)) {
      ++left_out;
      tool.refuse(why, line);
    }
    tool.out().write(lines);
  }
  if (left_out != 0)
    tool.notice(std::to_string(left_out) +
                (left_out == 1 ? " line was left out" : " lines were left out"));
  return 0;
}

// Candidates alone are compared: what is settled has been judged.
int diff(cli::Tool& tool, FilterStream& before, FilterStream& after) {
  for (std::string_view line; before.next_candidate(line);) {
    const bool old = before.judge(before.url(), line).accepted;
    const bool now = after.judge(before.url(), line).accepted;
    if (old == now) continue;
    tool.note_refusal();
    // The rule that refuses explains the change, in whichever policy it stands.
    (now ? before : after).write_explained(line);
  }
  return 0;
}

// Judges what is of the shard; what is not might as well not be there. A header belongs to all shards.
int filter_shard(cli::Tool& tool, FilterStream& stream) {
  const cli::Options& options = tool.options();
  const Result<PartOf> part = parse_part_of(options.get("shard"));
  if (!part.ok()) options.usage_error("--shard: " + part.message());
  if (tool.table() != nullptr && tool.table()->fields.size() > 1)
    options.usage_error("--shard goes by one URL a row, not several");
  const Partitions partitions(part->count);
  Url scratch;
  for (std::string_view line; tool.next(line);) {
    const std::string_view url = record_url(line);
    const bool is_header =
        url.empty() && find_raw_field(line, "@row").value_or("").starts_with('h');
    if (is_header || partitions.of_text(url, scratch) == part->index) stream.filter_line(line);
  }
  stream.finish();
  return 0;
}

void choose_suffix_list(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  if (options.has("psl")) {
    const Status read = use_public_suffix_list(options.get("psl"));
    if (!read.ok()) options.usage_error("--psl: " + read.message());
  }
  const std::string digest = public_suffix_list_digest();
  if (options.has("psl-digest") && options.get("psl-digest") != digest)
    options.usage_error("--psl-digest: the public suffix list here has the digest " + digest +
                        " (" + public_suffix_list_day() +
                        "): bring the list of the others, with --psl");
  if (options.has("shard") && options.has("verbose"))
    tool.notice("the public suffix list has the digest " + digest);
}

// What is printed in the place of lines is one thing, and the options that choose among lines are none of it.
void check_modes(const cli::Options& options) {
  const auto refuse_both = [&options](const std::string& mode, const std::string& other) {
    if (options.has(other)) options.usage_error("--" + mode + " does not go with --" + other);
  };
  constexpr const char* kModes[] = {"convert", "why-not", "check", "hits", "diff"};
  for (const char* const* mode = std::begin(kModes); mode != std::end(kModes); ++mode) {
    if (!options.has(*mode)) continue;
    std::for_each(mode + 1, std::end(kModes),
                  [&](const char* other) { refuse_both(*mode, other); });
    for (const char* const other : {"invert", "to-check"}) refuse_both(*mode, other);
    if (*mode != kModes[4]) refuse_both(*mode, "explain");
  }
  if (!options.has("to-check")) return;
  for (const char* const other : {"invert", "explain"}) refuse_both("to-check", other);
}

int run(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  check_modes(options);
  for (const char* const other :
       {"convert", "why-not", "check", "hits", "diff", "before-fetch", "adopt"}) {
    if (options.has("shard") && options.has(other))
      options.usage_error("--shard cuts a list, and does not go with --" + std::string(other));
  }
  if (options.has("convert")) return convert(tool);
  if (options.has("psl") || options.has("psl-digest") || options.has("shard"))
    choose_suffix_list(tool);
  if (options.has("why-not")) return why_not(tool);
  PolicyBuilder builder;
  if (options.has("check")) builder.keep_words();
  add_rules(options, options.all("policy"), builder);
  const Policy policy = builder.build();
  if (options.has("check") && options.in_order().size() == 1)
    options.usage_error("--check: there is no rule to look at: name them by --policy=FILE");
  if (options.has("check")) return check(tool, builder, policy);
  if (report(tool, builder.problems())) return 2;
  FilterStream stream(tool, policy, now_ms(options));
  // Among rules, or the rows that two policies judge otherwise, a bad row has no place.
  const bool compares = options.has("diff") && !options.has("on-error");
  if (tool.table() != nullptr && (options.has("hits") || compares))
    tool.writer().rows()->drop_bad();
  if (options.has("shard")) return filter_shard(tool, stream);
  if (options.has("hits")) return count(tool, policy, stream);
  if (options.has("diff")) {
    PolicyBuilder other;
    add_rules(options, {options.get("diff")}, other);
    const Policy second = other.build();
    if (report(tool, other.problems())) return 2;
    FilterStream changed(tool, second, now_ms(options));
    return diff(tool, stream, changed);
  }
  for (std::string_view line; tool.next(line);) stream.filter_line(line);
  stream.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
