// SPDX-License-Identifier: Apache-2.0
#include "robots_context.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "http/engine.h"
#include "http/response_head.h"
#include "identity.h"
#include "robots/agent.h"
#include "robots/known_agents.h"
#include "robots/pattern.h"
#include "robots/text.h"

namespace spinneret {
namespace {

constexpr std::string_view kModes[] = {"rfc", "google", "1994"};
constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::uint64_t kMaxNow = 253'402'300'799;  // the last second that has a date
constexpr int kMaxHops = 5;                         // RFC 9309, section 2.3.1.2

EngineOptions engine_options(const cli::Options& options, const std::string& agent) {
  EngineOptions out;
  set_identity(out.wire, agent == "*" ? "Spinneret" : agent,
               options.get("from", environment_value("SPINNERET_CONTACT")));
  out.wire.ca_file = environment_value("SSL_CERT_FILE");
  out.resolver.servers = environment_value("SPINNERET_DNS");
  if (options.has("allow-private")) out.policy.allow_all();
  out.limits.total_ms = options.duration_ms("timeout", 30'000);
  out.limits.max_size = kRobotsSizeLimit;
  return out;
}

// One token, or several parted by '+' and ':', none of them empty.
bool is_crawler(std::string_view name) {
  const auto parts = [](char c) { return c == '+' || c == ':'; };
  if (name.empty() || parts(name.front()) || parts(name.back())) return false;
  return std::adjacent_find(name.begin(), name.end(), [&parts](char a, char b) {
           return parts(a) && parts(b);
         }) == name.end();
}

// An operand that is a path of some host: no file is called so.
bool is_path_operand(std::string_view operand) {
  struct stat found {};
  return operand.starts_with('/') &&
         (::stat(std::string(operand).c_str(), &found) != 0 || S_ISDIR(found.st_mode));
}

bool is_url_or_path(std::string_view operand) {
  return cli::is_url_operand(operand) || is_path_operand(operand);
}

// The URL of the host's robots.txt, where `url` names the host alone: who asks what a site's robots.txt holds
// means no home page.
std::string robots_source(const std::string& url) {
  Url parsed;
  UrlError why;
  if (!parse(url, parsed, &why) || !parsed.is_http() || parsed.path_and_query() != "/") return url;
  return robots_url(parsed);
}

}  // namespace

void RobotsContext::take_paths_as_lines(std::vector<std::string> operands) {
  tool.set_operands(std::move(operands), is_url_or_path);
}

// A line of a User-Agent, or a name with its version, is what people have at hand. To compare it as it is
// would find no group, and allow by the rules of "*" what its own forbid.
void RobotsContext::add_agent(const std::string& given) {
  const std::string name(trim(given));
  const std::string token(crawler_token(name, rules.rules.strict_token));
  if (!is_crawler(token)) {
    tool.options().usage_error("--agent takes a product token, such as examplebot, not " +
                               excerpt(given));
  }
  if (token != name) tool.notice("--agent=" + excerpt(name) + ": asking for " + excerpt(token));
  rules.agents.push_back(token);
}

void RobotsContext::read_agents() {
  for (const std::string& given : tool.options().all("agent")) {
    // Commas part names, but a User-Agent line has its own.
    std::string_view rest = given;
    const bool is_line = given.find_first_of("/(") != std::string::npos;
    while (!rest.empty() && !is_line) add_agent(std::string(cut(rest, ',')));
    if (is_line || given.empty()) add_agent(given);
  }
}

// A file of agents: a token a line, anything behind a tab is its owner's affair, '#' begins a comment.
void RobotsContext::add_agent_file(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text.ok()) tool.options().usage_error("--agents: " + text.message());
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = cut(rest, '\n');
    const std::string_view token = trim(line.substr(0, line.find_first_of("\t#")));
    if (!token.empty()) add_agent(std::string(token));
  }
  if (rules.agents.empty()) tool.options().usage_error("--agents: " + path + " names no agent");
}

