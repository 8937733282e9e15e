// SPDX-License-Identifier: Apache-2.0
#include "filter_modes.h"

#include <string_view>

#include "base/clock.h"
#include "io/record.h"
#include "policy/convert.h"
#include "policy/lint.h"
#include "url/parse.h"

namespace spinneret {

using policy::Policy;
using policy::PolicyBuilder;
using policy::Verdict;

namespace {

// Makes the judge ignore the rule of the verdict. An allow rule that does not match is ignored
// together with all allow rules of its part.
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

}  // namespace

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

int count_hits(cli::Tool& tool, const Policy& policy, FilterStream& stream) {
  stream.state().count_all();
  for (std::string_view line; stream.next_candidate(line);) {
    const Verdict& verdict = stream.judge(stream.url(), line);
    stream.notice_refusal(line);
    if (!verdict.accepted) tool.note_refusal();
  }
  // Prints records whose first column is the rule's place, so that --json and --fields work.
  Record record;
  for (std::uint32_t i = 0; i < policy.lines.size(); ++i) {
    if (!policy.lines[i].tests) continue;
    record.reset(policy.lines.place(i).to_string());
    record.set_unsigned("matched", stream.state().counts()[i].matched);
    record.set_unsigned("decided", stream.state().counts()[i].decided);
    record.set("rule", policy.lines.text(i));
    tool.writer().write(record);
  }
  stream.close();
  return 0;
}

int check_policy(cli::Tool& tool, const PolicyBuilder& builder, const Policy& policy) {
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

int tell_why_not(cli::Tool& tool) {
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

int convert_list(cli::Tool& tool) {
  const auto form = static_cast<policy::ListForm>(tool.options().choice("convert", 0));
  const policy::ListConverter converter(form);
  // All operands are files: a list's line cannot be an operand.
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

int compare(cli::Tool& tool, FilterStream& before, FilterStream& after) {
  for (std::string_view line; before.next_candidate(line);) {
    const bool old = before.judge(before.url(), line).accepted;
    const bool now = after.judge(before.url(), line).accepted;
    if (old == now) continue;
    tool.note_refusal();
    // The rule that refuses explains the change, in whichever policy it is.
    (now ? before : after).write_explained(line);
  }
  before.close();
  after.close();
  return 0;
}

}  // namespace spinneret
