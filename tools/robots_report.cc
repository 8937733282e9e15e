// SPDX-License-Identifier: Apache-2.0
// Reports about robots.txt files themselves: --list, --lint, --canonical. Operands are files, or
// URLs of robots.txt.
#include <functional>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "robots/agent_groups.h"
#include "robots/canonical.h"
#include "robots/contents.h"
#include "robots/delay.h"
#include "robots/lint.h"
#include "robots/tdm_file.h"
#include "robots/text.h"
#include "robots_context.h"
#include "rsl.h"

namespace spinneret {
namespace {

enum List : std::size_t { kSitemaps, kAgents, kRules, kDelays, kExtensions, kPreferences };

constexpr std::uint32_t kNamedAgents = 16;

// Calls `report(name, bytes)` for each operand, for each file in a folder, or for standard input.
int each_file(RobotsContext& context,
              const std::function<void(const std::string&, const std::string&)>& report) {
  std::vector<std::string> operands = context.tool.options().operands();
  if (operands.empty()) operands = {"-"};
  for (const std::string& operand : operands) {
    for (const std::string& name : context.files_of(operand)) {
      if (const auto bytes = context.read_source(name)) report(name, *bytes);
      if (context.tool.stopped()) return context.tool.status();
    }
  }
  return context.tool.status();
}

// Returns text for column 1, which holds no tab, no line end, and nothing that acts on a terminal.
std::string column(std::string_view text) {
  std::string out;
  append_escaped(out, without_controls(text));
  return out;
}

bool is_delay(robots::RobotsKey key) {
  return key == robots::RobotsKey::kCrawlDelay || key == robots::RobotsKey::kRequestRate ||
         key == robots::RobotsKey::kVisitTime;
}

bool is_extension(robots::RobotsKey key) {
  return !robots::is_rule(key) && !is_delay(key) && key != robots::RobotsKey::kSitemap;
}

// Whether the key is about the use of pages, or about models.
bool is_preference(robots::RobotsKey key) {
  return key == robots::RobotsKey::kContentUsage || key == robots::RobotsKey::kContentSignal ||
         key == robots::RobotsKey::kDisallowAiTraining ||
         key == robots::RobotsKey::kAllowAiTraining || key == robots::RobotsKey::kLicense;
}

class Lister {
 public:
  Lister(RobotsContext& context, List what)
      : context_(context), record_(context.record), what_(what) {}

  void list(const std::string& name, const std::string& bytes) {
    has_name_ = has_name_ || (!name_.empty() && name != name_) ||
                context_.tool.options().operands() != std::vector<std::string>{name};
    name_ = name;
    if (robots::looks_like_json(bytes)) return list_tdm(robots::read_tdm_file(bytes));
    if (looks_like_rsl(bytes)) return list_rsl(read_rsl(bytes));
    std::string storage;
    const robots::RobotsContents contents =
        robots::read_contents(robots::robots_text(bytes, context_.rules.rules.size_limit, storage),
                              context_.rules.rules.mode);
    for (const robots::RobotsRecord& record : contents.ungrouped) list_record(nullptr, record);
    for (const robots::RobotsGroup& group : contents.groups) {
      for (const robots::RobotsAgent& agent : group.agents) list_agent(group, agent);
      for (const robots::RobotsRecord& record : group.records) list_record(&group, record);
    }
    for (const robots::RobotsRecord& record : contents.others) list_other(record);
  }

 private:
  void begin(std::string_view first, std::uint32_t line) {
    record_.reset(column(first));
    if (has_name_) record_.set("file", name_);
    record_.set_unsigned("line", line);
  }
  void write() { context_.tool.writer().write(record_); }

  bool is_wanted(robots::RobotsKey key) const {
    switch (what_) {
      case kSitemaps: return key == robots::RobotsKey::kSitemap;
      case kRules: return robots::is_rule(key);
      case kDelays: return is_delay(key);
      case kExtensions: return is_extension(key);
      case kPreferences: return is_preference(key);
      default: return false;
    }
  }

  // Lists the preferences of files beside robots.txt: a tdmrep.json, an RSL licence.
  void list_tdm(const robots::TdmFile& file) {
    for (const robots::TdmRule& rule : file.rules) {
      if (what_ != kExtensions && what_ != kPreferences) return;
      begin(rule.location, rule.line);
      record_.set("key", "tdm-reservation");
      record_.set("tdm-reservation", rule.reserved ? "1" : "0");
      if (!rule.policy.empty()) record_.set("tdm-policy", without_controls(rule.policy));
      write();
    }
  }
  void list_rsl(const RslFile& file) {
    for (const RslContent& content : file.contents) {
      if (what_ != kExtensions && what_ != kPreferences) return;
      begin(content.url, content.line);
      record_.set("key", "content");
      for (const RslLicense& license : content.licenses) {
        for (const std::string& usage : license.permits) record_.add("permits", usage);
        for (const std::string& usage : license.prohibits) record_.add("prohibits", usage);
        if (!license.payment.empty()) record_.add("payment", without_controls(license.payment));
      }
      write();
    }
  }

