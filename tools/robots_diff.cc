// SPDX-License-Identifier: Apache-2.0
// --diff: shows where two versions of a robots.txt differ, for given URLs, or for paths made of
// both files' rules.
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/terminal.h"
#include "robots/agent.h"
#include "robots/text.h"
#include "robots_answer.h"
#include "url/percent.h"

namespace spinneret {
namespace {

// Bounds for hostile files: nobody reads more paths or names than this.
constexpr std::size_t kMaxProbes = std::size_t{1} << 16;
constexpr std::size_t kMaxNames = 4096;
constexpr std::size_t kMaxQuestions = std::size_t{1} << 24;  // paths times agents: some seconds

// Texts in order of appearance, each once.
class Collection {
 public:
  explicit Collection(std::size_t limit) : limit_(limit) {}
  void add(std::string name) {
    if (names.size() == limit_) {
      was_cut = true;
    } else if (known_.insert(to_lower_copy(name)).second) {
      names.push_back(std::move(name));
    }
  }
  std::vector<std::string> names;
  bool was_cut = false;

 private:
  std::size_t limit_;
  std::set<std::string> known_;
};

// Returns a path that the rule matches, as a URL has it: "/a*b$" -> "/axb". Bytes that are not
// printable ASCII are escaped.
std::string probe_of(std::string_view value) {
  if (value.ends_with('$')) value.remove_suffix(1);
  std::string out;
  for (const char c : value) {
    if (c <= ' ' || c >= 0x7F) {
      append_escape(out, c);
    } else {
      out += c == '*' ? 'x' : c;
    }
  }
  return out.starts_with('/') ? out : '/' + out;
}

class Differ {
 public:
  explicit Differ(RobotsContext& context)
      : context_(context), matrix_(context), as_matrix_(context.tool.options().has("matrix")) {
    context.explain = context.explain || context.rows;
  }

  // Returns false where a file cannot be read, which has been reported.
  bool read(const std::string& before, const std::string& after) {
    for (const std::string& source : {before, after}) {
      std::optional<std::string> text = context_.read_source(source);
      if (!text) return false;
      bytes_.push_back(std::move(*text));
    }
    return true;
  }

  void compile() {
    for (const std::string& bytes : bytes_) {
      robots::RobotsEntry entry;
      entry.state = robots::RobotsState::kRules;
      entry.body = bytes;
      sides_.emplace_back(entry, context_.rules, context_.now());
    }
  }

  // Prints the line with both verdicts, if any agent's verdict differs.
  void compare(std::string_view line) {
    const std::string_view url = record_url(line);
    if (!context_.read_url(url, true))
      return context_.tool.refuse_record(context_.why.message, line);
    compare(line, context_.path_of(url));
  }

  // Compares without URLs: a path for each rule of both files and, where no agent was named, all
  // agents that the files name.
  void compare_all() {
    Collection probes(kMaxProbes);
    Collection agents(kMaxNames);
    probes.add("/");
    agents.add("*");
    for (const std::string& bytes : bytes_) {
      std::string storage;
      const robots::RobotsContents contents = robots::read_contents(
          robots::robots_text(bytes, context_.rules.rules.size_limit, storage),
          context_.rules.rules.mode);
      collect(contents, probes, agents);
    }
    if (context_.rules.agents == std::vector<std::string>{"*"}) {
      context_.rules.agents = std::move(agents.names);
      context_.rows = true;
    }
    const std::size_t most = std::max<std::size_t>(kMaxQuestions / context_.rules.agents.size(), 1);
    if (probes.names.size() > most) {
      probes.names.resize(most);
      probes.was_cut = true;
    }
    if (probes.was_cut || agents.was_cut) {
      context_.tool.notice("the files have too many rules or agents: only the first were compared");
    }
    context_.explain = true;
    compile();
    for (const std::string& probe : probes.names) {
      if (context_.read_url(probe, true)) compare(probe, context_.path_of(probe));
    }
  }

  void end() {
    if (as_matrix_ && !context_.quiet) matrix_.print(true);
  }