void RobotsContext::read_agent_list() {
  if (!tool.options().has("agents")) return;
  for (const char* other : {"gate", "learn", "diff", "page"}) {
    if (tool.options().has(other)) {
      tool.options().usage_error(std::string("--agents and --") + other + " exclude each other");
    }
  }
  rows = true;
  const std::string which = tool.options().get("agents");
  const std::optional<std::uint8_t> kinds = agent_kinds(which);
  if (!kinds) return add_agent_file(which);
  for (const KnownAgent& agent : known_agents()) {
    if ((agent.kinds & *kinds) != 0) rules.agents.emplace_back(agent.token);
  }
}

void RobotsContext::read_statuses() {
  const std::string list = tool.options().get("deny-status");
  std::string_view rest = list;
  while (!rest.empty()) {
    const auto status = parse_unsigned(trim(cut(rest, ',')));
    if (!status || *status < 400 || *status > 499) {
      tool.options().usage_error("--deny-status takes statuses such as 401,403,429");
    }
    policy.deny_status.push_back(static_cast<int>(*status));
  }
}

void RobotsContext::read_options() {
  const cli::Options& options = tool.options();
  rules.rules.mode = static_cast<RobotsMode>(options.choice("mode", kModes, 0));
  rules.rules.strict_token = options.has("strict-token");
  read_agents();
  read_agent_list();
  rules.stale = options.duration_ms("stale", 0) / 1000;
  explain = options.has("explain");
  cache = options.get("cache");
  const bool old = rules.rules.mode == RobotsMode::k1994;
  read_statuses();
  if (old && !options.has("deny-status")) policy.deny_status = {401, 403};
  policy.ttl = options.duration_ms("ttl", (old ? 7 : 1) * kDayMs) / 1000;
  if (options.has("now")) {
    fixed_now_ = static_cast<std::int64_t>(options.unsigned_value("now", 0, 0, kMaxNow));
  }
  for (const char* loop : {"gate", "learn"}) {
    if (options.has(loop) && cache.empty()) {
      options.usage_error(std::string("--") + loop + " needs --cache=DIR");
    }
  }
  if (options.has("gate") && rules.agents.size() != 1) {
    options.usage_error("--gate needs one --agent=NAME: the product token of your crawler");
  }
  if (rules.agents.empty()) rules.agents.emplace_back("*");
  check_suffixes();
}

// Two agents in one field would be one verdict, of the last.
void RobotsContext::check_suffixes() {
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < rules.agents.size() && rules.agents.size() > 1 && !rows; ++i) {
    const auto [known, is_new] = names.emplace(suffix(i), rules.agents[i]);
    if (is_new) continue;
    tool.options().usage_error("--agent=" + known->second + " and --agent=" + rules.agents[i] +
                               " would have the same field, robots" + known->first);
  }
}

std::int64_t RobotsContext::now() const {
  return fixed_now_ ? *fixed_now_ : system_clock().unix_ms() / 1000;
}

std::string_view RobotsContext::path_of(std::string_view line_url) {
  const RobotsMode mode = rules.rules.mode;
  if (mode == RobotsMode::kGoogle) return google_path(line_url, storage_);
  return comparable_path(url.path_and_query(), mode, storage_);
}

// A path means what it means in a URL: what a log or a page has, and not yet without its dot segments.
bool RobotsContext::read_url(std::string_view text, bool may_be_path) {
  if (!may_be_path || !text.starts_with('/')) return parse(text, url, &why);
  path_url_.assign("http://h").append(text);
  return parse(path_url_, url, &why);
}

std::string RobotsContext::suffix(std::size_t agent) const {
  if (rules.agents.size() == 1 || rows) return {};
  std::string out = "." + to_lower_copy(rules.agents[agent]);
  std::replace_if(
      out.begin() + 1, out.end(), [](char c) { return !is_alnum(c) && c != '.'; }, '-');
  return out;
}

