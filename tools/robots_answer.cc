// SPDX-License-Identifier: Apache-2.0
// Writes verdicts as records.
#include "robots_answer.h"

#include <algorithm>

#include "base/excerpt.h"
#include "robots/extensions.h"
#include "robots/known_agents.h"

namespace spinneret {
namespace {

class VerdictWriter : public Answerer {
 public:
  explicit VerdictWriter(RobotsContext& context)
      : context_(context),
        tool_(context.tool),
        only_allowed_(tool_.options().has("allowed")),
        only_disallowed_(tool_.options().has("disallowed")),
        all_matches_(tool_.options().has("all-matches")) {
    if (only_allowed_ && only_disallowed_) {
      tool_.options().usage_error("--allowed and --disallowed exclude each other");
    }
  }

  void answer(std::string_view line, const KnownHost& host, std::string_view path) override {
    const std::size_t agents = context_.rules.agents.size();
    note_unknown(*host.rules);
    if (context_.rows) return answer_rows(line, host, path);
    bool allowed = true;
    for (std::size_t i = 0; i < agents; ++i) allowed = host.rules->ask(i, path).allowed && allowed;
    if (!allowed) tool_.note_refusal();
    if (context_.quiet) return;
    if ((only_allowed_ && !allowed) || (only_disallowed_ && allowed)) return;
    const bool filter = only_allowed_ || only_disallowed_;
    if (filter && !context_.explain && !all_matches_) return tool_.writer().write_line(line);
    // A line with nothing but a URL, by far the most frequent, need not be parsed.
    if (tool_.writer().plain() && agents == 1 && !context_.explain && !all_matches_ &&
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

 private:
  // Raises the exit status where a failure forbids the path, and not the site.
  void note_unknown(const robots::HostRules& rules) {
    if (rules.state() == robots::RobotsState::kDisallowAll && !context_.is_denial(rules.reason())) {
      tool_.raise_status(3);
    }
  }

  // --agents: writes a record for each agent.
  void answer_rows(std::string_view line, const KnownHost& host, std::string_view path) {
    Record& record = context_.record;
    for (std::size_t i = 0; i < context_.rules.agents.size(); ++i) {
      const robots::HostRules::Answer answer = host.rules->ask(i, path);
      if (!answer.allowed) tool_.note_refusal();
      if ((only_allowed_ && !answer.allowed) || (only_disallowed_ && answer.allowed)) continue;
      if (context_.quiet) continue;
      record.parse(line);
      remove_explanation(record, "");
      record.set("agent", context_.rules.agents[i]);
      add_fields(host, i, path);
      record.set("robots", word_of(*host.rules, i, answer));
      if (context_.explain) {
        add_agent_source(context_.rules.agents[i]);
      } else {
        context_.add_rule("robots", "", *host.rules, i, answer);
      }
      tool_.writer().write(record);
    }
  }

  // Says where our list of agents has the agent from.
  void add_agent_source(std::string_view token) {
    Record& record = context_.record;
    record.remove("agent-source");
    for (const robots::KnownAgent& agent : robots::known_agents()) {
      if (agent.token != token) continue;
      const auto unseen = robots::unseen_agents();
      const bool is_unseen = std::find(unseen.begin(), unseen.end(), token) != unseen.end();
      record.set("agent-source", std::string(agent.source) + ", since about " +
                                     std::to_string(agent.since) +
                                     (is_unseen ? ", unverified" : ""));
    }
  }

  void add_fields(const KnownHost& host, std::size_t agent, std::string_view path) {
    const robots::HostRules::Answer answer = host.rules->ask(agent, path);
    const std::string suffix = context_.suffix(agent);
    Record& record = context_.record;
    record.set("robots" + suffix, answer.allowed ? "allow" : "disallow");
    remove_explanation(record, suffix);
    const bool has_rules = host.rules->state() == robots::RobotsState::kRules;
    if (all_matches_ && has_rules) add_matches(host.rules->rules(agent), path, suffix);
    if (!context_.explain) return;
    context_.add_rule("robots", suffix, *host.rules, agent, answer);
    if (has_rules && host.rules->rules(agent).has_group()) {
      const bool own = host.rules->rules(agent).is_own_group();
      record.set("robots-group" + suffix, own ? context_.rules.agents[agent] : "*");
    }
    record.set("robots-reason" + suffix, without_controls(answer.reason));
    record.set("robots-file" + suffix, host.source);
    if (has_rules) add_extensions(*host.rules, agent, answer.allowed, path, suffix);
  }

  // --all-matches: adds fields such as "3: Disallow: /a", the deciding rule first.
  void add_matches(const robots::RuleSet& rules, std::string_view path, const std::string& suffix) {
    for (const robots::Rule* const rule : rules.matching(path)) {
      context_.record.add("robots-match" + suffix,
                          without_controls(std::to_string(rule->line) + ": " + rules.text(*rule)));
    }
  }

  // Adds what else the file says of the path. Where a path may not be fetched, nothing is implied
  // of its use (draft-ietf-aipref-attach).
  void add_extensions(const robots::HostRules& rules, std::size_t agent, bool allowed,
                      std::string_view path, const std::string& suffix) {
    for (const robots::RobotsKey key :
         {robots::RobotsKey::kNoindex, robots::RobotsKey::kContentUsage,
          robots::RobotsKey::kContentSignal, robots::RobotsKey::kDisallowAiTraining}) {
      const robots::Extensions::Item* const item = rules.stated(agent, key, path);
      if (item == nullptr || (!allowed && key != robots::RobotsKey::kNoindex)) continue;
      const char* const name = key == robots::RobotsKey::kNoindex        ? "robots-noindex"
                               : key == robots::RobotsKey::kContentUsage ? "content-usage"
                               : key == robots::RobotsKey::kContentSignal
                                   ? "content-signal"
                                   : "robots-disallow-ai-training";
      context_.record.set(name + suffix, without_controls(item->value));
      context_.record.set_unsigned(std::string(name) + "-line" + suffix, item->line);
    }
    for (const robots::HostRules::License& license : rules.licenses()) {
      context_.record.add("robots-license" + suffix, without_controls(license.url));
    }
  }

  RobotsContext& context_;
  cli::Tool& tool_;
  const bool only_allowed_;
  const bool only_disallowed_;
  const bool all_matches_;
};

}  // namespace

void remove_explanation(Record& record, const std::string& suffix) {
  for (const char* name :
       {"robots-old-rule", "robots-old-line", "robots-rule", "robots-line", "robots-group",
        "robots-reason", "robots-file", "robots-match", "robots-noindex", "robots-noindex-line",
        "content-usage", "content-usage-line", "content-signal", "content-signal-line",
        "robots-disallow-ai-training", "robots-disallow-ai-training-line", "robots-license"}) {
    record.remove(name + suffix);
  }
}

std::string_view word_of(const robots::HostRules& rules, std::size_t agent,
                         const robots::HostRules::Answer& answer) {
  if (!answer.allowed) return "disallow";
  const bool said = rules.state() != robots::RobotsState::kRules || answer.rule != nullptr ||
                    rules.rules(agent).is_own_group();
  return said ? "allow" : "unspecified";
}

std::unique_ptr<Answerer> make_verdict_writer(RobotsContext& context) {
  return std::make_unique<VerdictWriter>(context);
}

}  // namespace spinneret