 private:
  void collect(const robots::RobotsContents& contents, Collection& probes,
               Collection& agents) const {
    const bool strict = context_.rules.rules.strict_token;
    for (const robots::RobotsGroup& group : contents.groups) {
      for (const robots::RobotsAgent& agent : group.agents) {
        const std::string token(robots::crawler_token(agent.name, strict));
        if (!token.empty()) agents.add(token);
      }
      for (const robots::RobotsRecord& record : group.records) {
        if (robots::is_rule(record.key) && !record.value.empty())
          probes.add(probe_of(record.value));
      }
    }
  }

  // Adds a column to --matrix, if any agent's verdict differs.
  void add_column(std::string_view line, std::string_view path) {
    const auto line_of = [](const robots::HostRules::Answer& answer) {
      return answer.rule == nullptr ? 0 : answer.rule->line;
    };
    std::vector<AgentMatrix::Cell> cells;
    bool differs = false;
    for (std::size_t i = 0; i < context_.rules.agents.size(); ++i) {
      const robots::HostRules::Answer was = sides_[0].ask(i, path);
      const robots::HostRules::Answer is = sides_[1].ask(i, path);
      AgentMatrix::Cell cell{word_of(sides_[1], i, is), line_of(is), {}, 0};
      if (was.allowed != is.allowed) {
        cell.old_word = word_of(sides_[0], i, was);
        cell.old_line = line_of(was);
        differs = true;
      }
      cells.push_back(cell);
    }
    if (!differs) return;
    context_.tool.note_refusal();
    if (matrix_.add(record_url(line), cells) || std::exchange(was_cut_, true)) return;
    context_.tool.notice("a matrix has at most 1000 columns: only the first were printed");
  }

  void compare(std::string_view line, std::string_view path) {
    if (as_matrix_) return add_column(line, path);
    Record& record = context_.record;
    bool differs = false;
    if (!context_.rows) record.parse(line);
    for (std::size_t i = 0; i < context_.rules.agents.size(); ++i) {
      const robots::HostRules::Answer was = sides_[0].ask(i, path);
      const robots::HostRules::Answer is = sides_[1].ask(i, path);
      if (context_.rows && was.allowed == is.allowed) continue;
      differs = differs || was.allowed != is.allowed;
      if (context_.rows) {
        record.parse(line);
        record.set("agent", context_.rules.agents[i]);
      }
      add_fields(i, was, is);
      if (context_.rows) write();
    }
    if (differs && !context_.rows) write();
  }

  void add_fields(std::size_t agent, const robots::HostRules::Answer& was,
                  const robots::HostRules::Answer& is) {
    Record& record = context_.record;
    const std::string suffix = context_.suffix(agent);
    record.set("robots" + suffix, context_.rows ? word_of(sides_[1], agent, is)
                                  : is.allowed  ? "allow"
                                                : "disallow");
    record.set("robots-old" + suffix, context_.rows ? word_of(sides_[0], agent, was)
                                      : was.allowed ? "allow"
                                                    : "disallow");
    remove_explanation(record, suffix);
    if (!context_.explain) return;
    context_.add_rule("robots", suffix, sides_[1], agent, is);
    context_.add_rule("robots-old", suffix, sides_[0], agent, was);
  }

  void write() {
    context_.tool.note_refusal();
    if (!context_.quiet) context_.tool.writer().write(context_.record);
  }

  RobotsContext& context_;
  AgentMatrix matrix_;
  const bool as_matrix_;
  bool was_cut_ = false;
  std::vector<std::string> bytes_;  // before, after
  std::vector<robots::HostRules> sides_;
};

}  // namespace

int diff_robots(RobotsContext& context) {
  cli::Tool& tool = context.tool;
  const std::string old = tool.options().get("diff");
  std::vector<std::string> operands = tool.options().operands();
  if (operands.empty()) {
    tool.options().usage_error("--diff takes OLD and NEW, and then lists of URLs");
  }
  Differ differ(context);
  if (!differ.read(old, operands[0])) return 2;
  const bool from_input =
      operands.size() == 1 && old != "-" && operands[0] != "-" && !is_terminal(STDIN_FILENO);
  const bool has_lines = operands.size() > 1 || from_input;
  operands.erase(operands.begin());
  std::string_view line;
  if (has_lines) context.take_paths_as_lines(std::move(operands));
  if (!has_lines || !tool.next(line)) {
    differ.compare_all();
    differ.end();
    return tool.status();
  }
  differ.compile();
  do {
    differ.compare(line);
  } while (tool.next(line));
  differ.end();
  return tool.status();
}

}  // namespace spinneret
