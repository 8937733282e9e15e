// SPDX-License-Identifier: Apache-2.0
#include "robots_agents.h"

#include <optional>

#include "base/ascii.h"
#include "base/file.h"
#include "identity.h"
#include "product_token.h"
#include "robots/known_agents.h"

namespace spinneret {
namespace {

class AgentReader {
 public:
  AgentReader(cli::Tool& tool, bool strict_token) : tool_(tool), strict_token_(strict_token) {}

  AgentChoice read() {
    for (const std::string& given : asked()) {
      // Commas separate names, but a User-Agent line has commas of its own.
      std::string_view rest = given;
      const bool is_line = given.find_first_of("/(") != std::string::npos;
      while (!rest.empty() && !is_line) add(std::string(cut(rest, ',')));
      if (is_line || given.empty()) add(given);
    }
    if (tool_.options().has("agents")) read_list();
    return std::move(out_);
  }

 private:
  // Returns the names given. Where there are none, and one verdict is asked for, that is our own
  // name.
  std::vector<std::string> asked() const {
    const cli::Options& options = tool_.options();
    for (const char* const other : {"agent", "agents", "diff", "matrix", "many"}) {
      if (options.has(other)) return options.all("agent");
    }
    const std::string named = environment_value("SPINNERET_AGENT");
    return named.empty() ? std::vector<std::string>() : std::vector<std::string>{named};
  }

  void add(const std::string& given) {
    // "*" means any agent that no group names.
    out_.names.push_back(trim(given) == "*" ? "*" : product_token(tool_, given, strict_token_));
  }

  // Reads a file with a token a line. Text behind a tab is ignored; '#' begins a comment.
  void add_file(const std::string& path) {
    const Result<std::string> text = read_file(path);
    if (!text.ok()) tool_.options().usage_error("--agents: " + text.message());
    std::string_view rest = *text;
    while (!rest.empty()) {
      const std::string_view line = cut(rest, '\n');
      const std::string_view token = trim(line.substr(0, line.find_first_of("\t#")));
      if (!token.empty()) add(std::string(token));
    }
    if (out_.names.empty()) tool_.options().usage_error("--agents: " + path + " names no agent");
  }

  void read_list() {
    for (const char* other : {"gate", "learn", "page", "policy"}) {
      if (tool_.options().has(other)) {
        tool_.options().usage_error(std::string("--agents and --") + other + " exclude each other");
      }
    }
    out_.rows = true;
    const std::string which = tool_.options().get("agents");
    const std::optional<std::uint8_t> kinds = robots::agent_kinds(which);
    if (!kinds) return add_file(which);
    for (const robots::KnownAgent& agent : robots::known_agents()) {
      if ((agent.kinds & *kinds) != 0) out_.names.emplace_back(agent.token);
    }
  }

  cli::Tool& tool_;
  const bool strict_token_;
  AgentChoice out_;
};

}  // namespace

AgentChoice read_agents(cli::Tool& tool, bool strict_token) {
  return AgentReader(tool, strict_token).read();
}

}  // namespace spinneret
