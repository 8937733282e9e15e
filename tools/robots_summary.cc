// SPDX-License-Identifier: Apache-2.0
// `robots-check HOST`, --summary: tells people what a robots.txt says.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/moment.h"
#include "base/number.h"
#include "robots/known_agents.h"
#include "robots/lint.h"
#include "robots/robots_file.h"
#include "robots_answer.h"
#include "terminal.h"

namespace spinneret {
namespace {

constexpr std::size_t kShown = 8;  // shown items of a list

std::string count_of(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + ' ' + std::string(count == 1 ? one : many);
}

// Returns a text such as "a, b and 3 more".
std::string list_of(const std::vector<std::string>& words) {
  std::string out;
  const std::size_t shown = words.size() > kShown + 1 ? kShown : words.size();
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + words[i];
  if (shown < words.size()) out += " and " + std::to_string(words.size() - shown) + " more";
  return out;
}

class Summary {
 public:
  Summary(RobotsContext& context, const robots::RobotsEntry& entry, std::string name)
      : context_(context),
        entry_(entry),
        name_(std::move(name)),
        file_(entry.state == robots::RobotsState::kRules ? std::string_view(entry.body)
                                                         : std::string_view(),
              context.rules.rules),
        rules_(entry, context.rules, context.now()) {}

  void print() {
    add_head();
    add_home();
    if (entry_.state == robots::RobotsState::kRules) {
      add_groups();
      add_delays();
      add_known_agents();
      add_preferences();
      add_sitemaps();
      add_lint();
    }
    write();
  }

 private:
  struct Row {
    std::string name;
    std::string text;
    Colour colour = Colour::kNone;
  };

  void row(std::string name, std::string_view text, Colour colour = Colour::kNone) {
    rows_.push_back({std::move(name), without_controls(text), colour});
  }

  void add_head() {
    std::string text = entry_.reason.empty() ? "" : entry_.reason + ", ";
    text +=
        entry_.state == robots::RobotsState::kRules
            ? count_of(entry_.body.size(), "byte", "bytes")
            : std::string(robots::to_string(entry_.state)) + ": there is none that could be read";
    if (entry_.expires > 0) text += ", until " + utc_text(entry_.expires);
    row("robots.txt", text);
  }

  void add_home() {
    for (std::size_t i = 0; i < context_.rules.agents.size(); ++i) {
      const robots::HostRules::Answer answer = rules_.ask(i, "/");
      if (!answer.allowed) context_.tool.note_refusal();
      std::string text = answer.allowed ? "allowed" : "disallowed";
      const std::string& agent = context_.rules.agents[i];
      text += agent == "*" ? " to everyone not named" : " to " + agent;
      if (answer.rule != nullptr) {
        text += ": line " + std::to_string(answer.rule->line) + ", " +
                rules_.rules(i).text(*answer.rule);
      } else {
        text += ": " + std::string(answer.reason);
      }
      row("home page", text, answer.allowed ? Colour::kGreen : Colour::kRed);
    }
  }

  void add_groups() {
    std::set<std::string> agents;
    std::size_t rules = 0;
    for (const robots::RobotsGroup& group : file_.contents().groups) {
      for (const robots::RobotsAgent& agent : group.agents)
        agents.insert(to_lower_copy(agent.name));
      for (const robots::RobotsRecord& record : group.records)
        rules += robots::is_rule(record.key) ? 1 : 0;
    }
    row("groups", std::to_string(file_.contents().groups.size()) + ", of " +
                      count_of(agents.size(), "agent", "agents") + ", with " +
                      count_of(rules, "rule", "rules"));
  }

  void add_delays() {
    std::vector<std::string> delays;
    for (const robots::RobotsGroup& group : file_.contents().groups) {
      for (const robots::RobotsRecord& record : group.records) {
        if (record.key != robots::RobotsKey::kCrawlDelay &&
            record.key != robots::RobotsKey::kRequestRate &&
            record.key != robots::RobotsKey::kVisitTime) {
          continue;
        }
        std::string text =
            std::string(robots::to_string(record.key)) + ": " + std::string(record.value);
        text += " (" + std::string(group.agents[record.first_agent].name);
        const std::uint32_t more = record.last_agent - record.first_agent - 1;
        if (more > 0) text += " and " + std::to_string(more) + " more";
        delays.push_back(text + ")");
      }
    }
    if (!delays.empty()) row("delays", list_of(delays));
  }

  // Says which crawlers of our list may not have the home page: those for models, for search and of
  // archives.
  void add_known_agents() {
    constexpr std::pair<const char*, std::string_view> kKinds[] = {
        {"AI crawlers", "ai"}, {"search", "search"}, {"archives", "archive"}};
    for (const auto& [name, word] : kKinds) {
      std::vector<std::string> shut;
      std::size_t all = 0;
      for (const robots::KnownAgent& agent : robots::known_agents()) {
        if ((agent.kinds & *robots::agent_kinds(word)) == 0) continue;
        ++all;
        const robots::Verdict verdict = file_.rules(agent.token)->rules.check("/");
        if (!verdict.allowed) shut.emplace_back(agent.token);
      }
      std::string text = std::to_string(shut.size()) + " of " + std::to_string(all) +
                         " may not have the home page";
      if (!shut.empty()) text += ": " + list_of(shut);
      row(name, text, shut.empty() ? Colour::kGreen : Colour::kRed);
    }
  }

