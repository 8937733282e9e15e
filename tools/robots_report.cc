// SPDX-License-Identifier: Apache-2.0
// Reports on robots.txt files themselves: --list, --lint, --canonical. Operands are files, or URLs of
// robots.txt.
#include <functional>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "robots/agent_groups.h"
#include "robots/canonical.h"
#include "robots/contents.h"
#include "robots/delay.h"
#include "robots/lint.h"
#include "robots/text.h"
#include "robots_context.h"

namespace spinneret {
namespace {

enum List : std::size_t { kSitemaps, kAgents, kRules, kDelays, kExtensions };

constexpr std::uint32_t kNamedAgents = 16;

// Calls `report(name, bytes)` for each operand, or for standard input.
int each_file(RobotsContext& context,
              const std::function<void(const std::string&, const std::string&)>& report) {
  std::vector<std::string> operands = context.tool.options().operands();
  if (operands.empty()) operands = {"-"};
  for (const std::string& operand : operands) {
    if (const auto bytes = context.read_source(operand)) report(operand, *bytes);
    if (context.tool.stopped()) break;
  }
  return context.tool.status();
}

// Column 1 holds no tab and no line end, nor what acts on a terminal.
std::string column(std::string_view text) {
  std::string out;
  append_escaped(out, without_controls(text));
  return out;
}

bool is_delay(RobotsKey key) {
  return key == RobotsKey::kCrawlDelay || key == RobotsKey::kRequestRate ||
         key == RobotsKey::kVisitTime;
}

bool is_extension(RobotsKey key) {
  return !is_rule(key) && !is_delay(key) && key != RobotsKey::kSitemap;
}

class Lister {
 public:
  Lister(RobotsContext& context, List what)
      : context_(context), record_(context.record), what_(what) {}

  void list(const std::string& name, const std::string& bytes) {
    name_ = name;
    std::string storage;
    const RobotsContents contents = read_contents(
        robots_text(bytes, context_.rules.rules.size_limit, storage), context_.rules.rules.mode);
    for (const RobotsRecord& record : contents.ungrouped) list_record(nullptr, record);
    for (const RobotsGroup& group : contents.groups) {
      for (const RobotsAgent& agent : group.agents) list_agent(group, agent);
      for (const RobotsRecord& record : group.records) list_record(&group, record);
    }
    for (const RobotsRecord& record : contents.others) list_other(record);
  }

 private:
  void begin(std::string_view first, std::uint32_t line) {
    record_.reset(column(first));
    if (context_.tool.options().operands().size() > 1) record_.set("file", name_);
    record_.set_unsigned("line", line);
  }
  void write() { context_.tool.writer().write(record_); }

  void list_agent(const RobotsGroup& group, const RobotsAgent& agent) {
    if (what_ != kAgents) return;
    begin(agent.name, agent.line);
    record_.set_unsigned("group", group.agents.front().line);
    write();
  }

  // `group`: nullptr where the record stands ahead of all groups.
  void list_record(const RobotsGroup* group, const RobotsRecord& record) {
    const bool wanted = what_ == kRules    ? is_rule(record.key)
                        : what_ == kDelays ? is_delay(record.key)
                                           : what_ == kExtensions && is_extension(record.key);
    if (!wanted) return;
    begin(record.value, record.line);
    record_.set("key", to_string(record.key));
    if (what_ == kDelays) add_seconds(record);
    if (group == nullptr) {
      record_.set("group", "none");
    } else {
      add_agents(*group, record);
    }
    write();
  }

  // A group of 3,000 agents and 20 rules would be 60,000 names: more than a few are a number, and
  // --list=agents has them by the group's line.
  void add_agents(const RobotsGroup& group, const RobotsRecord& record) {
    record_.set_unsigned("group", group.agents.front().line);
    const std::uint32_t count = record.last_agent - record.first_agent;
    if (count > kNamedAgents) return record_.set_unsigned("agents", count);
    for (std::uint32_t i = record.first_agent; i < record.last_agent; ++i) {
      record_.add("agent", without_controls(group.agents[i].name));
    }
  }

  void add_seconds(const RobotsRecord& record) {
    if (record.key == RobotsKey::kVisitTime) {
      if (!parse_hours(record.value)) record_.set("error", kNoHours);
      return;
    }
    const DelayValue delay = record.key == RobotsKey::kCrawlDelay
                                 ? parse_crawl_delay(record.value)
                                 : parse_request_rate(record.value);
    if (delay.ms) record_.set("crawl-delay", seconds_text(*delay.ms));
    if (delay.fault != DelayFault::kNone) record_.set("error", to_string(delay.fault));
  }

  void list_other(const RobotsRecord& record) {
    const bool is_sitemap = record.key == RobotsKey::kSitemap;
    if (what_ != (is_sitemap ? kSitemaps : kExtensions)) return;
    begin(record.value, record.line);
    if (!is_sitemap) record_.set("key", without_controls(record.key_text));
    write();
  }

  RobotsContext& context_;
  Record& record_;
  List what_;
  std::string name_;
};

std::string finding_text(const std::string& name, const Finding& finding) {
  std::string out = name;
  if (finding.line > 0) {
    out += ':';
    append_unsigned(out, finding.line);
  }
  out += ": " + std::string(to_string(finding.severity)) + ": " + finding.message;
  if (!finding.bytes.empty()) out += ": " + excerpt(finding.bytes);
  out += " [" + std::string(finding.code) + "]";
  return out;
}

void print_finding(RobotsContext& context, const std::string& name, const Finding& finding) {
  if (context.tool.writer().plain()) {
    std::string safe;
    append_printable(safe, finding_text(name, finding));
    context.tool.out().write(safe);
    return context.tool.out().put(context.tool.terminator());
  }
  Record& record = context.record;
  record.reset(column(name));
  record.set_unsigned("line", finding.line);
  record.set("severity", to_string(finding.severity));
  record.set("code", finding.code);
  record.set("message", finding.message);
  record.set("text", finding.bytes);
  context.tool.writer().write(record);
}

}  // namespace

int list_robots(RobotsContext& context, std::size_t what) {
  Lister lister(context, static_cast<List>(what));
  return each_file(context, [&lister](const std::string& name, const std::string& bytes) {
    lister.list(name, bytes);
  });
}

int lint_files(RobotsContext& context) {
  return each_file(context, [&context](const std::string& name, const std::string& bytes) {
    for (const Finding& finding : lint_robots(bytes, context.rules.rules.size_limit)) {
      print_finding(context, name, finding);
      if (finding.severity != Severity::kNote) context.tool.note_refusal();
    }
  });
}

int canonical_files(RobotsContext& context) {
  return each_file(context, [&context](const std::string&, const std::string& bytes) {
    context.tool.out().write(canonical_robots(bytes, context.rules.rules.size_limit));
  });
}

}  // namespace spinneret