void RobotsContext::add_rule(const std::string& prefix, const std::string& suffix,
                             const HostRules& host, std::size_t agent,
                             const HostRules::Answer& answer) {
  if (answer.rule == nullptr) return;
  record.set(prefix + "-rule" + suffix, without_controls(host.rules(agent).text(*answer.rule)));
  record.set_unsigned(prefix + "-line" + suffix, answer.rule->line);
}

RobotsEntry RobotsContext::judge(const Request& request, const FetchResult& result) {
  RobotsReply reply;
  reply.status = result.status;
  reply.outcome = result.outcome;
  if (result.whole || result.truncated) reply.body = result.body;
  reply.truncated = result.truncated;
  reply.expires = fresh_until(result.head, now());
  reply.retry_after = retry_after(result.head, now());
  if (reply.status == 0) tool.trouble(request.url + ": " + result.error);
  RobotsEntry entry = judge_reply(reply, policy, now(), request.last);
  entry.source = request.url;
  return entry;
}

std::vector<RobotsEntry> RobotsContext::fetch_robots(const std::vector<Request>& requests) {
  struct Judge : Engine::Receiver {
    void on_result(FetchRequest& request, FetchResult& result) override {
      entries[request.ticket] = context->judge((*requests)[request.ticket], result);
    }
    RobotsContext* context;
    const std::vector<Request>* requests;
    std::vector<RobotsEntry> entries;
  } receiver;
  receiver.context = this;
  receiver.requests = &requests;
  receiver.entries.resize(requests.size());
  const Result<std::unique_ptr<Engine>> engine =
      Engine::create(engine_options(tool.options(), rules.agents.front()), receiver);
  if (!engine.ok()) {
    FetchResult none;  // kAborted
    none.error = engine.message();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      receiver.entries[i] = judge(requests[i], none);
    }
    return std::move(receiver.entries);
  }
  std::size_t next = 0;
  while (next < requests.size() || !(*engine)->idle()) {
    while (next < requests.size() && (*engine)->has_room()) {
      FetchRequest request;
      request.url = requests[next].url;
      request.follow = kMaxHops;
      request.robots = true;
      request.ticket = next++;
      (*engine)->submit(std::move(request));
    }
    (*engine)->step(-1);
  }
  return std::move(receiver.entries);
}

std::optional<FetchResult> RobotsContext::fetch_page(const std::string& page_url) {
  FetchRequest request;
  request.url = page_url;
  Result<FetchResult> result =
      fetch_one(request, engine_options(tool.options(), rules.agents.front()));
  if (result.ok() && result->status != 0) return result.take();
  tool.trouble(page_url + ": " + (result.ok() ? result->error : result.message()));
  return std::nullopt;
}

void RobotsContext::note_html(const std::string& source, std::string_view bytes) {
  std::string storage;
  RobotsTextFacts facts;
  robots_text(bytes, kRobotsSizeLimit, storage, &facts);
  if (facts.looks_html) tool.notice(source + ": is HTML or XML, and no robots.txt");
}

std::optional<std::string> RobotsContext::read_source(const std::string& source) {
  if (cli::is_url_operand(source)) {
    RobotsEntry entry = fetch_robots({{robots_source(source), nullptr}}).front();
    if (entry.state == RobotsState::kRules) {
      note_html(source, entry.body);
      return std::move(entry.body);
    }
    tool.trouble(source + ": no robots.txt there (" + entry.reason + ")");
    return std::nullopt;
  }
  // Not /dev/stdin: that opens a file anew, from its beginning, and no socket at all.
  Result<std::string> text =
      source == "-" ? read_descriptor(STDIN_FILENO, "standard input") : read_file(source);
  if (text.ok()) return text.take();
  tool.trouble(text.message());
  return std::nullopt;
}

}  // namespace spinneret