  void add_preferences() {
    std::vector<std::string> said;
    const auto take = [&said](const robots::RobotsRecord& record) {
      const bool wanted = record.key == robots::RobotsKey::kContentUsage ||
                          record.key == robots::RobotsKey::kContentSignal ||
                          record.key == robots::RobotsKey::kDisallowAiTraining ||
                          record.key == robots::RobotsKey::kAllowAiTraining ||
                          record.key == robots::RobotsKey::kLicense;
      if (!wanted) return;
      said.push_back(std::string(robots::to_string(record.key)) + ": " + std::string(record.value) +
                     " (line " + std::to_string(record.line) + ")");
    };
    for (const robots::RobotsRecord& record : file_.contents().ungrouped) take(record);
    for (const robots::RobotsGroup& group : file_.contents().groups) {
      for (const robots::RobotsRecord& record : group.records) take(record);
    }
    for (const robots::RobotsRecord& record : file_.contents().others) take(record);
    row("preferences", said.empty() ? "none" : list_of(said));
  }

  void add_sitemaps() {
    std::vector<std::string> sitemaps;
    for (const robots::RobotsRecord& record : file_.contents().others) {
      if (record.key == robots::RobotsKey::kSitemap) sitemaps.emplace_back(record.value);
    }
    row("sitemaps",
        sitemaps.empty() ? "none" : std::to_string(sitemaps.size()) + ": " + list_of(sitemaps));
  }

  void add_lint() {
    std::array<std::size_t, 3> counts{};
    for (const robots::Finding& finding : robots::lint_robots(entry_.body)) {
      ++counts[static_cast<std::size_t>(finding.severity)];
    }
    const std::string text = count_of(counts[0], "error", "errors") + ", " +
                             count_of(counts[1], "warning", "warnings") + ", " +
                             count_of(counts[2], "note", "notes");
    row("lint", text,
        counts[0] > 0   ? Colour::kRed
        : counts[1] > 0 ? Colour::kYellow
                        : Colour::kGreen);
  }

  void write() {
    if (context_.quiet) return;
    cli::Tool& tool = context_.tool;
    if (!tool.writer().plain()) return write_record();
    std::string out;
    append_printable(out, name_);
    out += tool.terminator();
    for (const Row& shown : rows_) {
      std::string safe;
      append_printable(safe, shown.text);
      std::string name = "  " + shown.name;
      name.resize(16, ' ');
      out += name + coloured(safe, shown.colour) + tool.terminator();
    }
    tool.out().clean(false);  // all is clean already, and the colours must get through
    tool.out().write(out);
    tool.out().flush();
    tool.out().clean(is_terminal(STDOUT_FILENO));
  }

  void write_record() {
    Record& record = context_.record;
    std::string url;
    append_escaped(url, without_controls(name_));
    record.reset(url);
    for (const Row& shown : rows_) {
      std::string key = to_lower_copy(shown.name);
      std::replace_if(
          key.begin(), key.end(), [](char c) { return !is_alnum(c) && c != '.'; }, '-');
      record.add(key, shown.text);
    }
    context_.tool.writer().write(record);
  }

  RobotsContext& context_;
  const robots::RobotsEntry& entry_;
  std::string name_;
  robots::RobotsFile file_;
  robots::HostRules rules_;
  std::vector<Row> rows_;
};

// Fetches the robots.txt of "example.org" by https, or by http where that cannot be reached.
robots::RobotsEntry fetch_host(RobotsContext& context, const std::string& host, std::string& url) {
  robots::RobotsEntry entry;
  for (const char* scheme : {"https://", "http://"}) {
    url = scheme + host + "/robots.txt";
    Url parsed;
    if (!parse(url, parsed, &context.why)) {
      context.tool.refuse(context.why.message, host);
      return entry;
    }
    const bool last = std::string_view(scheme) == "http://";
    entry = context.fetch_robots({{url, nullptr}}, last).front();
    if (entry.state != robots::RobotsState::kDisallowAll || parse_unsigned(entry.reason)) break;
  }
  return entry;
}

}  // namespace

bool is_host_operand(std::string_view operand) {
  const std::string_view name = operand.substr(0, operand.find(':'));
  const bool named =
      name.find('.') != std::string_view::npos || name == "localhost" || operand.starts_with('[');
  return named && !name.starts_with('.') && ::access(std::string(operand).c_str(), F_OK) != 0 &&
         std::all_of(operand.begin(), operand.end(), [](char c) {
           return is_alnum(c) || c == '.' || c == '-' || c == ':' || c == '[' || c == ']' ||
                  (c & 0x80) != 0;
         });
}

int summarise(RobotsContext& context) {
  std::vector<std::string> operands = context.tool.options().operands();
  if (operands.empty()) operands = {"-"};
  for (const std::string& operand : operands) {
    robots::RobotsEntry entry;
    std::string name = operand;
    if (cli::is_url_operand(operand)) {
      entry = context.fetch_robots({{context.robots_source(operand), nullptr}}).front();
      name = entry.source;
    } else if (is_host_operand(operand)) {
      entry = fetch_host(context, operand, name);
    } else if (auto text = context.read_source(operand)) {
      entry.state = robots::RobotsState::kRules;
      entry.body = std::move(*text);
    } else {
      continue;
    }
    if (entry.state == robots::RobotsState::kDisallowAll && !context.is_denial(entry.reason)) {
      context.tool.raise_status(3);
    }
    Summary(context, entry, name).print();
    if (context.tool.stopped()) break;
  }
  return context.tool.status();
}

}  // namespace spinneret
