// SPDX-License-Identifier: Apache-2.0
// robots-check: robots.txt verdicts. See man/robots-check.1.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "cli/tool.h"
#include "http/engine.h"
#include "robots/cache.h"
#include "robots/host_rules.h"
#include "robots/pattern.h"
#include "robots/store.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'A', "agent", "NAME", "product token of the crawler (repeatable)"},
    {'r', "robots", "FILE|URL", "use this robots.txt for every URL"},
    {0, "cache", "DIR", "folder of known robots.txt files"},
    {0, "gate", nullptr, "settle what the cache forbids or lacks"},
    {0, "learn", nullptr, "store fetched robots.txt in the cache"},
    {0, "allowed", nullptr, "print only lines that are allowed"},
    {0, "disallowed", nullptr, "print only lines that are not"},
    {'e', "explain", nullptr, "add rule, line, group and reason"},
    {0, "mode", "MODE", "rfc (default), google or 1994"},
    {0, "strict-token", nullptr, "product tokens of letters, - and _ only"},
    {0, "deny-status", "LIST", "4xx that forbid all, such as 401,403,429"},
    {0, "ttl", "TIME", "longest life of a cached robots.txt (24h)"},
    {0, "stale", "TIME", "use a last good copy when unreachable (0)"},
    {0, "timeout", "TIME", "for fetching a robots.txt (30s)"},
    {0, "allow-private", nullptr, "also fetch from private addresses"},
    {0, "now", "SECONDS", "unix time to go by, for tests"},
};
constexpr cli::ToolSpec kTool{"robots-check", "robots.txt verdicts, explanations, lint and cache",
                              "[OPTION]... [URL|FILE]...", kOptions,
                              "robots-check -A mybot --explain https://example.org/page"};

constexpr std::string_view kModes[] = {"rfc", "google", "1994"};

// What all modes share: the options in their final form, and buffers that are reused.
struct Context {
  explicit Context(cli::Tool& t) : tool(t) {}

  cli::Tool& tool;
  HostRules::Options rules;
  RobotsPolicy policy;
  std::string cache;
  Url url;
  UrlError why;
  Record record;
  std::string storage;
  std::optional<std::uint64_t> fixed_now;

  std::int64_t now() const {
    return fixed_now ? static_cast<std::int64_t>(*fixed_now) : system_clock().unix_ms() / 1000;
  }
};

std::vector<int> status_list(const cli::Options& options) {
  std::vector<int> out;
  const std::string list = options.get("deny-status");
  std::string_view rest = list;
  while (!rest.empty()) {
    const auto status = parse_unsigned(trim(cut(rest, ',')));
    if (!status || *status < 400 || *status > 499) {
      options.usage_error("--deny-status takes statuses such as 401,403,429");
    }
    out.push_back(static_cast<int>(*status));
  }
  return out;
}

void read_options(Context& context) {
  const cli::Options& options = context.tool.options();
  RuleOptions& rules = context.rules.rules;
  rules.mode = static_cast<RobotsMode>(options.choice("mode", kModes, 0));
  rules.strict_token = options.has("strict-token");
  context.rules.agents = options.all("agent");
  context.rules.stale = options.duration_ms("stale", 0) / 1000;
  context.policy.deny_status = status_list(options);
  const bool old = rules.mode == RobotsMode::k1994;
  if (old && !options.has("deny-status")) context.policy.deny_status = {401, 403};
  context.policy.ttl = options.duration_ms("ttl", (old ? 7 : 1) * std::int64_t{86'400'000}) / 1000;
  context.cache = options.get("cache");
  if (options.has("now")) context.fixed_now = options.unsigned_value("now", 0, 0, INT64_MAX);
  for (const char* loop : {"gate", "learn"}) {
    if (options.has(loop) && context.cache.empty()) {
      options.usage_error(std::string("--") + loop + " needs --cache=DIR");
    }
  }
  if (options.has("gate") && context.rules.agents.size() != 1) {
    options.usage_error("--gate needs one --agent=NAME: the product token of your crawler");
  }
  if (context.rules.agents.empty()) context.rules.agents.emplace_back("*");
}

