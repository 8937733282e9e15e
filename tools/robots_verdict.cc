// SPDX-License-Identifier: Apache-2.0
// Verdicts on demand: for URLs, by their hosts' robots.txt or by one file; and where two files differ.
#include <sys/stat.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "line_window.h"
#include "robots/extensions.h"
#include "robots_hosts.h"

namespace spinneret {
namespace {

// An explanation of another run's verdict explains none of this one's.
void remove_explanation(Record& record, const std::string& suffix) {
  for (const char* name :
       {"robots-old-rule", "robots-old-line", "robots-rule", "robots-line", "robots-group",
        "robots-reason", "robots-file", "robots-noindex", "content-usage", "content-signal"}) {
    record.remove(name + suffix);
  }
}

class Checker {
 public:
  explicit Checker(RobotsContext& context)
      : context_(context),
        tool_(context.tool),
        only_allowed_(tool_.options().has("allowed")),
        only_disallowed_(tool_.options().has("disallowed")),
        hosts_(context) {
    if (only_allowed_ && only_disallowed_) {
      tool_.options().usage_error("--allowed and --disallowed exclude each other");
    }
  }

  // Uses this robots.txt for every URL. False: it cannot be read, which has been reported.
  bool use_source(const std::string& source) {
    fixed_ = hosts_.of_source(source);
    return fixed_ != nullptr;
  }
  // Takes the host of each URL for the name of its robots.txt in `folder`.
  void use_folder(const std::string& folder) { folder_ = folder; }

  // Gets the robots.txt of all these lines at one time.
  void look_ahead(const std::vector<InputLine>& lines) {
    hosts_.forget_some();
    for (const InputLine& line : lines) {
      if (is_settled(line.text)) continue;
      if (context_.read_url(record_url(line.text), false) && context_.url.is_http()) {
        hosts_.want(context_.url);
      }
    }
    hosts_.fetch();
  }

  void check(const InputLine& line) {
    if (is_settled(line.text)) return tool_.writer().write_line(line.text);
    const std::string_view url = record_url(line.text);
    if (!context_.read_url(url, fixed_ != nullptr))
      return line.refuse(tool_, context_.why.message, url);
    const KnownHost* host = fixed_;
    if (host == nullptr) {
      if (!context_.url.is_http()) return line.refuse(tool_, "no http or https URL", url);
      host =
          folder_.empty() ? &hosts_.of_url(context_.url) : &hosts_.of_file(file_of(context_.url));
    }
    if (!host->rules) return line.refuse(tool_, "no robots.txt of its host", url);
    answer(line.text, *host, context_.path_of(url));
  }

  // A line of --many: `robots-file TAB record`.
  void check_pair(std::string_view line) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos)
      return tool_.refuse("no tab between a file and its URL", line);
    const std::string_view record = line.substr(tab + 1);
    const std::string_view url = record_url(record);
    if (!context_.read_url(url, true)) return tool_.refuse(context_.why.message, url);
    const KnownHost& host = hosts_.of_file(line.substr(0, tab));
    if (!host.rules) return tool_.refuse("its robots.txt cannot be read", line);
    answer(record, host, context_.path_of(url));
    hosts_.forget_some();
  }

 private:
  std::string file_of(const Url& url) const {
    const std::string name = folder_ + "/" + std::string(url.host());
    struct stat found {};
    if (::stat(name.c_str(), &found) != 0) return name + ".txt";
    return S_ISDIR(found.st_mode) ? name + "/robots.txt" : name;
  }

  void answer(std::string_view line, const KnownHost& host, std::string_view path) {
    const std::size_t agents = context_.rules.agents.size();
    if (context_.rows) return answer_rows(line, host, path);
    bool allowed = true;
    for (std::size_t i = 0; i < agents; ++i) allowed = host.rules->ask(i, path).allowed && allowed;
    if (!allowed) tool_.note_refusal();
    if ((only_allowed_ && !allowed) || (only_disallowed_ && allowed)) return;
    const bool filter = only_allowed_ || only_disallowed_;
    if (filter && !context_.explain) return tool_.writer().write_line(line);
    // A line of a URL alone, by far the most frequent, need not be taken apart.
    if (tool_.writer().plain() && agents == 1 && !context_.explain &&
        line.find('\t') == std::string_view::npos) {
      Sink& sink = tool_.writer().sink();
      sink.write(line);
      sink.write(allowed ? "\trobots=allow" : "\trobots=disallow");
      return sink.put(tool_.terminator());
    }
    context_.record.parse(line);
    for (std::size_t i = 0; i < agents; ++i) add_fields(host, i, path);
    tool_.writer().write(context_.record);
  }