  void list_agent(const robots::RobotsGroup& group, const robots::RobotsAgent& agent) {
    if (what_ != kAgents) return;
    begin(agent.name, agent.line);
    record_.set_unsigned("group", group.agents.front().line);
    write();
  }

  // `group` is nullptr where the record stands before all groups.
  void list_record(const robots::RobotsGroup* group, const robots::RobotsRecord& record) {
    if (!is_wanted(record.key)) return;
    begin(record.value, record.line);
    record_.set("key", robots::to_string(record.key));
    if (what_ == kDelays) add_seconds(record);
    if (group == nullptr) {
      record_.set("group", "none");
    } else {
      add_agents(*group, record);
    }
    write();
  }

  // Adds the group and its agents. A group of 3,000 agents and 20 rules would have 60,000 names:
  // many agents are given as a number, and --list=agents has their names by the group's line.
  void add_agents(const robots::RobotsGroup& group, const robots::RobotsRecord& record) {
    record_.set_unsigned("group", group.agents.front().line);
    const std::uint32_t count = record.last_agent - record.first_agent;
    if (count > kNamedAgents) return record_.set_unsigned("agents", count);
    for (std::uint32_t i = record.first_agent; i < record.last_agent; ++i) {
      record_.add("agent", without_controls(group.agents[i].name));
    }
  }

  void add_seconds(const robots::RobotsRecord& record) {
    if (record.key == robots::RobotsKey::kVisitTime) {
      if (!parse_hours(record.value)) record_.set("error", robots::kNoHours);
      return;
    }
    const robots::DelayValue delay = record.key == robots::RobotsKey::kCrawlDelay
                                         ? robots::parse_crawl_delay(record.value)
                                         : robots::parse_request_rate(record.value);
    if (delay.ms) record_.set("crawl-delay", seconds_text(*delay.ms));
    if (delay.fault != robots::DelayFault::kNone)
      record_.set("error", robots::to_string(delay.fault));
  }

  void list_other(const robots::RobotsRecord& record) {
    const bool is_sitemap = record.key == robots::RobotsKey::kSitemap;
    if (!is_wanted(record.key) || (is_sitemap && record.value.empty())) return;
    begin(is_sitemap ? context_.resolved(context_.robots_source(name_), record.value)
                     : std::string(record.value),
          record.line);
    if (!is_sitemap) record_.set("key", without_controls(record.key_text));
    write();
  }

  RobotsContext& context_;
  Record& record_;
  List what_;
  std::string name_;
  bool has_name_ = false;  // several files are listed, and each record names its own
};

std::string finding_text(const std::string& name, const robots::Finding& finding) {
  std::string out = name;
  if (finding.line > 0) {
    out += ':';
    append_unsigned(out, finding.line);
  }
  out += ": " + std::string(robots::to_string(finding.severity)) + ": " + finding.message;
  if (!finding.bytes.empty()) out += ": " + excerpt(finding.bytes);
  out += " [" + std::string(finding.code) + "]";
  return out;
}

// Returns the findings for a robots.txt or for a file beside one.
std::vector<robots::Finding> findings_of(RobotsContext& context, std::string_view bytes) {
  if (robots::looks_like_json(bytes)) return robots::read_tdm_file(bytes).findings;
  if (looks_like_rsl(bytes)) return read_rsl(bytes).findings;
  return robots::lint_robots(bytes, context.rules.rules.size_limit);
}

void print_finding(RobotsContext& context, const std::string& name,
                   const robots::Finding& finding) {
  if (context.tool.writer().plain()) {
    std::string safe;
    append_printable(safe, finding_text(name, finding));
    context.tool.out().write(safe);
    return context.tool.out().put(context.tool.terminator());
  }
  Record& record = context.record;
  record.reset(column(name));
  record.set_unsigned("line", finding.line);
  record.set("severity", robots::to_string(finding.severity));
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
    for (const robots::Finding& finding : findings_of(context, bytes)) {
      if (!context.quiet) print_finding(context, name, finding);
      if (finding.severity != robots::Severity::kNote) context.tool.note_refusal();
    }
  });
}

int canonical_files(RobotsContext& context) {
  return each_file(context, [&context](const std::string&, const std::string& bytes) {
    context.tool.out().write(robots::canonical_robots(bytes, context.rules.rules.size_limit));
  });
}

}  // namespace spinneret