// The path to match: of the URL, or of a line that is a path itself.
std::string_view path_of(Context& context, std::string_view line_url) {
  const RobotsMode mode = context.rules.rules.mode;
  if (mode == RobotsMode::kGoogle) return google_path(line_url, context.storage);
  const std::string_view path = line_url.starts_with('/') ? line_url.substr(0, line_url.find('#'))
                                                          : context.url.path_and_query();
  return comparable_path(path, mode, context.storage);
}

// --- fetching -----------------------------------------------------------------------------------

EngineOptions engine_options(const cli::Options& options, const std::string& agent) {
  EngineOptions out;
  out.wire.agent = agent == "*" ? "spinneret" : agent;
  if (options.has("allow-private")) out.policy.allow_all();
  out.limits.total_ms = options.duration_ms("timeout", 30'000);
  out.limits.max_size = kRobotsSizeLimit;
  return out;
}

RobotsEntry fetch_entry(Context& context, const std::string& url, const RobotsEntry* last) {
  FetchRequest request;
  request.url = url;
  request.follow = 5;
  request.robots = true;
  Result<FetchResult> result =
      fetch_one(request, engine_options(context.tool.options(), context.rules.agents.front()));
  RobotsReply reply;
  if (!result.ok()) {
    context.tool.trouble(result.message());
    reply.outcome = Outcome::kAborted;
  } else {
    reply.status = result->status;
    reply.outcome = result->outcome;
    if (result->whole || result->truncated) reply.body = result->body;
    reply.expires = fresh_until(result->head, context.now());
    reply.retry_after = retry_after(result->head, context.now());
    if (reply.status == 0) context.tool.trouble(url + ": " + result->error);
  }
  RobotsEntry entry = judge_reply(reply, context.policy, context.now(), last);
  entry.source = url;
  return entry;
}

// --- ad hoc -------------------------------------------------------------------------------------

class Checker {
 public:
  explicit Checker(Context& context)
      : context_(context),
        tool_(context.tool),
        explain_(tool_.options().has("explain")),
        only_allowed_(tool_.options().has("allowed")),
        only_disallowed_(tool_.options().has("disallowed")) {
    if (only_allowed_ && only_disallowed_) {
      tool_.options().usage_error("--allowed and --disallowed exclude each other");
    }
  }

  // Reads the robots.txt of --robots. False: there is no use in going on.
  bool read_robots(const std::string& source) {
    RobotsEntry entry;
    entry.source = source;
    if (cli::is_url_operand(source)) {
      entry = fetch_entry(context_, source, nullptr);
    } else {
      Result<std::string> text = read_file(source == "-" ? "/dev/stdin" : source);
      if (!text.ok()) {
        tool_.trouble(text.message());
        return false;
      }
      entry.state = RobotsState::kRules;
      entry.body = text.take();
    }
    fixed_ = &add_host("", entry);
    return true;
  }

  void check(std::string_view line) {
    if (is_settled(line)) return tool_.writer().write_line(line);
    const std::string_view url = record_url(line);
    const bool bare_path = fixed_ != nullptr && url.starts_with('/');
    if (!bare_path && !parse(url, context_.url, &context_.why)) {
      return tool_.refuse(context_.why.message, url);
    }
    const Host* host = fixed_;
    if (host == nullptr) {
      if (!context_.url.is_http()) return tool_.refuse("no http or https URL", url);
      host = &host_of(context_.url);
    }
    answer(line, *host, path_of(context_, url));
  }

 private:
  struct Host {
    std::string source;
    std::unique_ptr<HostRules> rules;
  };

  const Host& add_host(const std::string& authority, const RobotsEntry& entry) {
    return hosts_[authority] = {entry.source,
                                std::make_unique<HostRules>(entry, context_.rules, context_.now())};
  }

  const Host& host_of(const Url& url) {
    std::string authority = robots_authority(url);
    const auto known = hosts_.find(authority);
    if (known != hosts_.end()) return known->second;
    std::optional<RobotsEntry> entry;
    if (!context_.cache.empty()) entry = load_entry(context_.cache, authority);
    if (!entry || entry->expires <= context_.now()) {
      entry = fetch_entry(context_, robots_url(url), entry ? &*entry : nullptr);
      entry->authority = authority;
      keep(*entry);
    }
    return add_host(authority, *entry);
  }

  void keep(const RobotsEntry& entry) {
    if (context_.cache.empty()) return;
    const Status stored = store_entry(context_.cache, entry);
    if (!stored.ok()) tool_.trouble(stored.message());
  }

  void answer(std::string_view line, const Host& host, std::string_view path) {
    const std::size_t agents = context_.rules.agents.size();
    bool allowed = true;
    for (std::size_t i = 0; i < agents; ++i) allowed = host.rules->ask(i, path).allowed && allowed;
    if (!allowed) tool_.note_refusal();
    if ((only_allowed_ && !allowed) || (only_disallowed_ && allowed)) return;
    if ((only_allowed_ || only_disallowed_) && !explain_) return tool_.writer().write_line(line);
    context_.record.parse(line);
    for (std::size_t i = 0; i < agents; ++i) {
      add_fields(host, i, host.rules->ask(i, path), agents == 1 ? "" : suffix(i));
    }
    tool_.writer().write(context_.record);
  }

  // ".examplebot": one agent of several, as a field's name may hold it.
  std::string suffix(std::size_t agent) const {
    std::string out = "." + to_lower_copy(context_.rules.agents[agent]);
    std::replace_if(
        out.begin() + 1, out.end(), [](char c) { return !is_alnum(c) && c != '.'; }, '-');
    return out;
  }

  void add_fields(const Host& host, std::size_t agent, const HostRules::Answer& answer,
                  const std::string& suffix) {
    Record& record = context_.record;
    record.set("robots" + suffix, answer.allowed ? "allow" : "disallow");
    if (!explain_) return;
    if (answer.rule != nullptr) {
      const RuleSet& rules = host.rules->rules(agent);
      record.set("robots-rule" + suffix, rules.text(*answer.rule));
      record.set_unsigned("robots-line" + suffix, answer.rule->line);
    }
    if (host.rules->state() == RobotsState::kRules && host.rules->rules(agent).has_group()) {
      record.set("robots-group" + suffix,
                 host.rules->rules(agent).is_own_group() ? context_.rules.agents[agent] : "*");
    }
    record.set("robots-reason" + suffix, answer.reason);
    record.set("robots-file" + suffix, host.source);
  }

  Context& context_;
  cli::Tool& tool_;
  const bool explain_;
  const bool only_allowed_;
  const bool only_disallowed_;
  std::map<std::string, Host> hosts_;
  const Host* fixed_ = nullptr;
};

int check_urls(Context& context) {
  Checker checker(context);
  const cli::Options& options = context.tool.options();
  if (options.has("robots") && !checker.read_robots(options.get("robots"))) return 2;
  std::string_view line;
  while (context.tool.next(line)) checker.check(line);
  return context.tool.status();
}

// --- the loop -----------------------------------------------------------------------------------

void settle(Context& context, const HostRules& rules, const HostRules::Answer& answer) {
  Record& record = context.record;
  record.set("robots", "disallow");
  if (answer.rule != nullptr) {
    record.set("robots-rule", rules.rules(0).text(*answer.rule));
    record.set_unsigned("robots-line", answer.rule->line);
  } else {
    record.set("robots-reason", answer.reason);
    const std::int64_t wait = rules.expires() - context.now();
    record.set_unsigned("retry-after",
                        static_cast<unsigned long long>(std::max<std::int64_t>(wait, 1)));
  }
  record.set_outcome(to_string(Outcome::kBlockedByRobots));
}

void gate(Context& context, RobotsStore& store, std::string_view line) {
  RecordWriter& writer = context.tool.writer();
  if (is_settled(line) || find_raw_field(line, "purpose") == "robots")
    return writer.write_line(line);
  const std::string_view url = record_url(line);
  if (!parse(url, context.url, &context.why)) return context.tool.refuse(context.why.message, url);
  context.record.parse(line);
  if (context.url.is_http()) {
    const HostRules* const rules = store.find(robots_authority(context.url), context.now());
    if (rules == nullptr) {
      context.record.set("needs", robots_url(context.url));
      context.record.set_outcome(to_string(Outcome::kNeeds));
      return writer.write(context.record);
    }
    const HostRules::Answer answer = rules->ask(0, path_of(context, url));
    if (!answer.allowed) {
      settle(context, *rules, answer);
      context.tool.note_refusal();
      return writer.write(context.record);
    }
    if (rules->state() == RobotsState::kRules && rules->rules(0).crawl_delay_ms()) {
      context.record.set("crawl-delay", seconds_text(*rules->rules(0).crawl_delay_ms()));
    }
  }
  context.record.set("robots", "allow");
  writer.write(context.record);
}

int run_gate(Context& context) {
  RobotsStore store(context.cache, context.rules, {});
  std::string_view line;
  while (context.tool.next(line)) gate(context, store, line);
  return context.tool.status();
}

std::optional<std::int64_t> number_field(Record& record, std::string_view key) {
  const auto text = record.get(key);
  const auto value = text ? parse_unsigned(*text) : std::nullopt;
  return value && *value <= INT64_MAX ? std::optional(static_cast<std::int64_t>(*value))
                                      : std::nullopt;
}

// The body of a settled record; false where it was torn off.
bool read_body(Context& context, RobotsReply& reply, std::string& body) {
  Record& record = context.record;
  if (const auto file = record.get("body-file")) {
    Result<std::string> text = read_file(std::string(*file), kRobotsSizeLimit * 4);
    if (!text.ok()) return false;
    body = text.take();
    reply.body = body;
    return true;
  }
  const auto size = number_field(record, "size");
  if (const auto inline_body = record.get("body")) {
    body = *inline_body;
    reply.body = body;
    return !size || static_cast<std::uint64_t>(*size) == body.size();
  }
  if (size && *size == 0) reply.body = body;
  return true;
}

void learn(Context& context, std::string_view line) {
  cli::Tool& tool = context.tool;
  if (!is_settled(line) || find_raw_field(line, "purpose") != "robots") {
    return tool.writer().write_line(line);
  }
  Record& record = context.record;
  record.parse(line);
  RobotsReply reply;
  std::string body;
  if (!parse(record.url(), context.url, &context.why)) {
    return tool.refuse(context.why.message, record.url());
  }
  if (!read_body(context, reply, body)) return tool.refuse("body is not whole", record.url());
  reply.status =
      static_cast<int>(std::min<std::int64_t>(number_field(record, "status").value_or(0), 999));
  reply.outcome = parse_outcome(record.get("outcome").value_or(""));
  reply.expires = number_field(record, "expires");
  reply.retry_after = number_field(record, "retry-after");
  const std::string authority = robots_authority(context.url);
  const std::optional<RobotsEntry> last = load_entry(context.cache, authority);
  RobotsEntry entry = judge_reply(reply, context.policy, context.now(), last ? &*last : nullptr);
  entry.authority = authority;
  entry.source = context.url.href_without_fragment();
  const Status stored = store_entry(context.cache, entry);
  if (!stored.ok()) tool.trouble(stored.message());
  record.remove("body");
  if (entry.state == RobotsState::kRules) {
    const RuleSet rules =
        RuleSet::compile(entry.body, context.rules.agents.front(), context.rules.rules);
    if (rules.crawl_delay_ms()) record.set("crawl-delay", seconds_text(*rules.crawl_delay_ms()));
  }
  tool.writer().write(record);
}

int run_learn(Context& context) {
  const Status made = make_directories(context.cache);
  if (!made.ok()) {
    context.tool.trouble(made.message());
    return 2;
  }
  std::string_view line;
  while (context.tool.next(line)) learn(context, line);
  return context.tool.status();
}

int run(cli::Tool& tool) {
  Context context(tool);
  read_options(context);
  if (tool.options().has("gate")) return run_gate(context);
  if (tool.options().has("learn")) return run_learn(context);
  return check_urls(context);
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_tool(kTool, argc, argv, run);
}
