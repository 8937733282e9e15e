// SPDX-License-Identifier: Apache-2.0
#include "loop/ending.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/outcome.h"
#include "io/record.h"
#include "report/quantity.h"
#include "report/survey.h"

namespace spinneret::loop {
namespace {

// A run with more pages than this needs no explanation.
constexpr std::uint64_t kFewPages = 3;
constexpr std::size_t kExamples = 5;
constexpr std::size_t kKinds = 12;  // most kinds kept
constexpr std::size_t kRulesShown = 5;
constexpr std::size_t kMostRuleBytes = 100;
constexpr std::size_t kFinishedShown = 20;

// Appends a rule as it is written in the policy, so that it can be searched for there; excerpt()
// would double its backslashes.
void append_rule(std::string& out, std::string_view rule) {
  std::size_t size = std::min(rule.size(), kMostRuleBytes);
  while (size > 0 && size < rule.size() && (rule[size] & 0xC0) == 0x80) --size;
  append_printable(out, rule.substr(0, size));
  if (size < rule.size()) out += "...";
}

std::string field(std::string_view line, std::string_view key) {
  std::string out;
  append_unescaped(out, find_raw_field(line, key).value_or(""));
  return out;
}

bool is_well(Outcome outcome) {
  const report::Kind kind = report::kind_of(outcome);
  return kind != report::Kind::kRefused && kind != report::Kind::kFailed &&
         class_of(outcome) != OutcomeClass::kBlocked;
}

std::string examples_text(std::uint64_t count, const std::vector<std::string>& first) {
  std::string out;
  for (const std::string& each : first) out += (out.empty() ? "" : " ") + each;
  return count > first.size() ? out + " ..." : out;
}

}  // namespace

// Returns why a page was not fetched; empty if it was fetched.
std::string Ending::kind_of(std::string_view line, const frontier::Settled& result) const {
  // A crawl that ends at a redirect gives the reason as `error`.
  const bool lost = report::kind_of(result.outcome) == report::Kind::kRedirected &&
                    find_raw_field(line, "error").has_value();
  if (is_well(result.outcome) && !lost) return {};
  // The address was refused by a rule of the policy or, without one, by the fetcher's own address
  // policy.
  const std::string rule_of_policy = field(line, "rule");
  if (result.outcome == Outcome::kRefusedAddress && rule_of_policy.empty())
    return "private addresses are refused unless --allow-private is given (" +
           without_controls(field(line, "error")).substr(0, kMostRuleBytes) + ")";
  if (!result.robots_reason.empty()) {
    const auto why = no_robots_.find(report::origin_of(record_url(line)));
    return "nothing is asked for without a robots.txt, which is unavailable (" +
           std::string(to_string(result.outcome)) +
           (why == no_robots_.end() ? "" : ": " + why->second) + ")";
  }
  if (result.outcome == Outcome::kBlockedByRobots) {
    const std::string rule = field(line, "robots-rule");
    return "robots.txt forbids it" + (rule.empty() ? "" : " by " + excerpt(rule, kMostRuleBytes));
  }
  const bool by_policy =
      result.outcome == Outcome::kBlockedByPolicy || result.outcome == Outcome::kRefusedAddress;
  const std::string why = by_policy ? rule_of_policy : field(line, "error");
  return std::string(to_string(result.outcome)) +
         (why.empty() ? "" : " (" + without_controls(why).substr(0, kMostRuleBytes) + ")");
}

void Ending::add_answer(std::string_view line, const frontier::Settled& result) {
  // A host with an untrusted certificate is still reachable.
  const frontier::Sign sign = frontier::sign_in(result);
  if (sign == frontier::Sign::kLife || result.outcome == Outcome::kTlsFailed) ++lives_;
  if (sign == frontier::Sign::kSilence) ++silences_;
  if (result.purpose != frontier::Purpose::kRobots || no_robots_.size() >= kKinds) return;
  const std::string error = without_controls(field(line, "error"));
  if (!error.empty())
    no_robots_.try_emplace(std::string(report::origin_of(record_url(line))),
                           error.substr(0, kMostRuleBytes));
}

void Ending::add_page(std::string_view line, const frontier::Settled& result) {
  const std::string name = kind_of(line, result);
  if (name.empty() || (kinds_.size() >= kKinds && !kinds_.contains(name))) return;
  Kind& kind = kinds_[name];
  ++kind.count;
  if (kind.first.size() < kExamples) kind.first.push_back(excerpt(record_url(line)));
}

std::vector<std::string> Ending::explain(const frontier::Statistics& now,
                                         const Rejected& rejected) const {
  std::vector<std::string> out;
  if (now.pages > kFewPages) return out;
  if (now.sent == 0) {
    const std::uint64_t settled = now.all.done + now.all.error + now.all.blocked;
    if (settled != 0 && now.all.waiting == 0)
      out.push_back("nothing was left to fetch: all " + report::count_text(settled, "URL") +
                    " of this state are settled; a recrawl fetches them again");
    return out;
  }
  if (lives_ == 0 && silences_ != 0)
    out.emplace_back("  nothing that was asked has answered: is this machine connected?");
  for (const auto& [via, target] : rejected.redirects())
    out.push_back("  " + via + " redirects to " + target);
  for (const auto& [name, kind] : kinds_) {
    out.push_back("  " + report::count_text(kind.count, "URL") + ": " + name + ": " +
                  examples_text(kind.count, kind.first));
  }
  for (const auto& [rule, count] : rejected.top(kRulesShown)) {
    std::string line = "  " + report::count_text(count, "link") + " refused by ";
    append_rule(line, rule);
    const std::vector<std::string> first = rejected.examples(rule);
    out.push_back(line + (first.empty() ? "" : ": " + examples_text(count, first)));
  }
  const bool fetched = now.outcomes[static_cast<std::size_t>(Outcome::kOk)] != 0;
  if (fetched && links_ == 0 && rejected.total() == 0)
    out.emplace_back("  no link to follow was found: pages that scripts put together have none");
  if (!out.empty())
    out.insert(out.begin(),
               "why there is no more than " + report::count_text(now.pages, "page") + ":");
  return out;
}

std::string refused_text(const Rejected& rejected) {
  std::string line = report::count_text(rejected.total(), "link") +
                     (rejected.total() == 1 ? " was refused: " : " were refused: ");
  const char* between = "";
  for (const auto& [rule, count] : rejected.top(kRulesShown)) {
    line += std::exchange(between, ", ") + report::grouped(count) + " by ";
    append_rule(line, rule);
  }
  return line;
}

std::string limit_text(std::string_view option, std::uint64_t waiting) {
  if (waiting == 0 || option.empty() || option == "max-pages") return {};
  const bool of_all_runs = option == "max-total-pages";
  return "--" + std::string(option) + " is reached: " + report::count_text(waiting, "URL") +
         (waiting == 1 ? " waits" : " wait") +
         (of_all_runs ? " for a run with more" : " for the next run");
}

std::string shell_word(std::string_view text) {
  static constexpr std::string_view kPlain = "-_./=@+:,";
  if (!text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return is_alnum(c) || kPlain.find(c) != std::string_view::npos;
      }))
    return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string again_command(const cli::Tool& tool) {
  const cli::Options& given = tool.options();
  if (given.has("again")) return given.get("again");
  return std::string(tool.name()) + " --state=" + shell_word(given.get("state")) +
         " --clear-errors";
}

std::string given_up_text(const frontier::GivenUpSum& sum, const std::string& command) {
  if (sum.hosts == 0 && sum.seeds == 0) return {};
  std::string out;
  if (sum.hosts != 0) {
    out = report::count_text(sum.hosts, "host") + " given up in this run, at which " +
          report::count_text(sum.waiting, "URL") + (sum.waiting == 1 ? " waits" : " wait") +
          " for the next one";
  }
  if (sum.seeds != 0) {
    out += (out.empty() ? "" : "; ") + report::count_text(sum.seeds, "seed") + " never reached";
  }
  return out + "; to go on: " + command;
}

std::vector<std::string> finished_lines(const frontier::Frontier& frontier) {
  std::vector<std::string> out;
  std::size_t all = 0;
  for (const frontier::Frontier::Finished& each : frontier.finished_hosts(kFinishedShown, all)) {
    const std::string left = std::to_string(each.waiting) + " of its URLs stay waiting";
    out.push_back(each.origin + " is finished: " + each.why +
                  (each.waiting == 0 ? "" : "; " + left));
  }
  if (all > kFinishedShown)
    out.push_back("so are " + std::to_string(all - kFinishedShown) + " hosts more: see --hosts");
  return out;
}

}  // namespace spinneret::loop
