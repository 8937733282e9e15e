// SPDX-License-Identifier: Apache-2.0
#include "robots_context.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "http/engine.h"
#include "http/response_head.h"
#include "robots/pattern.h"

namespace spinneret {
namespace {

constexpr std::string_view kModes[] = {"rfc", "google", "1994"};
constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::uint64_t kMaxNow = 253'402'300'799;  // the last second that has a date
constexpr int kMaxHops = 5;                         // RFC 9309, section 2.3.1.2

EngineOptions engine_options(const cli::Options& options, const std::string& agent) {
  EngineOptions out;
  out.wire.agent = agent == "*" ? "spinneret" : agent;
  if (options.has("allow-private")) out.policy.allow_all();
  out.limits.total_ms = options.duration_ms("timeout", 30'000);
  out.limits.max_size = kRobotsSizeLimit;
  return out;
}

}  // namespace

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
  rules.agents = options.all("agent");
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
  for (const std::string& agent : rules.agents) {
    if (trim(agent).empty())
      options.usage_error("--agent takes a product token, such as examplebot");
  }
  if (rules.agents.empty()) rules.agents.emplace_back("*");
  check_suffixes();
}

// Two agents in one field would be one verdict, of the last.
void RobotsContext::check_suffixes() {
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < rules.agents.size() && rules.agents.size() > 1; ++i) {
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
  if (rules.agents.size() == 1) return {};
  std::string out = "." + to_lower_copy(rules.agents[agent]);
  std::replace_if(
      out.begin() + 1, out.end(), [](char c) { return !is_alnum(c) && c != '.'; }, '-');
  return out;
}

Result<FetchResult> RobotsContext::fetch(const std::string& from, bool robots, int follow) {
  FetchRequest request;
  request.url = from;
  request.follow = follow;
  request.robots = robots;
  return fetch_one(request, engine_options(tool.options(), rules.agents.front()));
}

RobotsEntry RobotsContext::fetch_robots(const std::string& robots_url, const RobotsEntry* last) {
  Result<FetchResult> result = fetch(robots_url, true, kMaxHops);
  RobotsReply reply;
  if (!result.ok()) {
    tool.trouble(result.message());
    reply.outcome = Outcome::kAborted;
  } else {
    reply.status = result->status;
    reply.outcome = result->outcome;
    if (result->whole || result->truncated) reply.body = result->body;
    reply.expires = fresh_until(result->head, now());
    reply.retry_after = retry_after(result->head, now());
    if (reply.status == 0) tool.trouble(robots_url + ": " + result->error);
  }
  RobotsEntry entry = judge_reply(reply, policy, now(), last);
  entry.source = robots_url;
  return entry;
}

std::optional<FetchResult> RobotsContext::fetch_page(const std::string& page_url) {
  Result<FetchResult> result = fetch(page_url, false, 0);
  if (result.ok() && result->status != 0) return result.take();
  tool.trouble(page_url + ": " + (result.ok() ? result->error : result.message()));
  return std::nullopt;
}

std::optional<std::string> RobotsContext::read_source(const std::string& source) {
  if (cli::is_url_operand(source)) {
    RobotsEntry entry = fetch_robots(source, nullptr);
    if (entry.state == RobotsState::kRules) return std::move(entry.body);
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
