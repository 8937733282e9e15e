// SPDX-License-Identifier: Apache-2.0
// Verdicts on demand: for URLs, by their hosts' robots.txt or by one file; and where two files differ.
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "base/file.h"
#include "robots/extensions.h"
#include "robots_context.h"

namespace spinneret {
namespace {

// One host's rules, or those of --robots.
struct KnownHost {
  std::string source;
  std::unique_ptr<HostRules> rules;
  std::vector<Extensions> extensions;  // by agent; only for --explain
};

// An explanation of another run's verdict explains none of this one's.
void remove_explanation(Record& record, const std::string& suffix) {
  for (const char* name : {"robots-rule", "robots-line", "robots-group", "robots-reason",
                           "robots-file", "robots-noindex", "content-usage", "content-signal"}) {
    record.remove(name + suffix);
  }
}

class Checker {
 public:
  explicit Checker(RobotsContext& context)
      : context_(context),
        tool_(context.tool),
        only_allowed_(tool_.options().has("allowed")),
        only_disallowed_(tool_.options().has("disallowed")) {
    if (only_allowed_ && only_disallowed_) {
      tool_.options().usage_error("--allowed and --disallowed exclude each other");
    }
  }

  // Uses this robots.txt for every URL. False: it cannot be read, which has been reported.
  bool use_source(const std::string& source) {
    RobotsEntry entry;
    entry.source = source;
    if (cli::is_url_operand(source)) {
      entry = context_.fetch_robots(source, nullptr);
    } else {
      std::optional<std::string> text = context_.read_source(source);
      if (!text) return false;
      entry.state = RobotsState::kRules;
      entry.body = std::move(*text);
    }
    fixed_ = &add_host("", entry);
    return true;
  }

  void check(std::string_view line) {
    if (is_settled(line)) return tool_.writer().write_line(line);
    const std::string_view url = record_url(line);
    if (!context_.read_url(url, fixed_ != nullptr)) {
      return tool_.refuse(context_.why.message, url);
    }
    const KnownHost* host = fixed_;
    if (host == nullptr) {
      if (!context_.url.is_http()) return tool_.refuse("no http or https URL", url);
      host = &host_of(context_.url);
    }
    answer(line, *host, context_.path_of(url));
  }

 private:
  const KnownHost& add_host(const std::string& authority, const RobotsEntry& entry) {
    KnownHost& host = hosts_[authority];
    host.source = entry.source;
    host.rules = std::make_unique<HostRules>(entry, context_.rules, context_.now());
    if (!context_.explain || entry.state != RobotsState::kRules) return host;
    for (const std::string& agent : context_.rules.agents) {
      host.extensions.push_back(Extensions::compile(entry.body, agent, context_.rules.rules));
    }
    return host;
  }

  const KnownHost& host_of(const Url& url) {
    const std::string authority = robots_authority(url);
    const auto known = hosts_.find(authority);
    if (known != hosts_.end()) return known->second;
    std::optional<RobotsEntry> entry;
    if (!context_.cache.empty()) entry = load_entry(context_.cache, authority);
    if (!entry || entry->expires <= context_.now()) {
      const std::optional<RobotsEntry> last = std::move(entry);
      entry = context_.fetch_robots(robots_url(url), last ? &*last : nullptr);
      entry->authority = authority;
      keep(*entry);
    }
    return add_host(authority, *entry);
  }

  void keep(const RobotsEntry& entry) {
    if (context_.cache.empty()) return;
    Status stored = make_directories(context_.cache);
    if (stored.ok()) stored = store_entry(context_.cache, entry);
    if (!stored.ok()) tool_.trouble(stored.message());
  }

  void answer(std::string_view line, const KnownHost& host, std::string_view path) {
    const std::size_t agents = context_.rules.agents.size();
    bool allowed = true;
    for (std::size_t i = 0; i < agents; ++i) allowed = host.rules->ask(i, path).allowed && allowed;
    if (!allowed) tool_.note_refusal();
    if ((only_allowed_ && !allowed) || (only_disallowed_ && allowed)) return;
    const bool filter = only_allowed_ || only_disallowed_;
    if (filter && !context_.explain) return tool_.writer().write_line(line);
    context_.record.parse(line);
    for (std::size_t i = 0; i < agents; ++i) add_fields(host, i, path);
    tool_.writer().write(context_.record);
  }