  // --agents: a record for each agent.
  void answer_rows(std::string_view line, const KnownHost& host, std::string_view path) {
    Record& record = context_.record;
    for (std::size_t i = 0; i < context_.rules.agents.size(); ++i) {
      const HostRules::Answer answer = host.rules->ask(i, path);
      if (!answer.allowed) tool_.note_refusal();
      if ((only_allowed_ && !answer.allowed) || (only_disallowed_ && answer.allowed)) continue;
      record.parse(line);
      remove_explanation(record, "");
      record.set("agent", context_.rules.agents[i]);
      add_fields(host, i, path);
      // No group names it, and no rule of everyone's decides.
      const bool said = host.rules->state() != RobotsState::kRules || answer.rule != nullptr ||
                        host.rules->rules(i).is_own_group();
      if (!said) record.set("robots", "unspecified");
      if (!context_.explain) context_.add_rule("robots", "", *host.rules, i, answer);
      tool_.writer().write(record);
    }
  }

  void add_fields(const KnownHost& host, std::size_t agent, std::string_view path) {
    const HostRules::Answer answer = host.rules->ask(agent, path);
    const std::string suffix = context_.suffix(agent);
    Record& record = context_.record;
    record.set("robots" + suffix, answer.allowed ? "allow" : "disallow");
    remove_explanation(record, suffix);
    if (!context_.explain) return;
    const bool has_rules = host.rules->state() == RobotsState::kRules;
    context_.add_rule("robots", suffix, *host.rules, agent, answer);
    if (has_rules && host.rules->rules(agent).has_group()) {
      const bool own = host.rules->rules(agent).is_own_group();
      record.set("robots-group" + suffix, own ? context_.rules.agents[agent] : "*");
    }
    record.set("robots-reason" + suffix, without_controls(answer.reason));
    record.set("robots-file" + suffix, host.source);
    if (has_rules) add_extensions(*host.rules, agent, answer.allowed, path, suffix);
  }

  // What else the file says of the path. Nothing is implied of the use of what may not be had
  // (draft-ietf-aipref-attach).
  void add_extensions(const HostRules& rules, std::size_t agent, bool allowed,
                      std::string_view path, const std::string& suffix) {
    for (const RobotsKey key :
         {RobotsKey::kNoindex, RobotsKey::kContentUsage, RobotsKey::kContentSignal}) {
      const Extensions::Item* item = rules.extensions(agent).find(key, path);
      if (item == nullptr) item = rules.ungrouped().find(key, path);
      if (item == nullptr || (!allowed && key != RobotsKey::kNoindex)) continue;
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
  RobotsHosts hosts_;
  const KnownHost* fixed_ = nullptr;
  std::string folder_;
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
    const HostRules::Answer was = before.ask(i, path);
    const HostRules::Answer is = after.ask(i, path);
    differs = differs || was.allowed != is.allowed;
    const std::string suffix = context.suffix(i);
    context.record.set("robots" + suffix, is.allowed ? "allow" : "disallow");
    context.record.set("robots-old" + suffix, was.allowed ? "allow" : "disallow");
    remove_explanation(context.record, suffix);
    if (!context.explain) continue;
    context.add_rule("robots", suffix, after, i, is);
    context.add_rule("robots-old", suffix, before, i, was);
  }
  if (!differs) return;
  context.tool.note_refusal();
  context.tool.writer().write(context.record);
}

}  // namespace

int check_pairs(RobotsContext& context) {
  Checker checker(context);
  std::string_view line;
  while (context.tool.next(line)) checker.check_pair(line);
  return context.tool.status();
}

int check_urls(RobotsContext& context) {
  Checker checker(context);
  const cli::Options& options = context.tool.options();
  if (options.has("robots")) {
    const std::string source = options.get("robots");
    struct stat found {};
    const bool is_folder = ::stat(source.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
    if (is_folder) {
      checker.use_folder(source);
    } else {
      if (!checker.use_source(source)) return 2;
      context.take_paths_as_lines(options.operands());
    }
    std::string_view line;
    while (context.tool.next(line)) checker.check(line_of(context.tool, line));
    return context.tool.status();
  }
  LineWindow window(context.tool);
  while (window.fill()) {
    checker.look_ahead(window.lines());
    for (const InputLine& line : window.lines()) checker.check(line);
  }
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
  context.take_paths_as_lines(std::move(operands));
  std::string_view line;
  while (context.tool.next(line)) compare(context, sides[0], sides[1], line);
  return context.tool.status();
}

}  // namespace spinneret