  void add_fields(const KnownHost& host, std::size_t agent, std::string_view path) {
    const HostRules::Answer answer = host.rules->ask(agent, path);
    const std::string suffix = context_.suffix(agent);
    Record& record = context_.record;
    record.set("robots" + suffix, answer.allowed ? "allow" : "disallow");
    remove_explanation(record, suffix);
    if (!context_.explain) return;
    const bool has_rules = host.rules->state() == RobotsState::kRules;
    if (answer.rule != nullptr) {
      record.set("robots-rule" + suffix,
                 without_controls(host.rules->rules(agent).text(*answer.rule)));
      record.set_unsigned("robots-line" + suffix, answer.rule->line);
    }
    if (has_rules && host.rules->rules(agent).has_group()) {
      const bool own = host.rules->rules(agent).is_own_group();
      record.set("robots-group" + suffix, own ? context_.rules.agents[agent] : "*");
    }
    record.set("robots-reason" + suffix, without_controls(answer.reason));
    record.set("robots-file" + suffix, host.source);
    if (agent < host.extensions.size()) add_extensions(host.extensions[agent], path, suffix);
  }

  // What else the file says of the path.
  void add_extensions(const Extensions& extensions, std::string_view path,
                      const std::string& suffix) {
    for (const RobotsKey key :
         {RobotsKey::kNoindex, RobotsKey::kContentUsage, RobotsKey::kContentSignal}) {
      const Extensions::Item* const item = extensions.find(key, path);
      if (item == nullptr) continue;
      const char* const name = key == RobotsKey::kNoindex        ? "robots-noindex"
                               : key == RobotsKey::kContentUsage ? "content-usage"
                                                                 : "content-signal";
      context_.record.set(name + suffix, without_controls(item->value));
    }
  }

  RobotsContext& context_;
  cli::Tool& tool_;
  const bool only_allowed_;
  const bool only_disallowed_;
  std::map<std::string, KnownHost> hosts_;
  const KnownHost* fixed_ = nullptr;
};

// Prints the line if any agent's verdict differs, with both.
void compare(RobotsContext& context, const HostRules& before, const HostRules& after,
             std::string_view line) {
  const std::string_view url = record_url(line);
  if (!context.read_url(url, true)) {
    return context.tool.refuse(context.why.message, url);
  }
  const std::string_view path = context.path_of(url);
  bool differs = false;
  context.record.parse(line);
  for (std::size_t i = 0; i < context.rules.agents.size(); ++i) {
    const bool was = before.ask(i, path).allowed;
    const bool is = after.ask(i, path).allowed;
    differs = differs || was != is;
    context.record.set("robots" + context.suffix(i), is ? "allow" : "disallow");
    context.record.set("robots-old" + context.suffix(i), was ? "allow" : "disallow");
    remove_explanation(context.record, context.suffix(i));
  }
  if (!differs) return;
  context.tool.note_refusal();
  context.tool.writer().write(context.record);
}

}  // namespace

int check_urls(RobotsContext& context) {
  Checker checker(context);
  const cli::Options& options = context.tool.options();
  if (options.has("robots") && !checker.use_source(options.get("robots"))) return 2;
  std::string_view line;
  while (context.tool.next(line)) checker.check(line);
  return context.tool.status();
}

int diff_robots(RobotsContext& context) {
  std::vector<std::string> operands = context.tool.options().operands();
  if (operands.size() < 2) {
    context.tool.options().usage_error("--diff takes OLD and NEW, and then lists of URLs");
  }
  std::vector<HostRules> sides;
  for (std::size_t i = 0; i < 2; ++i) {
    std::optional<std::string> text = context.read_source(operands[i]);
    if (!text) return 2;
    RobotsEntry entry;
    entry.state = RobotsState::kRules;
    entry.body = std::move(*text);
    sides.emplace_back(entry, context.rules, context.now());
  }
  operands.erase(operands.begin(), operands.begin() + 2);
  context.tool.set_operands(std::move(operands));
  std::string_view line;
  while (context.tool.next(line)) compare(context, sides[0], sides[1], line);
  return context.tool.status();
}

}  // namespace spinneret
